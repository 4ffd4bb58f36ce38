"""The authors' next model: multiclass Ginzburg-Landau on the Gibbs simplex."""

import numpy as np

from graphwell._checks import whole_number
from graphwell._random import Seed, stream
from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem


@method(
    "simplex",
    "Ginzburg-Landau on the Gibbs simplex, in the leading eigenvectors",
    slow=True,
    sources=("garciacardona2014multiclass",),
)
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

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> SimplexGinzburgLandau(metric="precomputed", random_state=0).fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_eigenvectors: int = 100,
        epsilon: float = 1.0,
        step_size: float = 0.1,
        fidelity: float = 30.0,
        tol: float = 1e-7,
        max_iter: int = 500,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.n_eigenvectors = n_eigenvectors
        self.epsilon = epsilon
        self.step_size = step_size
        self.fidelity = fidelity
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        epsilon, step, fidelity = self.epsilon, self.step_size, self.fidelity
        count = min(whole_number("n_eigenvectors", self.n_eigenvectors), problem.graph.n_vertices)
        values, vectors = smallest_eigenpairs(engine.graph, count)
        convex = fidelity + 1 / epsilon
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
    """Slope of ``1/2 prod_k |u - e_k|_1^2 / 4`` in each entry of `u`, rows being points of the simplex.

    Examples
    --------
    >>> well_slope(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([[0., 0.],
           [0., 0.]])
    """
    halves = 1 - u
    before = np.cumprod(np.column_stack([np.ones(len(u)), halves[:, :-1] ** 2]), axis=1)
    after = np.cumprod(np.column_stack([np.ones(len(u)), halves[:, :0:-1] ** 2]), axis=1)[:, ::-1]
    by_corner = halves * before * after / 2
    return np.asarray(by_corner.sum(axis=1, keepdims=True) - 2 * by_corner)


def on_simplex(rows: FloatArray) -> FloatArray:
    """Nearest point of the simplex to each row.

    Examples
    --------
    >>> on_simplex(np.array([[0.6, 0.6], [2.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    falling = -np.sort(-rows, axis=1)
    surplus = (np.cumsum(falling, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    last = (falling > surplus).sum(axis=1) - 1
    return np.maximum(rows - surplus[np.arange(len(rows)), last][:, None], 0.0)
