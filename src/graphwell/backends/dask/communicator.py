"""Messages between the workers of one fit: four verbs; the scheduler never sees them.

Every worker runs the same program, and at the same places of it all call the same verb: `gather`, where each
gets the values of all, `allreduce`, a sum in the order of the workers, so that repeated runs give the same
bits, `broadcast` from the first, and `exchange`, a piece for each, of which a halo exchange is made.

A round is one attempt at a fit. All that a worker keeps of it lies in its communicator, which goes with the
round. Messages between workers go over Dask's own connections, so that its security holds for them too.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.dask.client import require_dask
from graphwell.progress import watched

SECONDS_BETWEEN_LOOKS = 0.5
DELIVER = "graphwell_deliver"


class WorkerLostError(OSError):
    """A worker of the fit is gone, or this one was told to stop because another is."""


class DivergedError(RuntimeError):
    """Workers of a fit called different verbs, which would wait for each other for ever."""


# The verb that a worker calls, and what it sends.
Letter = tuple[str, Any]
# A stage, and how far it is.
Report = tuple[str, float | None]
# Letters that have arrived, by sender and number.
Letters = dict[tuple[int, int], Letter]


class Communicator:
    """One of the workers that run a program together; this one is alone (see `WorkerCommunicator`).

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


class WorkerCommunicator(Communicator):
    """One of the workers of a round: its program, the blocks that it took, and letters of the others."""

    def __init__(self, name: str, addresses: list[str], job: bytes, worker: Any) -> None:
        super().__init__(addresses.index(worker.address), len(addresses))
        self.name, self.addresses, self.job, self.worker = name, addresses, job, worker
        self.blocks: dict[int, Any] = {}
        self.letters: Letters = {}
        self.reports: list[Report] = []
        self.sending: list[Any] = []
        self.task, self.stopped = "", False
        self.changed = threading.Condition()

    def send(self, rank: int, number: int, letter: Letter) -> None:
        """Send a message, without waiting until it is there."""
        to, (verb, message), serialize = self.addresses[rank], letter, require_dask().protocol.to_serialize
        self.bytes_sent += message.nbytes if isinstance(message, np.ndarray) else 0
        envelope = {"name": self.name, "to": to, "sender": self.rank, "number": number, "verb": verb}

        async def send() -> None:
            await getattr(self.worker.rpc(to), DELIVER)(**envelope, message=serialize(message), reply=False)

        sent = asyncio.run_coroutine_threadsafe(send(), self.worker.loop.asyncio_loop)
        self.sending = [*(each for each in self.sending if not each.done() or each.exception()), sent]

    def wait(self, arrived: Callable[[Letters], bool]) -> None:
        """Wait until something has arrived, looking now and then whether anybody still wants it."""
        began = time.perf_counter()
        with self.changed:
            while not arrived(self.letters):
                self.check()
                self.changed.wait(SECONDS_BETWEEN_LOOKS)
        self.seconds_waited += time.perf_counter() - began

    def check(self) -> None:
        """Stop where a message could not be sent, or nobody wants the result any more."""
        if self.stopped:
            raise WorkerLostError("The round was ended.")
        if any(sent.done() and sent.exception() for sent in self.sending):
            raise WorkerLostError("A worker of the fit is gone.")
        known = self.worker.state.tasks.get(self.task)
        gone = self.worker.status.name in ("closing", "closed", "failed")
        if gone or known is None or known.state not in ("executing", "long-running"):
            raise WorkerLostError("Nobody waits for the fit any more.")

    def stop(self) -> None:
        """Free whoever waits, and forget everything."""
        with self.changed:
            self.stopped = True
            self.letters.clear()
            self.blocks.clear()
            self.changed.notify_all()

    def tell(self, stage: str, share: float | None) -> None:
        """Tell the client how far a stage is, if this is the first worker."""
        self.check()
        if self.rank == 0:
            self.reports.append((stage, share))


# By the name of the round and the address of the worker: workers may be threads of one process.
ROUNDS: dict[tuple[str, str], WorkerCommunicator] = {}


def open_round(name: str, addresses: list[str], job: bytes, dask_worker: Any) -> None:
    """Get a worker ready for a round."""
    dask_worker.handlers[DELIVER] = deliver
    ROUNDS[name, dask_worker.address] = WorkerCommunicator(name, addresses, job, dask_worker)


def close_round(name: str, dask_worker: Any) -> None:
    """End a round at a worker, whatever it is doing for it, and forget it."""
    comm = ROUNDS.pop((name, dask_worker.address), None)
    if comm is not None:
        comm.stop()
    if not any(address == dask_worker.address for _, address in ROUNDS):
        dask_worker.handlers.pop(DELIVER, None)


def deliver(name: str, to: str, sender: int, number: int, verb: str, message: Any) -> None:
    """Take a message; one for a round that is over is thrown away."""
    comm = ROUNDS.get((name, to))
    if comm is not None and not comm.stopped:
        with comm.changed:
            comm.letters[sender, number] = (verb, message)
            comm.changed.notify_all()


def take_reports(name: str, dask_worker: Any) -> list[Report]:
    """Take what a worker reports."""
    comm = ROUNDS[name, dask_worker.address]
    reports, comm.reports = comm.reports, []
    return reports


def take_block(block: Any, read: Callable[[Any], Any], name: str, number: int) -> None:
    """Put a block of rows, checked, where the round will find it."""
    comm = ROUNDS.get((name, require_dask().get_worker().address))
    if comm is None or comm.stopped:
        raise WorkerLostError("The round is over.")
    comm.blocks[number] = read(block)


def member(name: str, rank: int) -> Any:
    """Run the program of a round here: given the communicator and the blocks, it returns what is kept."""
    distributed = require_dask()
    worker = distributed.get_worker()
    comm = ROUNDS.get((name, worker.address))
    if comm is None or comm.rank != rank:
        raise WorkerLostError("What a worker kept of a fit was lost with it; fit again.")
    distributed.secede()  # another fit may need this worker's thread meanwhile
    comm.task = worker.get_current_task()
    blocks = [comm.blocks[number] for number in sorted(comm.blocks)]
    comm.blocks.clear()
    try:
        with watched(comm.check):
            found = distributed.protocol.pickle.loads(comm.job)(comm, blocks)
            comm.gather(None, "end")  # all workers have called all their verbs
    except WorkerLostError:
        close_round(name, worker)
        raise
    if rank:  # what the first reports may not have been read yet
        close_round(name, worker)
    return found
