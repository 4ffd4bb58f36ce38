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
from typing import Any, TypeVar

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.dask.arrays import RowBlocks, config, lazy
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
from graphwell.progress import Progress, heartbeat, silent

# Times that a fit starts again after a worker was lost; Dask's setting `graphwell.retries` changes it.
RETRIES = 5
SECONDS_BETWEEN_LOOKS = 0.25
# How long to wait for a worker to come back where none is left.
SECONDS_FOR_WORKERS = 30.0
# Before a further round: the scheduler may learn late that a worker is gone.
SECONDS_OF_PATIENCE = 0.5
# Dask would warn of a graph of tasks of 10 MB.
LARGE_GRAPH = {"distributed.admin.large-graph-warning-threshold": "1 GiB"}
Result = TypeVar("Result")


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
        progress: Progress,
        finish: Callable[[list[Any], IntArray], Result],
    ) -> Result:
        """Run a program on workers that hold the rows, again where one is lost.

        There is work for at most so many workers. `job` makes the program of `communicator.member` from the
        numbers of the first rows that they take. `finish` makes what is returned from futures of what each
        worker keeps, and these numbers.
        """
        retries, lost = int(config().get("graphwell.retries", RETRIES)), 0
        while True:
            try:
                return self._round(source, most, job, progress, finish)
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

    def _round(self, source: RowBlocks, most: int, job: Any, progress: Progress, finish: Any) -> Any:
        name, addresses = secrets.token_hex(8), sorted(self.workers())[:most]
        first_blocks = _even_shares(source.starts, len(addresses))
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
            self._watch(members, addresses, name, progress)
            self.client.run_on_scheduler(_let_others, [future.key for future in members])
            found = finish(members, first_rows)
            del futures[-len(members) :]  # what the workers keep goes with what was made of it
            return found
        except Exception as error:
            if self.client.status in ("closing", "closed"):  # Dask's own errors then depend on the moment
                raise cut_off() from error
            raise
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
        with config().set(LARGE_GRAPH), told_if_cut_off():
            return list(self.client.compute(list(tasks), **where))

    def _watch(
        self, futures: Sequence[Any], addresses: Sequence[str], name: str = "", progress: Progress = silent
    ) -> None:
        """Wait for tasks of these workers, and pass on what the first worker reports of a round."""
        done = False
        while not done:
            done = _finished(futures)
            if not done and set(addresses) - set(self.workers()):
                raise WorkerLostError("A worker is gone.")
            for stage, share in self._run(addresses[:1], take_reports, name)[0] if name else ():
                progress(stage, share)
            if not done:
                _wait(futures, "FIRST_COMPLETED")

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
            raise WorkerLostError(
                f"A task of the fit killed its worker again and again ({error.task}); "
                "most likely the workers have too little memory: give fewer rows, or larger workers."
            ) from error
        raise error
    return all(future.status == "finished" for future in futures)


def _even_shares(starts: IntArray, n_workers: int) -> IntArray:
    """Number of the first block of each worker, and of all: blocks that follow each other, as many rows each.

    Examples
    --------
    >>> _even_shares(np.array([0, 2, 4, 6, 12]), 2)
    array([0, 3, 4])
    """
    middles = (starts[:-1] + starts[1:]) / 2
    return np.searchsorted(middles * n_workers / starts[-1], np.arange(n_workers + 1))


def _let_others(keys: list[str], dask_scheduler: Any) -> None:
    """Let tasks run again elsewhere, where they say what was lost; Dask would wait for their worker."""
    for key in set(keys) & set(dask_scheduler.tasks):
        dask_scheduler.tasks[key].loose_restrictions = True
