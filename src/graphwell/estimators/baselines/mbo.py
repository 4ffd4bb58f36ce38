"""Threshold dynamics: diffuse, then threshold, again and again."""

import numpy as np

from graphwell._checks import whole_number
from graphwell._random import Seed, stream
from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, equal_unless_given, indicators
from graphwell.estimators.registry import method
from graphwell.solve.balance import balanced_labels
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem

SUBSTEPS = 3


@method(
    "mbo",
    "diffuse and threshold in the leading eigenvectors",
    slow=True,
    sources=("garciacardona2014multiclass",),
)
class MulticlassMBO(Baseline):
    """Multiclass MBO in the leading eigenvectors (Garcia-Cardona, Merkurjev, Bertozzi, Flenner, Percus 2014).

    From a random start, each iteration diffuses the classes with the labels as sources and then gives every
    vertex its largest class.

    Parameters
    ----------
    n_eigenvectors : int
        Number of eigenvectors of the normalised Laplacian.
    step_size : float
        Diffusion time of an iteration.
    fidelity : float
        Weight of the known labels.
    max_iter : int
        Largest number of iterations; fewer when the labels settle.
    random_state : int, Generator or RandomState, optional
        Seed of the start.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> MulticlassMBO(metric="precomputed", random_state=0).fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_eigenvectors: int = 100,
        step_size: float = 0.3,
        fidelity: float = 50.0,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.n_eigenvectors = n_eigenvectors
        self.step_size = step_size
        self.fidelity = fidelity
        self.max_iter = max_iter
        self.random_state = random_state

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        known, n_classes = problem.is_known, problem.n_classes
        count = whole_number("n_eigenvectors", self.n_eigenvectors)
        values, vectors = smallest_eigenpairs(engine.graph, min(count, len(known)))
        labels = indicators(problem)
        u = np.eye(n_classes)[stream(self.random_state, "start").integers(n_classes, size=len(known))]
        u[known] = labels[known]
        step = self.step_size / SUBSTEPS
        for _ in range(self.max_iter):
            diffused = u
            for _ in range(SUBSTEPS):
                force = self.fidelity * known[:, None] * (diffused - labels)
                coefficients = vectors.T @ (diffused - step * force)
                diffused = vectors @ (coefficients / (1 + step * values)[:, None])
            thresholded = np.eye(n_classes)[diffused.argmax(axis=1)]
            if (thresholded == u).all():
                break
            u = thresholded
        return diffused - diffused.min()


@method(
    "volume mbo",
    "diffuse and threshold, class sizes kept",
    told_sizes=True,
    slow=True,
    sources=("jacobs2018auction",),
)
class VolumeMBO(Baseline):
    """MBO whose thresholding keeps the classes at given sizes (after Jacobs, Merkurjev, Esedoglu 2018).

    Starts from the label nearest along the graph and assigns by prices on the classes, found as in
    `class_prior` of `graphwell.DiffuseInterfaceClassifier`.

    Parameters
    ----------
    class_prior : array of shape (n_classes,), optional
        Share of each class, in the order of the sorted classes; equal by default.
    diffusion_steps : int
        Steps of the random walk in one iteration.
    max_iter : int
        Largest number of iterations; fewer when the labels settle.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0, 0], [1, 0, 3, 0], [0, 3, 0, 1], [0, 0, 1, 0]]
    >>> VolumeMBO(metric="precomputed").fit(W, [0, -1, -1, 1]).transduction_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        class_prior: FloatArray | None = None,
        diffusion_steps: int = 10,
        max_iter: int = 50,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.class_prior = class_prior
        self.diffusion_steps = diffusion_steps
        self.max_iter = max_iter

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        n, n_classes = problem.graph.n_vertices, problem.n_classes
        shares = equal_unless_given(self.class_prior, n_classes)
        everyone = np.ones(n, dtype=bool)
        labels = np.maximum(engine.nearest(problem.labels), 0)
        for _ in range(self.max_iter):
            u = np.eye(n_classes)[labels]
            for _ in range(self.diffusion_steps):
                u = engine.product(u)
            assigned = balanced_labels(engine, u, shares * n, everyone)
            assigned[problem.is_known] = problem.labels[problem.is_known]
            if (assigned == labels).all():
                break
            labels = assigned
        return np.eye(n_classes)[labels] + u / (1 + u.max())
