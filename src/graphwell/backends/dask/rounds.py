"""A program on every worker of a Dask cluster: begun, watched, ended, and begun again where a worker is lost.

In a round, the workers take the blocks of the rows, as many rows each, and then run one long task each. A
lost worker ends the round; the blocks are read anew by those that are left, and the program starts again.
"""

import asyncio
import concurrent.futures
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from typing import Any, TypeVar

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.dask.arrays import RowBlocks, lazy, setting, settings
from graphwell.backends.dask.client import cut_off, forget_messages, require_dask, told_if_cut_off, workers_of
from graphwell.backends.dask.communicator import (
    WorkerLostError,
    close_round,
    member,
    open_round,
    take_block,
    take_reports,
)
from graphwell.backends.dask.search import FewerWorkersError
from graphwell.errors import warn_user
from graphwell.progress import heartbeat

# Times that a fit starts again after a worker was lost; Dask's setting `graphwell.retries` changes it.
RETRIES = 5
SECONDS_BETWEEN_LOOKS = 0.25
# How long to wait for a worker to come back where none is left.
SECONDS_FOR_WORKERS = 30.0
# Before a further round: the scheduler may learn late that a worker is gone.
SECONDS_OF_PATIENCE = 0.5
Result = TypeVar("Result")
# Told what the workers report (`communicator.Report`); what it returns answers a step.
Hear = Callable[..., Any]


class Cluster:
    """The workers of a Dask client."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def workers(self) -> dict[str, Any]:
        """The workers by their address; waits for one to come back where all are gone."""
        deadline = time.monotonic() + SECONDS_FOR_WORKERS
        while True:
            heartbeat()
            self._check_connected()
            with told_if_cut_off():
                if found := workers_of(self.client):
                    return found
            if time.monotonic() > deadline:
                raise OSError(
                    "All workers of the Dask cluster are gone, and none came back in "
                    f"{SECONDS_FOR_WORKERS:.0f} s."
                )
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def everywhere(
        self,
        source: RowBlocks,
        most: int,
        job: Callable[[IntArray], Any],
        hear: Hear,
        finish: Callable[[list[Any], IntArray], Result],
    ) -> Result:
        """Run a program on workers that hold the rows, again where one is lost.

        There is work for at most so many workers. `job` makes the program of `communicator.member` from the
        numbers of the first rows that they take. `finish` makes what is returned from futures of what each
        worker keeps, and these numbers.
        """
        retries, lost = int(setting("retries", RETRIES)), 0
        while True:
            try:
                return self._round(source, most, job, hear, finish)
            except FewerWorkersError as error:
                most = error.args[0]
            except WorkerLostError:
                self._check_connected()
                time.sleep(SECONDS_OF_PATIENCE)
                left, lost = len(self.workers()), lost + 1
                if lost > retries:
                    raise RuntimeError(
                        f"Workers were lost {lost} times during one fit; the cluster is not stable enough to "
                        "go on, or its workers have too little memory."
                    ) from None
                warn_user(
                    f"A worker of the Dask cluster was lost; the fit starts again on {left} "
                    f"worker{'s' if left > 1 else ''} (retry {lost} of {retries})."
                )

    def _round(self, source: RowBlocks, most: int, job: Any, hear: Hear, finish: Any) -> Any:
        name, addresses = secrets.token_hex(8), sorted(self.workers())[:most]
        first_blocks = _even_shares(source.starts, len(addresses), whole=source.affinities)
        addresses = addresses[: len(first_blocks) - 1]
        first_rows = source.starts[first_blocks]
        pickled = require_dask().protocol.pickle.dumps(job(first_rows))
        futures: list[Any] = []
        try:
            self._run(addresses, open_round, name, addresses, pickled)
            for rank, address in enumerate(addresses):
                own = range(first_blocks[rank], first_blocks[rank + 1])
                tasks = [lazy(take_block, source.blocks[b], source.readers[b], name, b) for b in own]
                futures += self.started(tasks, workers=[address], allow_other_workers=False)
            self._watch(futures, addresses)
            members = [
                self.client.submit(
                    member, name, rank, workers=[address],
                    key=f"graphwell-fit-{name}-{rank}", pure=False,
                )
                for rank, address in enumerate(addresses)
            ]  # fmt: skip
            futures += members
            self._watch(members, addresses, name, hear)
            self.client.run_on_scheduler(_let_others, [future.key for future in members])
            return finish(members, first_rows)
        finally:
            for future in futures:  # an error that is kept would keep them
                future.release()
            if self.client.status == "running":
                left = [address for address in addresses if address in workers_of(self.client)]
                self.client.run(close_round, name, workers=left, on_error="ignore")

    def _run(self, addresses: Sequence[str], function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Have workers do something at once, whatever else they do."""
        with told_if_cut_off():
            found = self.client.run(function, *arguments, workers=list(addresses), on_error="return")
        if any(isinstance(found.get(address, WorkerLostError()), Exception) for address in addresses):
            raise WorkerLostError("A worker does not answer.")
        return [found[address] for address in addresses]

    def started(self, tasks: Sequence[Any], **where: Any) -> list[Any]:
        """Start tasks; return their futures."""
        forget_messages(self.client)
        with settings(), told_if_cut_off():
            return list(self.client.compute(list(tasks), **where))

    def _watch(
        self, futures: Sequence[Any], addresses: Sequence[str], name: str = "", hear: Hear | None = None
    ) -> None:
        """Wait for tasks of these workers, and pass on what the first worker reports."""
        answers: list[Any] = []
        while not _finished(futures):
            if set(addresses) - set(self.workers()):
                raise WorkerLostError("A worker is gone.")
            if hear is not None:
                (reports,) = self._run(addresses[:1], take_reports, name, answers)
                found = [(step, hear(step, told)) for step, told in reports]
                answers = [answer for step, answer in found if step is not None]
            if not answers:
                _wait(futures, "FIRST_COMPLETED")
        if hear is not None and not any(future.status == "error" for future in futures):
            for report in self._run(addresses[:1], take_reports, name, answers)[0]:
                hear(*report)

    def each(self, futures: Sequence[Any], function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Futures of a function of what lies on the workers; done there."""
        return [self.client.submit(function, future, *arguments, pure=False) for future in futures]

    def fetched(self, futures: Sequence[Any]) -> list[Any]:
        """Results of tasks; Dask computes those of a lost worker again, or says that it cannot."""
        while True:
            while not _finished(futures):
                self.workers()
                _wait(futures)
            coming = asyncio.run_coroutine_threadsafe(
                self.client.gather(list(futures), asynchronous=True), self.client.loop.asyncio_loop
            )
            try:
                while all(future.status == "finished" for future in futures):
                    if concurrent.futures.wait([coming], SECONDS_BETWEEN_LOOKS).done:
                        with told_if_cut_off():
                            return list(coming.result())
                    self.workers()
            finally:
                coming.cancel()

    def copied(self, futures: Sequence[Any]) -> list[Any]:
        """Copies of what tasks return, each on another worker where there is one.

        A copy has a key of its own: of replicas of one key Dask's memory manager keeps any one. For the same
        reason what was brought along to make a copy is dropped there at once.
        """
        workers = list(self.workers())
        self._watch(futures, workers)
        with told_if_cut_off():
            holders = self.client.who_has(list(futures))
        copies = []
        for future in futures:
            others = [address for address in workers if address not in holders.get(future.key, ())]
            copies.append(self.client.submit(copy, future, pure=False, workers=others or None))
        self._watch(copies, workers)
        self.client.run_on_scheduler(_let_others, [future.key for future in copies])
        pairs = [(future.key, made.key) for future, made in zip(futures, copies, strict=True)]
        self.client.run_on_scheduler(_keep_apart, pairs)
        return copies

    def results(self, tasks: Sequence[Any]) -> list[Any]:
        """Run tasks on any workers, and fetch what they return."""
        return self.fetched(self.started(tasks))

    def _check_connected(self) -> None:
        if self.client.status != "running":
            raise cut_off()

    def resources(self) -> tuple[int, float]:
        """Threads that every worker has, and bytes of memory of all; infinite where one has no limit."""
        workers = self.workers().values()
        memory = float(sum(worker.get("memory_limit") or np.inf for worker in workers))
        return min(int(worker["nthreads"]) for worker in workers), memory


def _wait(futures: Sequence[Any], how: str = "ALL_COMPLETED") -> None:
    """Wait a moment for tasks that are not done."""
    left = [future for future in futures if future.status in ("pending", "lost")]
    with told_if_cut_off(), suppress(TimeoutError):
        require_dask().wait(left, timeout=SECONDS_BETWEEN_LOOKS, return_when=how)


def _finished(futures: Sequence[Any]) -> bool:
    """Whether all tasks are done; an error of one is raised at once, one about a lost worker last."""
    errors = []
    for future in futures:
        if future.status == "cancelled":
            raise cut_off()
        if future.status == "error":
            with told_if_cut_off():
                errors.append(future.exception())
    lost = (WorkerLostError, require_dask().KilledWorker)
    for error in sorted(errors, key=lambda error: isinstance(error, lost)):
        if isinstance(error, require_dask().KilledWorker):
            raise WorkerLostError(str(error)) from error
        raise error
    return all(future.status == "finished" for future in futures)


def _even_shares(starts: IntArray, n_workers: int, *, whole: bool) -> IntArray:
    """Number of the first block of each worker, and of all: blocks that follow each other, as many rows each.

    Where the rows stay where they are taken, no worker is without any.

    Examples
    --------
    >>> _even_shares(np.array([0, 2, 4, 6, 12]), 2, whole=True)
    array([0, 3, 4])
    >>> _even_shares(np.array([0, 12]), 2, whole=False)
    array([0, 0, 1])
    """
    middles = (starts[:-1] + starts[1:]) / 2
    worker_of = np.floor(middles * n_workers / starts[-1]).astype(int)
    if whole:
        worker_of = np.unique(worker_of, return_inverse=True)[1]
        n_workers = int(worker_of[-1]) + 1
    return np.searchsorted(worker_of, np.arange(n_workers + 1))


def _let_others(keys: list[str], dask_scheduler: Any) -> None:
    """Let tasks run again elsewhere, where they say what was lost; Dask would wait for their worker."""
    for key in set(keys) & set(dask_scheduler.tasks):
        dask_scheduler.tasks[key].loose_restrictions = True


def _keep_apart(pairs: list[tuple[str, str]], dask_scheduler: Any) -> None:
    """Drop replicas of tasks on workers that hold a copy of them."""
    tasks = dask_scheduler.tasks
    for key, made in pairs:
        for worker in tasks[key].who_has & tasks[made].who_has if len(tasks[key].who_has) > 1 else ():
            dask_scheduler.request_remove_replicas(worker.address, [key], stimulus_id="graphwell")
