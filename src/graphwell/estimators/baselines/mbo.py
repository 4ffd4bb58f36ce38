"""Threshold dynamics: diffuse, then threshold, again and again."""

import numpy as np

from graphwell._checks import whole_number
from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, equal_unless_given, indicators
from graphwell.estimators.registry import method
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import bounded_assignment

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

    Starts from the label nearest along the graph. Each iteration diffuses the classes and then gives every
    vertex a class so that the sum of the diffused values is the largest that the sizes allow. Theirs finds
    that assignment by an auction; here rows move along cheapest chains of classes, which is exact too.

    Source: M. Jacobs, E. Merkurjev, S. Esedoglu, "Auction dynamics: a volume constrained MBO scheme",
    J. Comput. Phys. 354 (2018). Cost: time n for each iteration, and memory n times the square of the number
    of classes. It needs to be told the sizes of the classes, or bounds on them, and fails where they are
    wrong.

    Parameters
    ----------
    class_prior : array of shape (n_classes,), optional
        Share of each class, in the order of the sorted classes; equal by default.
    slack : float
        From 0 to 1: sizes may lie below and above by this share of themselves.
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
        slack: float = 0.0,
        diffusion_steps: int = 10,
        max_iter: int = 50,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.class_prior = class_prior
        self.slack = slack
        self.diffusion_steps = diffusion_steps
        self.max_iter = max_iter

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        n, n_classes = problem.graph.n_vertices, problem.n_classes
        shares = equal_unless_given(self.class_prior, n_classes)
        free, known = ~problem.is_known, problem.labels[problem.is_known]
        bounds = bounds_of_free(shares, self.slack, n, np.bincount(known, minlength=n_classes))
        labels = np.maximum(engine.nearest(problem.labels), 0)
        for _ in range(self.max_iter):
            u = np.eye(n_classes)[labels]
            for _ in range(self.diffusion_steps):
                u = engine.product(u)
            assigned = problem.labels.copy()
            assigned[free] = bounded_assignment(u[free], *bounds)
            if (assigned == labels).all():
                break
            labels = assigned
        return np.eye(n_classes)[labels] + u / (1 + u.max())


def bounds_of_free(shares: FloatArray, slack: float, n: int, known: IntArray) -> tuple[IntArray, IntArray]:
    """Lowest and highest number of rows without a label in each class, which some assignment meets.

    Examples
    --------
    >>> bounds_of_free(np.array([0.5, 0.5]), 0.2, n=10, known=np.array([1, 2]))
    (array([3, 2]), array([5, 4]))
    >>> bounds_of_free(np.array([0.5, 0.5]), 0.0, n=10, known=np.array([7, 0]))
    (array([0, 3]), array([0, 5]))
    """
    left = n - int(known.sum())
    lowest = np.maximum(np.floor((1 - slack) * shares * n).astype(np.int64) - known, 0)
    highest = np.maximum(np.ceil((1 + slack) * shares * n).astype(np.int64) - known, 0)
    while lowest.sum() > left:
        lowest[lowest.argmax()] -= min(int(lowest.max()), int(lowest.sum()) - left)
    if highest.sum() < left:
        highest[shares.argmax()] += left - int(highest.sum())
    return lowest, highest
