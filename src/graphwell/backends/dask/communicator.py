"""What the workers of one fit tell each other: four verbs on messages that the scheduler never sees.

Every worker runs the same program, and at the same places of it all call the same verb: `gather`, where each
gets the values of all, `allreduce`, a sum in the order of the workers, so that repeated runs give the same
bits, `broadcast` from the first, and `exchange`, a piece for each, of which a halo exchange is made.
"""

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import Any, Protocol

import numpy as np


class WorkerLostError(OSError):
    """A worker of the fit is gone, or this one was told to stop because another is."""


class Mail(Protocol):
    """Brings messages to other workers, by their rank."""

    def send(self, rank: int, number: int, message: Any) -> None:
        """Send a message; nobody may write into it any more."""
        ...

    def receive(self, rank: int, number: int) -> Any:
        """Wait for a message."""
        ...

    def check(self) -> None:
        """Raise what ended the fit elsewhere."""
        ...


class Communicator:
    """One of the workers that run a program together.

    Parameters
    ----------
    rank, size : int
        Number of this worker, and of all.
    mail : Mail, optional
        A worker that is alone needs none.

    Examples
    --------
    >>> Communicator(0, 1).allreduce(np.array([1.0, 2.0]))
    array([1., 2.])
    """

    def __init__(self, rank: int = 0, size: int = 1, mail: Mail | None = None) -> None:
        self.rank, self.size, self.mail, self.rounds = rank, size, mail, 0

    def exchange(self, pieces: Mapping[int, Any], sources: Collection[int]) -> dict[int, Any]:
        """Send each worker its piece; return what these sources sent here."""
        self.rounds += 1
        found = {self.rank: pieces[self.rank]} if self.rank in sources else {}
        if self.mail is not None:
            for rank, piece in pieces.items():
                if rank != self.rank:
                    self.mail.send(rank, self.rounds, piece)
            for rank in sources:
                if rank != self.rank:
                    found[rank] = self.mail.receive(rank, self.rounds)
        return found

    def each(self, pieces: list[Any]) -> list[Any]:
        """Send each worker its piece; return the pieces for this one, in the order of the workers."""
        found = self.exchange(dict(enumerate(pieces)), range(self.size))
        return [found[rank] for rank in range(self.size)]

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all workers, in their order."""
        return self.each([value] * self.size)

    def allreduce(self, value: Any, combine: Callable[[Any, Any], Any] = np.add) -> Any:
        """Return the sum of the values of all workers, or what else combines two of them."""
        return reduce(combine, self.gather(value))

    def broadcast(self, value: Any) -> Any:
        """Return the value of the first worker."""
        sent = dict.fromkeys(range(self.size), value) if self.rank == 0 else {}
        return self.exchange(sent, [0])[0]

    def check(self) -> None:
        """Raise what ended the fit elsewhere."""
        if self.mail is not None:
            self.mail.check()
