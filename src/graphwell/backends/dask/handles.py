"""What tasks return, before and after they run; Dask arrays made of it. The only module that imports `dask`.

A `Handle` stands for what a task will return, or has returned, on a worker. Tasks that depend on each other
are handed to Dask together as one graph; the dashboard shows their names, ``graphwell-sweep`` say.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell.backends.dask.client import require_dask

LARGE_GRAPH = "1 GiB"
"""Labels and offsets travel with the tasks, so that Dask can run these again; it would warn of 10 MB."""
MESSAGES_KEPT = 10
"""Of each connection of a scheduler, for whoever looks for an error of Dask; it would keep a thousand."""


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
    original : Handle, optional
        What it is a copy of, on the worker that made it.
    inside : bool
        Whether tasks that need it run it themselves: it is little work, and a task takes milliseconds.
    """

    key: Any
    task: tuple[Any, ...] | None = None
    graph: Mapping[Any, Any] | None = None
    home: str | None = None
    future: Any = None
    spare: "Handle | None" = None
    original: "Handle | None" = None
    inside: bool = False


def graph_of(handles: Sequence[Handle], homes: dict[Any, str] | None = None) -> dict[Any, Any]:
    """The Dask graph of these tasks and of all that they wait for; `homes` is told where they should run."""
    graph: dict[Any, Any] = {}
    waiting = list(handles)

    def plain(value: Any) -> Any:
        if isinstance(value, Handle):
            if value.future is not None:
                return value.future
            if value.inside and value.task is not None:
                return tuple(plain(part) for part in value.task)
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


def with_homes(handles: Sequence[Handle]) -> Any:
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
def short_logs() -> Iterator[None]:
    """Have a cluster that starts here keep few of its messages: they hold labels and the vectors of tasks."""
    import dask

    with dask.config.set({"distributed.admin.low-level-log-length": MESSAGES_KEPT}):
        yield


@contextmanager
def large_graphs() -> Iterator[None]:
    """Let large graphs of tasks pass without a warning."""
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
