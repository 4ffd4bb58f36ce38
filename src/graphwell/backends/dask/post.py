"""Messages between workers of a Dask cluster that work together, without the scheduler.

Each worker has a post office: a handler that puts what arrives into the box of its addressee. Messages go
over Dask's own connections between workers, so that its security and its networks hold for them too.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell.backends.blocks.post_office import close, is_over, taken
from graphwell.backends.blocks.programs import Member, Message
from graphwell.backends.dask.client import require_dask
from graphwell.backends.dask.tasks import DisplacedError

SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_BETWEEN_REPORTS = 0.5
DELIVER = "graphwell_deliver"


def close_everywhere(client: Any, work: str) -> None:
    """Free the workers that still wait for each other."""

    def close_here(work: str, dask_worker: Any) -> None:
        close(work, dask_worker.address)

    client.run(close_here, work, on_error="ignore")


@dataclass
class Post:
    """The letters of one worker to those that it shares some work with.

    Attributes
    ----------
    work : str
        Its name; no other work has it.
    homes : tuple of str
        Address of the worker of each block.
    members : mapping
        The blocks of this worker by number.
    rounds, bytes_sent : int
    seconds_waited : float
    """

    work: str
    homes: tuple[str, ...]
    members: Mapping[int, Member]
    rounds: int = 0
    bytes_sent: int = 0
    seconds_waited: float = 0.0
    _sending: list[Any] = field(default_factory=list)
    _reported: float = 0.0

    def __post_init__(self) -> None:
        self.worker = require_dask().get_worker()
        self.task = self.worker.get_current_task()
        self.here = self.homes[next(iter(self.members))]
        self.others = sorted(set(self.homes) - {self.here})
        heard_from = {source for member in self.members.values() for source in member.sources}
        self.near = {self.homes[source] for source in heard_from}
        if self.worker.address != self.here or is_over(self.work, self.here):
            raise DisplacedError(f"{self.work} was shared with a worker that is gone.")

    def exchange(self, message: Message) -> list[Message]:
        """Send each other worker what it needs, and wait for what is needed here."""
        self.rounds += 1
        self._report(message.done)
        to_all = bool(np.size(message.sums) or np.size(message.peaks))
        for other in self.others:
            pieces = {pair: piece for pair, piece in message.pieces.items() if self.homes[pair[1]] == other}
            if pieces or to_all:
                self._send(other, message._replace(pieces=pieces))
        began = time.perf_counter()
        heard = [self._wait_for(other) for other in self.others if to_all or other in self.near]
        self.seconds_waited += time.perf_counter() - began
        return heard

    def _send(self, other: str, message: Message) -> None:
        self.bytes_sent += sum(piece.nbytes for piece in message.pieces.values()) + np.size(message.sums) * 8
        letter = {
            "work": self.work, "to": other, "sender": self.here, "number": self.rounds,
            "message": require_dask().protocol.to_serialize(message),
        }  # fmt: skip

        async def send() -> None:
            await getattr(self.worker.rpc(other), DELIVER)(**letter, reply=False)

        sent = asyncio.run_coroutine_threadsafe(send(), self.worker.loop.asyncio_loop)
        self._sending = [*(each for each in self._sending if not each.done() or each.exception()), sent]

    def _report(self, done: float) -> None:
        """Tell whoever waits how far the work is; one of the workers does, now and then."""
        now = time.perf_counter()
        if done and self.here == self.homes[0] and now - self._reported > SECONDS_BETWEEN_REPORTS:
            self._reported = now
            self.worker.log_event(self.work, done)

    def _wait_for(self, other: str) -> Message:
        box = (self.work, self.here, other, self.rounds)
        while (message := taken(box, SECONDS_BETWEEN_LOOKS)) is None:
            if is_over(self.work, self.here):
                raise DisplacedError(f"{self.work} was given up.")
            self._check()
        return message

    def _check(self) -> None:
        """Stop waiting where a letter could not be sent, or nobody wants the result any more."""
        if any(sent.done() and sent.exception() for sent in self._sending):
            raise DisplacedError("A worker is gone, and what it kept with it.")
        known = self.worker.state.tasks.get(self.task)
        if known is None or known.state not in ("executing", "long-running"):
            raise DisplacedError(f"Nobody waits for {self.work} any more.")
