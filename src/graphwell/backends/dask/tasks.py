"""Tasks on the workers of a Dask client: started, waited for, and fetched, while workers come and go."""

import asyncio
import concurrent.futures
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import getitem
from typing import Any
from weakref import ref

import numpy as np

from graphwell.backends.dask.client import cut_off, forget_messages, require_dask, told_if_cut_off, workers_of
from graphwell.backends.dask.handles import Handle, large_graphs, with_homes
from graphwell.errors import Sentence, with_sentence
from graphwell.memory import in_words
from graphwell.progress import heartbeat, tell

SECONDS_BETWEEN_LOOKS = 0.5
"""After so long without a result, look whether a worker is gone."""
SECONDS_FOR_WORKERS = 60.0
"""How long to wait for a worker to come back where none is left."""


class DisplacedError(RuntimeError):
    """What a task needs from the one before it is not in the memory of its worker."""


class Tasks:
    """Starts the tasks of one fit.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.run = secrets.token_hex(4)
        self.named = 0
        self.homes: list[str] = []
        self.efforts: list[Any] = []
        self.answered: set[str] = set()
        self.priority = 0
        self._put_off: list[ref[Handle]] = []
        self._let_go: list[Handle] = []

    def settle(self, n_blocks: int) -> None:
        """Give each block a worker to live on: neighbouring blocks live together."""
        workers = self._some_workers()
        self.homes = [workers[p * len(workers) // n_blocks] for p in range(n_blocks)]

    def _some_workers(self) -> list[str]:
        """Addresses of the workers; waits for one to come back where all are gone."""
        deadline = time.monotonic() + SECONDS_FOR_WORKERS
        while not (workers := sorted(self.workers())):
            if time.monotonic() > deadline:
                raise OSError(
                    "All workers of the Dask cluster are gone, and none came back in "
                    f"{SECONDS_FOR_WORKERS:.0f} s."
                )
            heartbeat()
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return workers

    def new_name(self) -> str:
        """A name that no other part of any run has."""
        self.named += 1
        return f"{self.run}-{self.named}"

    def lazy(self, name: str, function: Callable[..., Any], *arguments: Any) -> Handle:
        """Return a task that runs once something asks for it."""
        return Handle(f"graphwell-{name}-{self.new_name()}", (function, *arguments))

    def each(
        self,
        name: str,
        function: Callable[..., Any],
        *columns: Iterable[Any],
        **same: Any,
    ) -> list[Handle]:
        """One lazy task per block; a column holds one argument for each, `same` is given to all by name."""
        function = partial(function, **same) if same else function
        handles = [self.lazy(name, function, *arguments) for arguments in zip(*columns, strict=True)]
        if len(handles) == len(self.homes):
            for handle, home in zip(handles, self.homes, strict=True):
                handle.home = home
        return handles

    def keep(self, handles: Sequence[Handle]) -> list[Handle]:
        """Start tasks, and keep their results on the workers as long as the handles live."""
        waiting = _not_started(handles)
        if waiting:
            later, self._put_off = [handle() for handle in self._put_off], []
            waiting = list({id(each): each for each in [*waiting, *_not_started(later)]}.values())
            with large_graphs(), told_if_cut_off():
                keys = [handle.key for handle in waiting]
                graph = with_homes(waiting)
                forget_messages(self.client)
                futures = self.client.get(graph, keys, sync=False, priority=self.priority)
            for handle, future in zip(waiting, futures, strict=True):
                handle.future, handle.task, handle.graph = future, None, None
            self._let_go.clear()
        return list(handles)

    def put_off(self, handles: Sequence[Handle]) -> list[Handle]:
        """Keep results as `keep` does, but start the tasks with the next that are started: in one graph."""
        self._put_off.extend(map(ref, handles))
        return list(handles)

    def let_go(self, handles: Sequence[Handle]) -> None:
        """Forget handles after the next tasks were started: a message about it would hold these up."""
        self._let_go.extend(handles)

    def results(
        self, handles: Sequence[Handle], *, at_home: bool = False, topic: str | None = None
    ) -> list[Any]:
        """Run tasks and fetch what they return, in order; `at_home` and `topic` as in `wait`."""
        coming = self._gathering(self.wait(handles, at_home=at_home, topic=topic))
        try:
            while concurrent.futures.wait([coming], SECONDS_BETWEEN_LOOKS).not_done:
                self._look_around(at_home=at_home)
            with told_if_cut_off():
                return list(coming.result())
        finally:
            coming.cancel()

    def _gathering(self, handles: Sequence[Handle]) -> "concurrent.futures.Future[list[Any]]":
        """Results on their way here; a worker that dies now can keep them from coming."""
        coming = self.client.gather([handle.future for handle in handles], asynchronous=True)
        return asyncio.run_coroutine_threadsafe(coming, self.client.loop.asyncio_loop)

    def doubled(self, handles: Sequence[Handle]) -> list[Handle]:
        """Keep what tasks of each block return on two workers."""
        return self.keep(self.copied(handles))

    def copied(self, handles: Sequence[Handle]) -> list[Handle]:
        """Lazy tasks that bring what those of each block return to another worker, and back from there."""
        spares = self.each("spare", given, handles)
        for spare, home in zip(spares, _others(self.homes), strict=True):
            spare.home = home
        copies = self.each("rows", given, spares)
        for copy, spare in zip(copies, spares, strict=True):
            copy.spare = spare
        return copies

    def wait(
        self, handles: Sequence[Handle], *, at_home: bool = False, topic: str | None = None
    ) -> list[Handle]:
        """Wait until tasks are done; what one of them raises is raised here.

        With `at_home`, `DisplacedError` if a worker that has a block is gone meanwhile: then something may be
        gone that Dask cannot make again. Under `topic` workers say which share is done, which is passed on.
        """
        futures = [handle.future for handle in self.keep(handles)]
        while not self._done(futures) and all(future.status != "error" for future in futures):
            self._look_around(at_home=at_home)
            self._pass_on(topic)
        for future in sorted(futures, key=_is_displaced):
            if future.status == "error":
                with told_if_cut_off():
                    future.result()
            if future.status == "cancelled":
                raise cut_off()
        return list(handles)

    def _look_around(self, *, at_home: bool) -> None:
        """Say so where no worker is left and none comes back, or where one that has a block is gone."""
        heartbeat()
        self._check_connected()
        workers = self._some_workers()
        if at_home and set(self.homes) - set(workers):
            raise DisplacedError("A worker is gone, and what it kept with it.")

    def _pass_on(self, topic: str | None) -> None:
        """Tell how far the work is, as the workers said last."""
        with told_if_cut_off():
            events = self.client.get_events(topic) if topic else ()
        if events:
            tell(events[-1][1])

    def answer_to(self, name: str, handler: Callable[..., None]) -> None:
        """Have all workers, and those that will come, take messages of this name for a function."""
        if name in self.answered:
            return

        class Handler(require_dask().WorkerPlugin):  # type: ignore[misc]
            idempotent = True

            def setup(self, worker: Any) -> None:
                worker.handlers[name] = handler

        self.client.register_plugin(Handler(), name=f"graphwell-{name}")
        self.answered.add(name)

    def _done(self, futures: Sequence[Any]) -> bool:
        """Wait for a moment; whether all tasks are done."""
        self._check_connected()
        with told_if_cut_off():
            try:
                require_dask().wait(futures, timeout=SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                return False
        return all(future.status != "lost" for future in futures)

    def _check_connected(self) -> None:
        if self.client.status != "running":
            raise cut_off()

    def exchange(
        self,
        name: str,
        pieces: Sequence[Handle],
        receivers: int,
        assemble: Callable[..., Any],
        *columns: Any,
        **same: Any,
    ) -> list[Handle]:
        """Send piece `q` of every list of pieces to receiver `q`, which assembles them.

        ``assemble(list of pieces, *arguments)`` has one argument of each column, and those by name.
        """
        parts = [
            [self.lazy(f"{name}-piece", getitem, piece, receiver) for piece in pieces]
            for receiver in range(receivers)
        ]
        return self.each(name, assemble, parts, *columns, **same)

    def workers(self) -> dict[str, Any]:
        """The workers by their address."""
        return workers_of(self.client)

    def ask_workers(self, question: Callable[..., None], *arguments: Any) -> None:
        """Have every worker do something small; what one of them raises is raised here, with its address."""
        answers = self.client.run(question, *arguments, on_error="return")
        for address, answer in answers.items():
            if isinstance(answer, Exception):
                said = getattr(answer, "sentence", Sentence("{}", (answer,)))
                raise with_sentence(type(answer), f"Worker {{}}: {said.template}", address, *said.values)

    def memory(self) -> float:
        """Bytes of memory that all workers have together; infinite where one has no limit."""
        limits = [worker.get("memory_limit") or np.inf for worker in self.workers().values()]
        return float(sum(limits))

    def check_memory(self, what: str, need: float) -> None:
        """Refuse what needs more memory than all workers have together."""
        if need > (there := self.memory()):
            raise ValueError(
                f"{what} needs about {in_words(need)} of memory, but the workers of the Dask cluster have "
                f"{in_words(there)} together; give more workers, or larger ones."
            )

    def n_threads(self) -> int:
        """Threads that every worker has."""
        return min((int(worker["nthreads"]) for worker in self.workers().values()), default=1)


def _not_started(handles: Iterable[Handle | None]) -> list[Handle]:
    """Tasks that have not been started, of these, their spares and their originals."""
    every = [each for handle in handles if handle for each in (handle, handle.spare, handle.original)]
    return [each for each in every if each is not None and each.future is None]


def _is_displaced(future: Any) -> bool:
    return future.status == "error" and isinstance(future.exception(), DisplacedError)


def given(value: Any) -> Any:
    """What a task is given, on the worker that it runs on."""
    return value


def _others(homes: Sequence[str]) -> list[str]:
    """For each home the next one after it, if there is another."""
    different = sorted(set(homes))
    return [different[(different.index(home) + 1) % len(different)] for home in homes]
