"""Other diffuse interface models: threshold dynamics, the Gibbs simplex, two classes of a fixed mass."""

from dataclasses import dataclass, field

import numpy as np

from graphwell._checks import whole_number
from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.errors import OptionError
from graphwell.estimators.methods.base import Baseline, Clusterer, equal_unless_given, indicators
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import balanced_splitting, smallest_eigenpairs
from graphwell.solve.problem import FIDELITY, Problem
from graphwell.solve.sizes import best_classes

SUBSTEPS = 3  # steps of one diffusion; their number is not recorded


@method("mbo", "diffuse and threshold in the leading eigenvectors", slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
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
    """

    sources = ("garciacardona2014multiclass",)
    n_eigenvectors: int = 100
    step_size: float = 0.3
    fidelity: float = 50.0
    max_iter: int = 100
    random_state: Seed = None

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
            for _ in range(SUBSTEPS):  # diffusion is implicit, the fidelity explicit
                force = self.fidelity * known[:, None] * (diffused - labels)
                coefficients = vectors.T @ (diffused - step * force)
                diffused = vectors @ (coefficients / (1 + step * values)[:, None])
            # threshold: the nearest corner of the simplex
            thresholded = np.eye(n_classes)[diffused.argmax(axis=1)]
            if (thresholded == u).all():
                break
            u = thresholded
        return diffused - diffused.min()


@method("volume mbo", "diffuse and threshold, class sizes kept", told_sizes=True, slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
class VolumeMBO(Baseline):
    """MBO whose thresholding keeps the classes at given sizes (after Jacobs, Merkurjev, Esedoglu 2018).

    Starts from the label nearest along the graph. Each iteration diffuses the classes and then gives every
    vertex the class of the highest product of diffused value and price. Prices rise and fall until the
    classes have their sizes, to two rows in a thousand; theirs are the bids of an auction.

    Source: M. Jacobs, E. Merkurjev, S. Esedoglu, "Auction dynamics: a volume constrained MBO scheme",
    J. Comput. Phys. 354 (2018). Cost: time n for each iteration. It needs to be told the sizes of the
    classes, and fails where they are wrong.

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
    """

    sources = ("jacobs2018auction",)
    class_prior: FloatArray | None = None
    diffusion_steps: int = 10
    max_iter: int = 50

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        n, n_classes, free = problem.graph.n_vertices, problem.n_classes, ~problem.is_known
        given = np.bincount(problem.labels[problem.is_known], minlength=n_classes)
        sizes = np.maximum(equal_unless_given(self.class_prior, n_classes) * n - given, 0.0)
        sizes *= free.sum() / max(sizes.sum(), 1.0)
        labels = np.maximum(engine.nearest(problem.labels), 0)
        for _ in range(self.max_iter):
            u = np.eye(n_classes)[labels]
            for _ in range(self.diffusion_steps):
                u = engine.product(u)
            best = best_classes(engine, u, sizes / max(free.sum(), 1), free)
            priced = np.where(free, best, problem.labels)
            if (priced == labels).all():
                break
            labels = priced
        return np.eye(n_classes)[labels] + u / (1 + u.max())


@method("simplex", "Ginzburg-Landau on the Gibbs simplex, in the leading eigenvectors", slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
class SimplexGinzburgLandau(Baseline):
    """Each vertex has a point of the simplex, with a well of the potential at each of its corners.

    Minimises ``epsilon / 2 <U, L_s U> + 1 / (2 epsilon) sum_i prod_k |u_i - e_k|_1^2 / 4 +
    sum_labelled fidelity / 2 |u_i - e_label|^2`` by convex splitting in the leading eigenvectors of ``L_s``;
    after each step the rows are projected onto the simplex.

    Source: C. Garcia-Cardona, E. Merkurjev, A. L. Bertozzi, A. Flenner, A. G. Percus, "Multiclass data
    segmentation using diffuse interface methods on graphs", IEEE PAMI 36 (2014). Cost: the eigenvectors, then
    time n for each iteration. It needs to be told nothing more. It fails with many classes, whose potential
    is flat in the middle of the simplex, and with few labels.

    Parameters
    ----------
    n_eigenvectors : int
        Number of eigenvectors of the normalised Laplacian.
    epsilon : float
        Width of the interface.
    step_size : float
        Time step.
    fidelity : float
        Weight of the known labels.
    tol : float
        Ends when no row moves by more than this, squared and relative to the longest.
    max_iter : int
        Largest number of iterations.
    random_state : int, Generator or RandomState, optional
        Seed of the start.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    """

    sources = ("garciacardona2014multiclass",)
    n_eigenvectors: int = 100
    epsilon: float = 1.0
    step_size: float = 0.1
    fidelity: float = FIDELITY
    tol: float = 1e-7
    max_iter: int = 500
    random_state: Seed = None

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        epsilon, step, fidelity = self.epsilon, self.step_size, self.fidelity
        count = min(whole_number("n_eigenvectors", self.n_eigenvectors), problem.graph.n_vertices)
        values, vectors = smallest_eigenpairs(engine.graph, count)
        convex = fidelity + 1 / epsilon  # the constant c of convex splitting (Eyre)
        shrink = (1 / (1 + step * (epsilon * values + convex)))[:, None]
        given, known = indicators(problem), problem.is_known[:, None]
        u = np.where(
            known, given, stream(self.random_state, "start").dirichlet(np.ones(given.shape[1]), len(given))
        )
        for _ in range(self.max_iter):
            slope = well_slope(u) / epsilon + fidelity * known * (u - given)
            moved = on_simplex(vectors @ (shrink * (vectors.T @ ((1 + step * convex) * u - step * slope))))
            change, u = float(((moved - u) ** 2).sum(axis=1).max()), moved
            if change < self.tol * float((u**2).sum(axis=1).max()):
                break
        return u


def well_slope(u: FloatArray) -> FloatArray:
    """Slope of ``1/2 prod_k |u - e_k|_1^2 / 4`` in each entry of `u`, rows being points of the simplex."""
    halves = 1 - u
    before = np.cumprod(np.column_stack([np.ones(len(u)), halves[:, :-1] ** 2]), axis=1)
    after = np.cumprod(np.column_stack([np.ones(len(u)), halves[:, :0:-1] ** 2]), axis=1)[:, ::-1]
    by_corner = halves * before * after / 2
    return np.asarray(by_corner.sum(axis=1, keepdims=True) - 2 * by_corner)


def on_simplex(rows: FloatArray) -> FloatArray:
    """Nearest point of the simplex to each row."""
    # Michelot 1986; Duchi et al. 2008: subtract what the largest entries exceed 1 by, evenly
    falling = -np.sort(-rows, axis=1)
    surplus = (np.cumsum(falling, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    last = (falling > surplus).sum(axis=1) - 1
    return np.maximum(rows - surplus[np.arange(len(rows)), last][:, None], 0.0)


FIRST_EPSILON, HALVINGS = 4.0, 3
"""The first epsilon, as a multiple of the last; it falls by halves."""


@method(
    "balanced interface",
    "two clusters of given sizes by convex splitting, named by the labels",
    most_classes=2,
    told_sizes=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
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
    """

    sources = ("bertozzi2012diffuse",)
    n_clusters: int | None = field(default=2, kw_only=False)
    class_prior: FloatArray | None = None
    epsilon: float = 0.5
    n_eigenvectors: int = 20
    step_size: float = 0.1
    max_iter: int = 500
    tol: float = 1e-4

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
            for side in dict.fromkeys((mass, -mass))  # either cluster may be the first
        ]
        return (min(runs, key=lambda run: run.energy).u > 0).astype(np.int64)
