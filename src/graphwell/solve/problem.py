"""What is known before the descent begins."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph import Graph


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph, and the class of some of its vertices.

    Attributes
    ----------
    graph : Graph
    labels : array of shape (n,)
        Class from 0 to `n_classes` - 1, or -1 where it is unknown.
    n_classes : int
    fidelity : float
        Weight of the known labels; at 30, the paper's, no label is ever overruled.
    """

    graph: Graph
    labels: IntArray
    n_classes: int
    fidelity: float = 30.0

    def __post_init__(self) -> None:
        if not self.fidelity > 0:
            raise ValueError(f"fidelity must be positive, got {self.fidelity!r}.")

    @cached_property
    def is_known(self) -> BoolArray:
        """Whether the class of each vertex was given."""
        return np.asarray(self.labels >= 0)

    @cached_property
    def known(self) -> IntArray:
        """Given classes, 0 where none was given (and where `fidelities` is 0)."""
        return np.where(self.is_known, self.labels, 0)

    @cached_property
    def fidelities(self) -> FloatArray:
        """Weight of the given class of each vertex: lambda of equation (13)."""
        return np.where(self.is_known, float(self.fidelity), 0.0)

    @cached_property
    def reachable(self) -> BoolArray:
        """Whether the component of each vertex holds a known label."""
        components = self.graph.components
        has_label = np.zeros(self.graph.n_components, dtype=bool)
        has_label[components[self.is_known]] = True
        return has_label[components]
