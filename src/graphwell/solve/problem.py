"""What is known before the descent begins."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphwell._checks import positive_number
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import PlacedGraph


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

    def __post_init__(self) -> None:
        positive_number("fidelity", self.fidelity)

    @cached_property
    def is_known(self) -> BoolArray:
        """Whether the class of each vertex was given."""
        return self.labels >= 0

    @cached_property
    def known(self) -> IntArray:
        """Given classes, 0 where none was given (and where `fidelities` is 0)."""
        return self.labels.clip(0)

    @cached_property
    def fidelities(self) -> FloatArray:
        """Weight of the given class of each vertex: lambda of equation (13)."""
        return self.is_known * float(self.fidelity)

    @cached_property
    def reachable(self) -> BoolArray:
        """Whether the component of each vertex holds a known label."""
        components = self.graph.components
        labels_inside = np.bincount(components[self.is_known], minlength=self.graph.n_components)
        return labels_inside[components] > 0
