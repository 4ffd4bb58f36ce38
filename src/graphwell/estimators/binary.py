"""The two-class diffuse interface model as a scikit-learn classifier."""

import time
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Engine, PlacedGraph, Vector
from graphwell.errors import warn_user
from graphwell.estimators.base import GraphClassifier, Solved
from graphwell.estimators.labels import Labels
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import BinaryRun, convex_splitting
from graphwell.solve.fit import Run
from graphwell.solve.problem import FIDELITY, Problem


@method(
    "binary interface",
    "two classes by convex splitting in the leading eigenvectors",
    most_classes=2,
    sources=("bertozzi2012diffuse",),
)
class BinaryInterfaceClassifier(GraphClassifier):
    """Two classes by the Ginzburg-Landau model of section 2 (Bertozzi and Flenner).

    The classes are the two wells of a double-well potential. The energy is minimised by convex splitting in
    the leading eigenvectors of the normalised Laplacian, for each connected component by itself.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `DiffuseInterfaceClassifier`.
    n_eigenvectors : int
        Number of eigenvectors.
    epsilon : float
        Width of the interface.
    fidelity : float
        Weight of the known labels.
    step_size : float
        Time step.
    max_iter : int
        Largest number of iterations.
    tol : float
        The descent ends when no state moves by more than this.
    unknown : object, or several in a list
        Labels that mean unknown, besides -1, None and NaN.

    Attributes
    ----------
    transduction_, label_distributions_, classes_, reachable_, graph_, n_iter_, timings_
        As in `DiffuseInterfaceClassifier`.
    state_ : array of shape (n,)
        The state `u` of every vertex; its sign is the class.
    converged_ : bool
        Whether the states settled within `max_iter`.

    Examples
    --------
    >>> from graphwell import BinaryInterfaceClassifier, datasets
    >>> X, truth = datasets.make_two_moons(random_state=0)
    >>> y = datasets.sample_labels(truth, per_class=50, random_state=0)
    >>> clf = BinaryInterfaceClassifier().fit(X, y)
    >>> bool((clf.transduction_ == truth).mean() > 0.94)
    True
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_eigenvectors: int = 20,
        epsilon: float = 1.0,
        fidelity: float = FIDELITY,
        step_size: float = 0.1,
        max_iter: int = 2000,
        tol: float = 1e-4,
        unknown: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.metric = metric
        self.n_eigenvectors = n_eigenvectors
        self.epsilon = epsilon
        self.fidelity = fidelity
        self.step_size = step_size
        self.max_iter = max_iter
        self.tol = tol
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _solve(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        if problem.n_classes > 2:
            raise ValueError(
                f"Only binary classification is supported: y holds {problem.n_classes} classes; "
                "use DiffuseInterfaceClassifier for more than two."
            )
        began, several = time.perf_counter(), problem.n_classes > 1
        known = np.where(problem.is_known, 2.0 * problem.known - 1.0, 0.0)
        known = known if several else -known
        graph, state = backend.shown(problem.graph), np.zeros(len(known))
        n_iterations, converged = 1, True
        for component in np.unique(graph.components[problem.is_known]):
            members = np.flatnonzero(graph.components == component)
            found = self._component(graph, members, known[members])
            state[members] = found.u
            n_iterations, converged = max(n_iterations, found.n_iterations), converged and found.converged
        if not converged:
            warn_user(
                f"The states had not settled after {self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
            )
        share = (1 + np.clip(state, -1, 1)) / 2
        return Solved(
            Engine(),
            (state > 0).astype(np.int64) if several else np.zeros(len(known), dtype=np.int64),
            np.column_stack([1 - share, share]) if several else np.ones((len(known), 1)),
            attributes={"state_": state, "n_iter_": n_iterations, "converged_": converged},
            seconds={"descent": time.perf_counter() - began},
        )

    def _component(self, graph: Graph, members: IntArray, known: FloatArray) -> BinaryRun:
        """The states of a connected component."""
        sides = np.unique(known[known != 0])
        if len(sides) == 1:
            return BinaryRun(np.full(len(members), sides[0]), 1, converged=True)
        if len(members) < graph.n_vertices:
            graph = Graph.from_affinity(graph.W[members][:, members])
        weights, ending = (self.epsilon, self.fidelity, self.step_size), (self.max_iter, self.tol)
        return convex_splitting(graph, known, *weights, min(self.n_eigenvectors, graph.n_vertices), *ending)

    def _problem(self, graph: PlacedGraph, engine_labels: Vector, labels: Labels) -> Problem:
        return Problem(graph, engine_labels, len(labels.classes), self.fidelity)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
