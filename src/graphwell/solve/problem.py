"""The problem to be solved: a graph, the class of some of its vertices, what is known of the class sizes."""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._checks import positive_number
from graphwell._threads import once
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend, PlacedGraph, Vector

# lambda of equation (13), the weight of the known labels: the paper's. At 30 none is ever overruled: other
# forces add up to about 2 epsilon at most, so it takes a fidelity of 4 or less to overrule one.
FIDELITY = 30.0


@dataclass(frozen=True, eq=False)
class Balance:
    """A pressure on the sizes of the classes, as the null model of modularity exerts it.

    With ``phi = sqrt(degree / sum of degrees)``, class `k` has the mass ``M_k = sum_{j in k} phi_j r_j``. A
    vertex feels ``strength * (M_k - shares_k * sum M)`` times its own ``phi`` against being in class `k`.
    """

    strength: float
    shares: FloatArray  # of the mass, that each class should have


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph, and the class of some of its vertices; its arrays lie where the graph lies.

    The fidelity term may be taken implicitly, which allows large steps whatever its weight; then it is
    measured along the star of ``rho``, which keeps it independent of the numbers of the classes.
    """

    graph: PlacedGraph
    labels: IntArray  # class from 0 to `n_classes` - 1, or -1 where it is unknown
    n_classes: int
    fidelity: float = FIDELITY
    balance: Balance | None = None  # pressure on the class sizes; not in the paper
    class_shares: FloatArray | None = None  # sizes of the classes as shares of all vertices, where known
    size_bounds: FloatArray | None = None  # lowest and highest share of each class; shares are estimated
    implicit: bool = False
    trust: Vector | None = None  # in each given label, above 0: a factor of its fidelity; 1 by default
    groups: IntArray | None = None  # equal where rows with a label are copies of each other; on the host

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
        weights = self.is_known * float(self.fidelity)  # lambda_i, 0 where nothing is known
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
    given, shares, bounds = backend.to_host(problem.labels), problem.class_shares, problem.size_bounds
    has_rows = np.bincount(given[given >= 0], minlength=problem.n_classes) > 0
    if shares is not None:
        has_rows |= shares > 0
    if bounds is not None:
        has_rows |= bounds[0] > 0
    present = np.flatnonzero(has_rows)
    if len(present) == problem.n_classes:
        return problem, present
    narrow = replace(
        problem,
        labels=backend.asarray(np.where(given >= 0, np.searchsorted(present, given), -1)),
        n_classes=len(present),
        class_shares=None if shares is None else shares[present],
        size_bounds=None if bounds is None else bounds[:, present],
    )
    return narrow, present
