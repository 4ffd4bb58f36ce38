"""Label propagation: harmonic functions, Poisson sources, random walks, distributions of neighbours."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from graphwell._checks import one_of
from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.methods.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem
from graphwell.solve.start import centred, laplace_scores, poisson_weights, solve_laplacian

WEIGHTS = ("none", "wnll", "poisson")


@method("laplace", "each vertex is the weighted mean of its neighbours", sources=("zhu2003semisupervised",))
@method(
    "laplace wnll",
    "Laplace learning, edges at the labels raised",
    parameters={"weights": "wnll"},
    sources=("zhu2003semisupervised", "shi2017weighted"),
)
@method(
    "laplace poisson",
    "Laplace learning on Poisson weights",
    parameters={"weights": "poisson"},
    sources=("zhu2003semisupervised", "calder2020poisson"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class LaplaceLearning(Baseline):
    """Each unlabelled vertex is the weighted mean of its neighbours.

    Parameters
    ----------
    weights : {"none", "wnll", "poisson"}
        Plain; edges at labels multiplied by about half the number of points per label (Shi, Osher, Zhu 2017);
        or weights from a Poisson equation (Calder et al. 2020).
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> clf = LaplaceLearning(metric="precomputed").fit(W, [0, -1, 1])
    >>> clf.label_distributions_[1]
    array([0.25, 0.75])
    """

    weights: str = "none"

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        one_of("weights", self.weights, WEIGHTS)
        factors = None
        if self.weights == "wnll":
            labels = problem.is_known
            factors = np.where(labels, (1 + len(labels) / labels.sum()) / 2, 1.0)
        elif self.weights == "poisson":
            factors, _ = poisson_weights(problem, engine)
        return laplace_scores(problem, engine, factors).values


@method("poisson", "labels as sources of a Poisson equation")
class PoissonLearning(Baseline):
    """Labels are sources and sinks of a Poisson equation instead of boundary values.

    On a graph that falls apart, each component has sources that add up to zero by themselves.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> PoissonLearning(metric="precomputed").fit(W, [0, -1, -1, 1]).transduction_
    array([0, 0, 1, 1])
    """

    sources = ("calder2020poisson",)

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        known = problem.is_known
        sources = indicators(problem)
        sources = centred(engine, problem.graph, sources, known.astype(float)) * known[:, None]
        found, _ = solve_laplacian(engine, problem.graph, sources)
        return np.asarray(centred(engine, problem.graph, found, problem.graph.degrees))


@method("spreading", "local and global consistency: labels propagate along all walks")
@dataclass(eq=False, repr=False, kw_only=True)
class LabelSpreading(Baseline):
    """Scores are ``(I - alpha S)^-1 Y``: labels propagate along all walks, shorter ones counting more.

    Parameters
    ----------
    alpha : float
        Between 0 and 1: how much a vertex takes from its neighbours.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> LabelSpreading(metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    sources = ("zhou2003learning",)
    alpha: float = 0.99

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        known = problem.is_known
        labels = indicators(problem)
        # I - alpha S is positive definite, as S has no eigenvalue beyond 1.
        return engine.solve(np.full(len(known), np.sqrt(self.alpha)), labels, tolerance=1e-6).x


@method("nearest", "the label nearest along the graph")
class NearestLabel(Baseline):
    """Every vertex takes the label nearest along the graph, an edge being as long as 1 / weight.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    """

    sources = ("dijkstra1959note",)

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        return (engine.nearest(problem.labels)[:, None] == np.arange(problem.n_classes)).astype(float)


SMALLEST = 1e-300


@method("measure propagation", "neighbours have distributions with little divergence")
@dataclass(eq=False, repr=False, kw_only=True)
class MeasurePropagation(Baseline):
    """Every vertex has a distribution over the classes; those of neighbours diverge as little as possible.

    Minimises ``sum_labelled KL(r_i, q_i) + mu sum_ij w_ij KL(p_i, q_j) - nu sum_i H(p_i)`` over two
    distributions `p` and `q` at each vertex, in turn. With ``g_i = nu + mu sum_j w_ij``:

        p_i ~ exp((mu / g_i) sum_j w_ij log q_j)
        q_i = (r_i [i labelled] + mu sum_j w_ij p_j) / ([i labelled] + mu sum_j w_ij)

    The weight ``w_ii`` of a vertex to itself holds its `p` and `q` together.

    Source: A. Subramanya, J. Bilmes, "Semi-supervised learning with measure propagation", JMLR 12 (2011).
    Cost: time n for each iteration, and as many iterations as labels need to reach every vertex. It needs to
    be told nothing more. It fails with very few labels, as the entropy term makes distant vertices even.

    Parameters
    ----------
    mu : float
        Weight of the divergence between neighbours.
    nu : float
        Weight of the entropy.
    self_weight : float
        Weight of each vertex to itself.
    tol : float
        Ends when an iteration lowers the objective by less than this share of it.
    max_iter : int
        Largest number of iterations.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    """

    sources = ("subramanya2011semisupervised",)
    mu: float = 0.1
    nu: float = 0.01
    self_weight: float = 1.0
    tol: float = 1e-6
    max_iter: int = 1000

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        mu, nu, own = self.mu, self.nu, self.self_weight
        W, given = engine.graph.W, indicators(problem)
        degrees = (engine.graph.degrees + own)[:, None]
        known = problem.is_known[:, None]
        q = np.full(given.shape, 1 / problem.n_classes)
        before = np.inf
        for _ in range(self.max_iter):
            logs = np.log(np.maximum(q, SMALLEST))
            # p for a fixed q, then q for a fixed p: alternating minimisation, each step exact
            pull = mu * (W @ logs + own * logs)
            p = softmax(pull / (nu + mu * degrees), axis=1)
            logs_of_p = np.log(np.maximum(p, SMALLEST))
            q = (given + mu * (W @ p + own * p)) / (known + mu * degrees)
            # the objective, by its three sums
            logs = np.log(np.maximum(q, SMALLEST))
            cross = float((p * (W @ logs + own * logs)).sum())
            inside = float(((nu + mu * degrees) * p * logs_of_p).sum())
            objective = inside - mu * cross - float(logs[given > 0].sum())
            if before - objective <= self.tol * abs(objective):
                break
            before = objective
        return p
