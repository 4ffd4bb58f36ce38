"""What the workers of one fit tell each other: four verbs on messages that the scheduler never sees.

Every worker runs the same program, and at the same places of it all call the same verb: `gather`, where each
gets the values of all, `allreduce`, a sum in the order of the workers, so that repeated runs give the same
bits, `broadcast` from the first, and `exchange`, a piece for each, of which a halo exchange is made.
"""

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import Any

import numpy as np

from graphwell._types import IntArray


class WorkerLostError(OSError):
    """A worker of the fit is gone, or this one was told to stop because another is."""


class DivergedError(RuntimeError):
    """Workers of a fit called different verbs, which would wait for each other for ever."""


# The verb that a worker calls, and what it sends.
Letter = tuple[str, Any]
# Letters that have arrived, by sender and number.
Letters = dict[tuple[int, int], Letter]


class Communicator:
    """One of the workers that run a program together; this one is alone (see `worker.WorkerCommunicator`).

    Examples
    --------
    >>> Communicator().allreduce(np.array([1.0, 2.0]))
    array([1., 2.])
    """

    rounds, bytes_sent, seconds_waited = 0, 0, 0.0

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    def send(self, rank: int, number: int, letter: Letter) -> None:
        """Send a message to another worker; nobody may write into it any more."""
        raise NotImplementedError

    def wait(self, arrived: Callable[[Letters], bool]) -> None:
        """Wait until messages have arrived, as looking at them says."""
        arrived({})

    def check(self) -> None:
        """Raise what ended the fit elsewhere."""

    def exchange(
        self, pieces: Mapping[int, Any], sources: Collection[int], verb: str = "exchange"
    ) -> dict[int, Any]:
        """Send each worker its piece; return what these sources sent here.

        In every verb a worker sends something to each one that it waits for. Where workers no longer run the
        same program, by rounding on processors of two kinds say, one of them therefore finds a message of
        another verb, or one that it did not ask for, before all of them wait.
        """
        self.rounds += 1
        number, missing = self.rounds, set(sources) - {self.rank}
        found = {self.rank: pieces[self.rank]} if self.rank in sources else {}

        def arrived(letters: Letters) -> bool:
            for (sender, sent), (theirs, piece) in list(letters.items()):
                if sent > number:
                    continue
                if sent < number or theirs != verb or sender not in missing:
                    raise DivergedError(
                        f"The workers of the fit took different ways: worker {sender} called {theirs} as its "
                        f"verb {sent}, worker {self.rank} called {verb} as its verb {number}. They must have "
                        "processors of one kind and the same versions of all packages."
                    )
                found[sender] = piece
                missing.remove(sender)
                del letters[sender, sent]
            return not missing

        for rank, piece in pieces.items():
            if rank != self.rank:
                self.send(rank, number, (verb, piece))
        self.wait(arrived)
        return found

    def each(self, pieces: list[Any], verb: str = "each") -> list[Any]:
        """Send each worker its piece; return the pieces for this one, in the order of the workers."""
        found = self.exchange(dict(enumerate(pieces)), range(self.size), verb)
        return [found[rank] for rank in range(self.size)]

    def route(self, owner: IntArray, *columns: Any) -> list[Any]:
        """Send rows of some columns to the workers that own them; return those of this one."""
        pieces = [[column[owner == rank] for column in columns] for rank in range(self.size)]
        return [np.concatenate(parts) for parts in zip(*self.each(pieces), strict=True)]

    def gather(self, value: Any, verb: str = "gather") -> list[Any]:
        """Return the values of all workers, in their order."""
        return self.each([value] * self.size, verb)

    def allreduce(self, value: Any, combine: Callable[[Any, Any], Any] = np.add) -> Any:
        """Return the sum of the values of all workers, of one shape, or what else combines two of them."""
        return reduce(combine, self.gather(value, f"allreduce of the shape {np.shape(value)}"))

    def broadcast(self, value: Any) -> Any:
        """Return the value of the first worker."""
        return self.gather(value if self.rank == 0 else None, "broadcast")[0]
