"""What a worker does in a fit: it takes its rows, runs the program, and tells the client how far it is.

A round is one attempt at a fit. All that a worker keeps of it lies in its mailbox, which goes with the round.
Messages between workers go over Dask's own connections, so that its security holds for them too.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from graphwell.backends.dask.client import require_dask
from graphwell.backends.dask.communicator import Communicator, Letter, Letters, WorkerLostError
from graphwell.progress import watched

SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_BETWEEN_REPORTS = 0.1
DELIVER = "graphwell_deliver"
# The program of a round: given the blocks that this worker took, it returns what the worker keeps.
Job = Callable[["WorkerCommunicator", list[Any]], Any]


class Mailbox:
    """What one worker keeps of one round, until the round is over."""

    def __init__(self, job: bytes = b"") -> None:
        self.job = job
        self.blocks: dict[int, Any] = {}
        self.letters: Letters = {}
        self.reports: list[tuple[str, Any]] = []
        self.answers: list[Any] = []
        self.stopped = False
        self.changed = threading.Condition()
        self._reported = 0.0

    def put(self, sender: int, number: int, letter: Letter) -> None:
        """Keep a message of another worker until it is asked for."""
        with self.changed:
            self.letters[sender, number] = letter
            self.changed.notify_all()

    def stop(self) -> None:
        """Free whoever waits, and forget everything."""
        with self.changed:
            self.stopped = True
            self.letters.clear()
            self.blocks.clear()
            self.changed.notify_all()

    def wait_for(self, arrived: Callable[[], bool], check: Callable[[], None]) -> None:
        """Wait until something has arrived, looking now and then whether anybody still wants it."""
        with self.changed:
            while not arrived():
                check()
                self.changed.wait(SECONDS_BETWEEN_LOOKS)

    def report(self, stage: str, share: float | None) -> None:
        """Leave word for the client of how far the round is; not of every iteration."""
        now, often = time.monotonic(), share is not None and stage != "descent"
        if not often or now - self._reported > SECONDS_BETWEEN_REPORTS or share == 1:
            self._reported = now
            self.reports.append(("told", (stage, share)))

    def ask(self, question: str, value: Any, check: Callable[[], None]) -> Any:
        """Ask the client, and wait for its answer."""
        self.reports.append((question, value))
        self.wait_for(lambda: bool(self.answers), check)
        return self.answers.pop()


# By the name of the round and the address of the worker: workers may be threads of one process.
MAILBOXES: dict[tuple[str, str], Mailbox] = {}


def open_mailbox(name: str, job: bytes, dask_worker: Any) -> None:
    """Get a worker ready for a round."""
    dask_worker.handlers[DELIVER] = deliver
    MAILBOXES[name, dask_worker.address] = Mailbox(job)


def close_mailbox(name: str, dask_worker: Any) -> None:
    """End a round at a worker, whatever it is doing for it, and forget it."""
    box = MAILBOXES.pop((name, dask_worker.address), None)
    if box is not None:
        box.stop()
    if not any(address == dask_worker.address for _, address in MAILBOXES):
        dask_worker.handlers.pop(DELIVER, None)


def deliver(name: str, to: str, sender: int, number: int, verb: str, message: Any) -> None:
    """What a worker does with a message; one for a round that is over is thrown away."""
    box = MAILBOXES.get((name, to))
    if box is not None and not box.stopped:
        box.put(sender, number, (verb, message))


def take_reports(name: str, answers: list[Any], dask_worker: Any) -> list[tuple[str, Any]]:
    """Answer the questions of a worker, and take what it reports meanwhile."""
    box = MAILBOXES[name, dask_worker.address]
    with box.changed:
        box.answers.extend(answers)
        box.changed.notify_all()
        reports, box.reports = box.reports, []
    return reports


def take_block(block: Any, read: Callable[[Any], Any], name: str, number: int) -> None:
    """Put a block of rows, checked, where the round will find it."""
    box = MAILBOXES.get((name, require_dask().get_worker().address))
    if box is None or box.stopped:
        raise WorkerLostError("The round is over.")
    box.blocks[number] = read(block)


def member(name: str, addresses: list[str], rank: int) -> Any:
    """Run the program of a round on this worker."""
    distributed = require_dask()
    worker = distributed.get_worker()
    box = MAILBOXES.get((name, worker.address))
    if box is None or worker.address != addresses[rank]:
        raise WorkerLostError("What a worker kept of a fit was lost with it; fit again.")
    distributed.secede()  # another fit may need this worker's thread meanwhile
    comm = WorkerCommunicator(name, addresses, rank, worker, box)
    blocks = [box.blocks[number] for number in sorted(box.blocks)]
    box.blocks.clear()
    try:
        with watched(comm.check):
            job: Job = distributed.protocol.pickle.loads(box.job)
            found = job(comm, blocks)
            comm.gather(None, "end")  # all workers have called all their verbs
    except WorkerLostError:
        close_mailbox(name, worker)
        raise
    if rank:  # what the first reports may not have been read yet
        close_mailbox(name, worker)
    return found


class WorkerCommunicator(Communicator):
    """One of the workers of a round, which sends over the connections of its Dask worker."""

    def __init__(self, name: str, addresses: list[str], rank: int, worker: Any, box: Mailbox) -> None:
        super().__init__(rank, len(addresses))
        self.name, self.addresses, self.worker, self.box = name, addresses, worker, box
        self.task = worker.get_current_task()
        self.sending: list[Any] = []

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
        """Wait for messages."""
        began = time.perf_counter()
        self.box.wait_for(lambda: arrived(self.box.letters), self.check)
        self.seconds_waited += time.perf_counter() - began

    def check(self) -> None:
        """Stop where a message could not be sent, or nobody wants the result any more."""
        if self.box.stopped:
            raise WorkerLostError("The round was ended.")
        if any(sent.done() and sent.exception() for sent in self.sending):
            raise WorkerLostError("A worker of the fit is gone.")
        known = self.worker.state.tasks.get(self.task)
        gone = self.worker.status.name in ("closing", "closed", "failed")
        if gone or known is None or known.state not in ("executing", "long-running"):
            raise WorkerLostError("Nobody waits for the fit any more.")

    def ask(self, question: str, value: Any) -> Any:
        """What the client says to a question of the first worker; it does not answer progress."""
        if question == "told":
            return self.box.report(*value) if self.rank == 0 else None
        return self.broadcast(self.box.ask(question, value, self.check) if self.rank == 0 else None)
