"""The two-class model without labels, its mass held fixed (Bertozzi, Flenner 2012)."""

import numpy as np

from graphwell._random import Seed
from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.estimators.baselines.base import equal_unless_given
from graphwell.estimators.baselines.clusterer import Clusterer
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import balanced_splitting

FIRST_EPSILON, HALVINGS = 4.0, 3
"""The first epsilon, as a multiple of the last; it falls by halves."""


@method(
    "balanced interface",
    "two clusters of given sizes by convex splitting, named by the labels",
    most_classes=2,
    told_sizes=True,
    sources=("bertozzi2012diffuse",),
)
class BalancedInterface(Clusterer):
    """Two clusters by the binary Ginzburg-Landau energy, whose sizes are held.

    Minimises ``epsilon / 2 <u, L_s u> + 1 / epsilon sum_i (u_i^2 - 1)^2 / 4`` under ``mean u = mass`` by
    convex splitting in the leading eigenvectors, from the second one cut at the right size. Without the
    constraint the minimum would be a constant. Epsilon falls by halves to the one that is asked for.

    Source: A. L. Bertozzi, A. Flenner, "Diffuse interface models on graphs for classification of high
    dimensional data", Multiscale Modeling and Simulation 10 (2012). Cost: the eigenvectors, then time n for
    each iteration. It needs to be told the sizes of the two clusters. It fails where they are wrong.

    Parameters
    ----------
    n_clusters : int
        2; there is no other choice.
    class_prior : array of shape (2,), optional
        Shares of the two clusters, either of which may be the first; equal by default.
    epsilon : float
        Width of the interface at the end.
    n_eigenvectors : int
        Number of eigenvectors of the normalised Laplacian.
    step_size : float
        Time step.
    max_iter : int
        Largest number of iterations at each epsilon.
    tol : float
        An epsilon has settled when no state moves by more than this.
    n_neighbors, scale_neighbor, metric, n_jobs, random_state
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]]
    >>> BalancedInterface(metric="precomputed").fit(W, ["a", None, None, "b"]).transduction_
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        class_prior: FloatArray | None = None,
        epsilon: float = 0.5,
        n_eigenvectors: int = 20,
        step_size: float = 0.1,
        max_iter: int = 500,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters, n_neighbors, scale_neighbor, metric, n_jobs=n_jobs, random_state=random_state
        )
        self.class_prior = class_prior
        self.epsilon = epsilon
        self.n_eigenvectors = n_eigenvectors
        self.step_size = step_size
        self.max_iter = max_iter
        self.tol = tol

    def _clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        if n_clusters != 2:
            raise OptionError(
                "n_clusters", "{field} must be 2 for two sides of an interface, got {}.", n_clusters
            )
        first, second = equal_unless_given(self.class_prior, 2)
        mass, count = (first - second) / (first + second), min(self.n_eigenvectors, graph.n_vertices)
        epsilons = [self.epsilon * FIRST_EPSILON * 0.5**step for step in range(HALVINGS)]
        runs = [
            balanced_splitting(graph, epsilons, side, self.step_size, count, self.max_iter, self.tol)
            for side in dict.fromkeys((mass, -mass))
        ]
        return (min(runs, key=lambda run: run.energy).u > 0).astype(np.int64)
