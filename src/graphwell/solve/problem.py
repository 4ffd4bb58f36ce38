"""A problem, and the engine of its graph, which further fits of the graph can share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from graphwell._checks import positive_number
from graphwell._once import once
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend, Engine, PlacedGraph, Vector


@dataclass(frozen=True, eq=False)
class Balance:
    """A pressure on the sizes of the classes, as the null model of modularity exerts it.

    With ``phi = sqrt(degree / sum of degrees)``, class `k` has the mass ``M_k = sum_{j in k} phi_j r_j``. A
    vertex feels ``strength * (M_k - shares_k * sum M)`` times its own ``phi`` against being in class `k`.

    Attributes
    ----------
    strength : float
    shares : array of shape (n_classes,)
        The share of the mass that each class should have.
    """

    strength: float
    shares: FloatArray


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph, and the class of some of its vertices.

    Attributes
    ----------
    graph : PlacedGraph
        Where it lies, the arrays below lie too.
    labels : array of shape (n,)
        Class from 0 to `n_classes` - 1, or -1 where it is unknown.
    n_classes : int
    fidelity : float
        Weight of the known labels; at 30, the paper's, no label is ever overruled.
    balance : Balance, optional
        Pressure on the class sizes; not in the paper.
    class_shares : array of shape (n_classes,), optional
        Sizes of the classes as shares of all vertices, where they are known.
    size_bounds : array of shape (2, n_classes), optional
        Lowest and highest share that each class may have; the shares are then estimated.
    trust : array of shape (n,), optional
        How far each given label is trusted, above 0: a factor of its fidelity; 1 for all by default.
    groups : array of shape (n,), optional
        Equal numbers where rows with a label are copies of each other; on the host.
    implicit : bool
        Take the fidelity term implicitly, which allows large steps whatever its weight, and measure it along
        the star of ``rho``, which keeps it independent of the numbers of the classes.
    """

    graph: PlacedGraph
    labels: IntArray
    n_classes: int
    fidelity: float = 30.0
    balance: Balance | None = None
    class_shares: FloatArray | None = None
    size_bounds: FloatArray | None = None
    implicit: bool = False
    trust: Vector | None = None
    groups: IntArray | None = None

    def __post_init__(self) -> None:
        positive_number("fidelity", self.fidelity)

    @once
    def is_known(self) -> BoolArray:
        """Whether the class of each vertex was given."""
        return self.labels >= 0

    @property
    def known(self) -> IntArray:
        """Given classes, 0 where none was given (and where `fidelities` is 0); not kept, nor are these."""
        return self.labels.clip(0)

    @property
    def fidelities(self) -> FloatArray:
        """Weight of the given class of each vertex: lambda of equation (13)."""
        weights = self.is_known * float(self.fidelity)
        return weights if self.trust is None else weights * self.trust

    @once
    def reachable(self) -> BoolArray:
        """Whether the component of each vertex holds a known label."""
        components = self.graph.components
        return np.isin(components, np.unique(components[self.is_known]))


def of_present_classes(problem: Problem, backend: Backend) -> tuple[Problem, IntArray]:
    """The problem without the classes that can get no row, and the numbers of those that are left.

    A class without a label gets rows only if its size is given, or is bounded from below.
    """
    given = backend.to_host(problem.labels)
    has_rows = np.bincount(given[given >= 0], minlength=problem.n_classes) > 0
    if problem.class_shares is not None:
        has_rows |= problem.class_shares > 0
    if problem.size_bounds is not None:
        has_rows |= problem.size_bounds[0] > 0
    present = np.flatnonzero(has_rows)
    if len(present) == problem.n_classes:
        return problem, present
    labels = np.where(given >= 0, np.searchsorted(present, given), -1)
    narrow = replace(
        problem,
        labels=backend.asarray(labels),
        n_classes=len(present),
        class_shares=None if problem.class_shares is None else problem.class_shares[present],
        size_bounds=None if problem.size_bounds is None else problem.size_bounds[:, present],
    )
    return narrow, present


Found = TypeVar("Found")


class KeptEngine:
    """The engine of the graph that was fitted last."""

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
    """Find something that depends on an engine alone once, and keep it as long as the engine lives."""
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
