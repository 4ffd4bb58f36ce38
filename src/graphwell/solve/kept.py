"""What depends on a graph alone, kept between the fits of it.

An engine is a graph laid out for the sweeps. Whoever fits one graph again and again holds `KeptEngine` open
around the fits: the engine is then built once, and with it all that is `found_once`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from graphwell.backends.base import Backend, Engine, PlacedGraph

Found = TypeVar("Found")


class KeptEngine:
    """The engine of the graph that was fitted last.

    Examples
    --------
    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> graph, kept = Graph.from_affinity([[0, 1], [1, 0]]), KeptEngine()
    >>> with kept.open():
    ...     first = engine_of(find_backend(), graph, 2.0)[1]
    >>> with kept.open():
    ...     engine_of(find_backend(), graph, 2.0)[1] is first
    True
    """

    def __init__(self) -> None:
        self._graph: PlacedGraph | None = None
        self._kind: tuple[Any, ...] = ()
        self._made: tuple[PlacedGraph, Engine] | None = None

    @contextmanager
    def open(self) -> Iterator[None]:
        """Let the fits inside the block take this engine, and leave theirs."""
        token = _kept.set(self)
        try:
            yield
        finally:
            _kept.reset(token)

    def of(self, backend: Backend, graph: PlacedGraph, sharpness: float) -> tuple[PlacedGraph, Engine]:
        """The engine of this graph; that of another one is forgotten."""
        kind = (backend.name, getattr(backend, "n_jobs", None), sharpness)
        if self._made is None or self._graph is not graph or self._kind != kind:
            self._graph, self._kind, self._made = graph, kind, _built(backend, graph, sharpness)
        return self._made


_kept: ContextVar[KeptEngine | None] = ContextVar("kept engine", default=None)


def engine_of(backend: Backend, graph: PlacedGraph, sharpness: float) -> tuple[PlacedGraph, Engine]:
    """A graph with every affinity raised to a power, and its engine; kept where somebody asked for it."""
    kept = _kept.get()
    return _built(backend, graph, sharpness) if kept is None else kept.of(backend, graph, sharpness)


def found_once(find: Callable[[Engine], Found]) -> Callable[[Engine], Found]:
    """Find something that depends on an engine alone once, and keep it as long as the engine lives.

    Examples
    --------
    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> size = found_once(lambda engine: print("counted") or engine.graph.n_vertices)
    >>> engine = find_backend().engine(Graph.from_affinity([[0, 1], [1, 0]]))
    >>> size(engine), size(engine)
    counted
    (2, 2)
    """
    known: WeakKeyDictionary[Engine, Found] = WeakKeyDictionary()

    @wraps(find)
    def found(engine: Engine) -> Found:
        if engine not in known:
            known[engine] = find(engine)
        return known[engine]

    return found


def _built(backend: Backend, graph: PlacedGraph, sharpness: float) -> tuple[PlacedGraph, Engine]:
    sharpened = graph.sharpened(sharpness)
    return sharpened, backend.engine(sharpened)
