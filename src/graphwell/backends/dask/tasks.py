"""Tasks on the workers of a Dask client. The only module that imports Dask.

A `Handle` stands for what a task will return, or has returned, on a worker. Tasks that depend on each other
are handed to Dask together as one graph; the dashboard shows their names, ``graphwell-sweep`` say.
"""

import asyncio
import concurrent.futures
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import getitem
from typing import Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.progress import heartbeat, tell

CONNECT_SECONDS = 10
SECONDS_BETWEEN_LOOKS = 0.5
"""After so long without a result, look whether a worker is gone."""
SECONDS_FOR_WORKERS = 60.0
"""How long to wait for a worker to come back where none is left."""
CUT_OFF = ("CancelledError", "ClosedClientError", "FutureCancelledError", "FuturesCancelledError")
"""What Dask's versions call their errors about a client that is closed."""
LARGE_GRAPH = "1 GiB"
"""Labels and offsets travel with the tasks, so that Dask can run these again; it would warn of 10 MB."""


class DisplacedError(RuntimeError):
    """What a task needs from the one before it is not in the memory of its worker."""


def require_dask() -> Any:
    """Return Dask's `distributed`, or say how to install it."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            'A fit on a cluster needs Dask, which is not installed: pip install "graphwell[dask]"'
        ) from error
    return distributed


def connected_client() -> Any:
    """Return the Dask client in use, which must be connected."""
    distributed = require_dask()
    if _inside_a_task(distributed):
        raise ValueError(
            "X is a Dask array and this is a Dask task already, which would wait for itself; "
            "fit from the client, or give X.compute()."
        )
    try:
        client = distributed.get_client()
    except ValueError as error:
        raise ValueError(
            "X is a Dask array but there is no Dask client; start one first: "
            "from dask.distributed import Client; client = Client()."
        ) from error
    if client.status != "running":
        raise ValueError(
            f"The Dask client is not connected (its status is {client.status}); "
            "connect it to a running scheduler."
        )
    if not workers_of(client):
        raise ValueError("The Dask cluster has no workers; start at least one, or wait until one has joined.")
    return client


def workers_of(client: Any) -> dict[str, Any]:
    """The workers that a client can use, by their address.

    The client asks the scheduler every other second, without the workers, and may put that answer in the
    place of this one; how many workers there are is part of both.
    """
    while True:
        found = client.scheduler_info(n_workers=-1)
        if len(found["workers"]) == found.get("n_workers", len(found["workers"])):
            return dict(found["workers"])


def _inside_a_task(distributed: Any) -> bool:
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


@contextmanager
def open_client(where: str, n_workers: int) -> Iterator[Any]:
    """Connect to the scheduler at an address, or start processes here: `n_workers`, or 4 for "local:4"."""
    distributed = require_dask()
    kind, _, number = where.partition(":")
    if kind == "local":
        n_workers = _process_count(where, number) if number else n_workers
        with (
            distributed.LocalCluster(
                n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=40
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    if "://" not in where:
        raise _no_cluster(where)
    try:
        client = distributed.Client(where, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        problem = "{field} {}: no Dask scheduler answers there; start one with: dask scheduler."
        raise OptionError("cluster", problem, where) from error
    with client:
        yield client


def _process_count(where: str, number: str) -> int:
    if not number.isdecimal() or int(number) < 1:
        raise _no_cluster(where)
    return int(number)


def _no_cluster(where: str) -> OptionError:
    problem = (
        "{field} must be local, local:4 for four processes here, or an address such as tcp://host:8786; "
        "got {!r}."
    )
    return OptionError("cluster", problem, where)


@dataclass(eq=False)
class Handle:
    """What a task returns, on a worker.

    Attributes
    ----------
    key : hashable
        The name of the task.
    task : tuple, optional
        A function and its arguments, handles among them; None for a task of another graph.
    graph : mapping
        The graph that holds the task where it is another's.
    home : str, optional
        Address of the worker that should run it; another does where that one is gone.
    future : distributed.Future, optional
        Once the task has been started; while it lives, Dask keeps the result.
    spare : Handle, optional
        A second copy on another worker, which Dask makes the result from again.
    """

    key: Any
    task: tuple[Any, ...] | None = None
    graph: Mapping[Any, Any] | None = None
    home: str | None = None
    future: Any = None
    spare: "Handle | None" = None


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
        self.share_done: float | None = None
        self.priority = 0

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
        waiting = [handle for handle in handles if handle.future is None]
        if waiting:
            with _large_graphs(), _told_if_cut_off():
                keys = [handle.key for handle in waiting]
                graph = _with_homes(waiting)
                futures = self.client.get(graph, keys, sync=False, priority=self.priority)
            for handle, future in zip(waiting, futures, strict=True):
                handle.future, handle.task, handle.graph = future, None, None
        return list(handles)

    def results(self, handles: Sequence[Handle], *, at_home: bool = False) -> list[Any]:
        """Run tasks and fetch what they return, in order; `at_home` as in `wait`."""
        coming = self._gathering(self.wait(handles, at_home=at_home))
        try:
            while concurrent.futures.wait([coming], SECONDS_BETWEEN_LOOKS).not_done:
                self._look_around(at_home=at_home)
            with _told_if_cut_off():
                return list(coming.result())
        finally:
            coming.cancel()

    def _gathering(self, handles: Sequence[Handle]) -> "concurrent.futures.Future[list[Any]]":
        """Results on their way here; a worker that dies now can keep them from coming."""
        coming = self.client.gather([handle.future for handle in handles], asynchronous=True)
        return asyncio.run_coroutine_threadsafe(coming, self.client.loop.asyncio_loop)

    def doubled(self, handles: Sequence[Handle]) -> list[Handle]:
        """Keep what tasks of each block return on two workers."""
        spares = self.each("spare", given, handles)
        for spare, home in zip(spares, _others(self.homes), strict=True):
            spare.home = home
        doubled = self.each("rows", given, self.keep(spares))
        for handle, spare in zip(doubled, spares, strict=True):
            handle.spare = spare
        return self.keep(doubled)

    def wait(self, handles: Sequence[Handle], *, at_home: bool = False) -> list[Handle]:
        """Wait until tasks are done; what one of them raises is raised here.

        With `at_home`, `DisplacedError` if a worker that has a block is gone meanwhile: then something may be
        gone that Dask cannot make again.
        """
        futures = [handle.future for handle in self.keep(handles)]
        while not self._done(futures) and all(future.status != "error" for future in futures):
            self._look_around(at_home=at_home)
        for future in sorted(futures, key=_is_displaced):
            if future.status == "error":
                with _told_if_cut_off():
                    future.result()
            if future.status == "cancelled":
                raise _cut_off()
        return list(handles)

    def _look_around(self, *, at_home: bool) -> None:
        """Say so where no worker is left and none comes back, or where one that has a block is gone."""
        heartbeat()
        self._check_connected()
        workers = self._some_workers()
        if at_home and set(self.homes) - set(workers):
            raise DisplacedError("A worker is gone, and what it kept with it.")
        if self.share_done is not None:
            tell(self.share_done)

    def answer_to(self, name: str, handler: Callable[..., None]) -> None:
        """Have all workers, and those that will come, take messages of this name for a function."""
        if name in self.answered:
            return
        from distributed import WorkerPlugin

        class Handler(WorkerPlugin):
            idempotent = True

            def setup(self, worker: Any) -> None:
                worker.handlers[name] = handler

        self.client.register_plugin(Handler(), name=f"graphwell-{name}")
        self.answered.add(name)

    @contextmanager
    def told_of(self, topic: str) -> Iterator[None]:
        """Pass on what workers say of the share that is done, while the tasks of the block are waited for."""
        self._check_connected()
        with _told_if_cut_off():
            self.client.subscribe_topic(topic, self._hear)
        try:
            yield
        finally:
            self.share_done = None
            if self.client.status == "running":
                self.client.unsubscribe_topic(topic)

    def _hear(self, event: tuple[float, float]) -> None:
        self.share_done = event[1]

    def _done(self, futures: Sequence[Any]) -> bool:
        """Wait for a moment; whether all tasks are done."""
        self._check_connected()
        with _told_if_cut_off():
            try:
                require_dask().wait(futures, timeout=SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                return False
        return all(future.status != "lost" for future in futures)

    def _check_connected(self) -> None:
        if self.client.status != "running":
            raise _cut_off()

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

    def memory(self) -> float:
        """Bytes of memory that all workers have together; infinite where one has no limit."""
        limits = [worker.get("memory_limit") or np.inf for worker in self.workers().values()]
        return float(sum(limits))

    def n_threads(self) -> int:
        """Threads that every worker has."""
        return min((int(worker["nthreads"]) for worker in self.workers().values()), default=1)


def _is_displaced(future: Any) -> bool:
    return future.status == "error" and isinstance(future.exception(), DisplacedError)


def graph_of(handles: Sequence[Handle], homes: dict[Any, str] | None = None) -> dict[Any, Any]:
    """The Dask graph of these tasks and of all that they wait for; `homes` is told where they should run."""
    graph: dict[Any, Any] = {}
    waiting = list(handles)

    def plain(value: Any) -> Any:
        if isinstance(value, Handle):
            if value.future is not None:
                return value.future
            waiting.append(value)
            return value.key
        return [plain(item) for item in value] if isinstance(value, list) else value

    while waiting:
        handle = waiting.pop()
        if handle.graph is not None:
            graph.update(handle.graph)
        elif handle.key not in graph and handle.future is None and handle.task is not None:
            graph[handle.key] = tuple(plain(part) for part in handle.task)
            if homes is not None and handle.home is not None:
                homes[handle.key] = handle.home
    return graph


def _with_homes(handles: Sequence[Handle]) -> Any:
    """The graph of these tasks in layers, one for each worker that tasks should run on."""
    from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

    homes: dict[Any, str] = {}
    layers: dict[str, dict[Any, Any]] = {}
    for key, task in graph_of(handles, homes).items():
        layers.setdefault(homes.get(key, ""), {})[key] = task
    marked = {
        f"graphwell-layer-{home}": MaterializedLayer(
            tasks, annotations={"workers": [home], "allow_other_workers": True} if home else None
        )
        for home, tasks in layers.items()
    }
    return HighLevelGraph(marked, {name: set() for name in marked})


@contextmanager
def _told_if_cut_off() -> Iterator[None]:
    """Turn Dask's errors about lost workers and lost clients into sentences."""
    distributed = require_dask()
    try:
        yield
    except distributed.KilledWorker as error:
        raise OSError(
            f"A task of the fit killed its worker again and again ({error.task}); "
            "most likely the workers have too little memory: give fewer rows, or larger workers."
        ) from error
    except Exception as error:
        if type(error).__name__ in CUT_OFF:
            raise _cut_off() from error
        raise


def _cut_off() -> OSError:
    return OSError(
        "The Dask client was closed, or lost its scheduler, while the fit was under way; nothing was fitted."
    )


def given(value: Any) -> Any:
    """What a task is given, on the worker that it runs on."""
    return value


def _others(homes: Sequence[str]) -> list[str]:
    """For each home the next one after it, if there is another."""
    different = sorted(set(homes))
    return [different[(different.index(home) + 1) % len(different)] for home in homes]


@contextmanager
def _large_graphs() -> Iterator[None]:
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGE_GRAPH}):
        yield


def blocks_of(X: Any) -> list[Handle]:
    """The blocks of rows of a Dask array as tasks."""
    import dask

    futures = {future.key: future for future in require_dask().futures_of(X)}
    (X,) = dask.optimize(X)
    graph = dict(X.__dask_graph__())
    keys = [key[0] if X.ndim == 2 else key for key in X.__dask_keys__()]
    return [Handle(key, graph=graph, future=futures.get(key)) for key in keys]


def array_of(blocks: Sequence[Handle], lengths: Sequence[int], width: int | None, dtype: Any) -> Any:
    """A Dask array from its blocks of rows; one value per row if `width` is None."""
    import dask.array as da

    name = f"graphwell-array-{secrets.token_hex(8)}"
    columns = () if width is None else (0,)
    graph = graph_of(blocks)
    for number, block in enumerate(blocks):
        graph[(name, number, *columns)] = block.key if block.future is None else block.future
    chunks = (tuple(lengths),) if width is None else (tuple(lengths), (width,))
    return da.Array(graph, name, chunks, meta=np.empty((0,) * len(chunks), dtype))


def as_dask_array(X: Any) -> Any:
    """Rows as a Dask array."""
    import dask.array as da

    return X if isinstance(X, da.Array) else da.from_array(np.asarray(X))
