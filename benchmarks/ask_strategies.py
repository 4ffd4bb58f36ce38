"""Query strategies to compare with those of the package: seven that did worse, and those of other libraries.

The seven work on `query.dense`, at most a thousand aggregates of the rows. VOpt, sigma-optimality and model
change take the labels for values of a smooth random function with this covariance:

    (L_s + damping + labels / noise)^-1
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from benchmarks.data import Dataset
from graphwell._types import BoolArray, FloatArray
from graphwell.active import Query, Question, Strategy, forget, strategy
from graphwell.active.query import DenseLevel
from graphwell.active.strategies import border, laplacian
from graphwell.errors import counted
from graphwell.solve.coarse import summed_rows

DAMPING = 0.01
"""Added to the eigenvalues of the normalised Laplacian: how much a function may vary as a whole."""
NOISE = 0.01
"""Variance of an answer."""
WALK_STEPS = 4
"""Steps of a random walk that a label covers."""
PRIOR = 1.0
"""Labels of each class that every row is taken to have had."""
DYING = 0.01
"""Share of its degree by which each aggregate is tied to the score 0."""
LARGEST_FOR_PEERS = 12_000
"""Rows up to which other libraries are run: beyond, they need all pairs of rows, or minutes a batch."""
EIGENVECTORS = 100

Gain: TypeAlias = Callable[[FloatArray, DenseLevel, FloatArray], FloatArray]
"""Given covariance, graph and class shares of the aggregates: the gain of a label at each."""


def entropy(query: Query, n: int) -> list[Question]:
    """Rows of the highest entropy, apart from each other."""
    entropies = -np.sum(query.shares * np.log(np.maximum(query.shares, 1e-300)), axis=1) + 0.0
    return [Question(int(row), border(query, int(row))) for row in query.batch(entropies, n)]


def cover(query: Query, n: int) -> list[Question]:
    """A greedy cover: the neighbourhoods that hold most rows not covered by labels and earlier questions."""
    graph = query.dense
    near = neighbourhoods(graph.W)
    covered = near[graph.counts.any(axis=1)].max(axis=0, initial=0.0)
    is_open = graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        gained = np.where(is_open, np.maximum(near - covered, 0.0) @ graph.sizes, -np.inf)
        best = int(gained.argmax())
        covered = np.maximum(covered, near[best])
        is_open[best] = False
        rows = counted(max(1, round(gained[best])), "row")
        questions.append(Question(query.row_in(best), f"stands for {rows}"))
    return questions


def neighbourhoods(W: FloatArray) -> FloatArray:
    """How much a label at each vertex (rows) covers each vertex: its walks of some steps, 1 at most."""
    degrees = W.sum(axis=1)
    walk = np.eye(len(W)) + np.divide(W, degrees[:, None], out=np.zeros(W.shape), where=degrees[:, None] > 0)
    reach = np.linalg.matrix_power(walk / 2, WALK_STEPS)
    return np.asarray(reach / reach.max(axis=1, keepdims=True))


def dirichlet(query: Query, n: int) -> list[Question]:
    """The highest variance under Dirichlet learning (Miller and Murray 2024); answers are the likeliest."""
    graph = query.dense
    K = np.linalg.inv(laplacian(graph.W) + DAMPING * np.eye(len(graph.W)))
    reach = np.clip(K / K.diagonal(), 0.0, None)  # of a label at each aggregate (columns)
    counts = np.hstack([graph.counts, np.zeros((len(reach), 1))])  # the last class is one not met yet
    labels = PRIOR / counts.shape[1] + reach @ counts
    is_open = graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        best = int(np.where(is_open, graph.sizes * dirichlet_variances(labels), -np.inf).argmax())
        labels[:, labels[best].argmax()] += reach[:, best]
        is_open[best] = False
        questions.append(Question(query.row_in(best), "few labels near"))
    return questions


def dirichlet_variances(labels: FloatArray) -> FloatArray:
    """Sum of the variances of class shares that have a Dirichlet distribution."""
    total = labels.sum(axis=1, keepdims=True)
    mean = labels / total
    return np.sum(mean * (1 - mean), axis=1) / (total[:, 0] + 1)


def smallest_norm(query: Query, n: int) -> list[Question]:
    """The smallest norm of scores that die away with the distance from the labels (Miller and Calder 2023).

    Each aggregate that is asked is then taken to have a class of its own.
    """
    graph = query.dense
    counts, is_open = graph.counts, graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        norms = np.linalg.norm(damped_scores(graph.W, counts), axis=1)
        best = int(np.where(is_open, norms, np.inf).argmin())
        is_open[best] = False
        counts = np.hstack([counts, (np.arange(len(counts)) == best)[:, None].astype(float)])
        questions.append(Question(query.row_in(best), "far from every label"))
    return questions


def damped_scores(W: FloatArray, counts: FloatArray) -> FloatArray:
    """Scores of the labels where there are any, and solutions of ``(L + dying D) u = 0`` elsewhere.

    The Laplacian is that of the edges ``g_i W_ij g_j``, with the Poisson weights `g` of the labels.
    """
    known = counts.sum(axis=1) > 0
    g = poisson_factors(W, known)
    weighted = g[:, None] * W * g
    degrees = weighted.sum(axis=1)
    system = np.diag((1 + DYING) * degrees + 1e-12 * (degrees.max(initial=0.0) or 1.0)) - weighted
    scores = np.zeros(counts.shape)
    scores[known] = counts[known] / counts[known].sum(axis=1, keepdims=True)
    free = ~known
    if free.any():
        pull = weighted[np.ix_(free, known)] @ scores[known]
        scores[free] = np.linalg.solve(system[np.ix_(free, free)], pull)
    return scores


def poisson_factors(W: FloatArray, known: BoolArray) -> FloatArray:
    """Weights that are large near labels: the solution of a Poisson equation, made positive."""
    L = np.diag(W.sum(axis=1)) - W
    scale = float(L.diagonal().mean()) or 1.0
    g = np.linalg.solve(L + 1e-6 * scale * np.eye(len(W)), known - known.mean())
    return np.asarray(g - g.min() + 1e-5 * (np.ptp(g) or 1.0))


def vopt(query: Query, n: int) -> list[Question]:
    """The label that lowers the sum of all variances most (Ji and Han 2012)."""
    return one_by_one(query, n, variance_lowered, "tells most about other rows")


def variance_lowered(C: FloatArray, graph: DenseLevel, shares: FloatArray) -> FloatArray:
    """``sum_i size_i C_ik^2 / (C_kk + noise)`` for a label at each aggregate."""
    return np.asarray(graph.sizes @ C**2 / (C.diagonal() + NOISE))


def sigma(query: Query, n: int) -> list[Question]:
    """The label that lowers the variance of the mean most (Ma, Garnett and Schneider 2013)."""
    return one_by_one(query, n, mean_variance_lowered, "tells most about the whole")


def mean_variance_lowered(C: FloatArray, graph: DenseLevel, shares: FloatArray) -> FloatArray:
    """``(sum_i size_i C_ik)^2 / (C_kk + noise)`` for a label at each aggregate."""
    return np.asarray((graph.sizes @ C) ** 2 / (C.diagonal() + NOISE))


def model_change(query: Query, n: int) -> list[Question]:
    """The likeliest answer that would change the scores most (Miller and Bertozzi 2021)."""
    return one_by_one(query, n, change, "its answer changes most")


def change(C: FloatArray, graph: DenseLevel, shares: FloatArray) -> FloatArray:
    """``|e - shares_k| sqrt(sum_i size_i C_ik^2) / (C_kk + noise)``, with `e` the likeliest class."""
    likeliest = np.eye(shares.shape[1])[shares.argmax(axis=1)]
    surprise = np.linalg.norm(likeliest - shares, axis=1)
    return np.asarray(surprise * np.sqrt(graph.sizes @ C**2) / (C.diagonal() + NOISE))


def one_by_one(query: Query, n: int, gain: Gain, reason: str) -> list[Question]:
    """Aggregates of the highest gain, one after the other; the covariance is conditioned on each."""
    graph = query.dense
    C, is_open = covariance(graph), graph.open.copy()
    shares = np.ones((len(C), 1))
    if query.n_classes:
        shares = summed_rows(graph.members, query.shares, len(C)) / graph.sizes[:, None]
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        best = int(np.where(is_open, gain(C, graph, shares), -np.inf).argmax())
        questions.append(Question(query.row_in(best), reason))
        C = conditioned(C, best)
        is_open[best] = False
    return questions


def covariance(graph: DenseLevel) -> FloatArray:
    """Covariance of a smooth random function, given the labels."""
    known = np.diag(graph.counts.sum(axis=1) / NOISE)
    return np.linalg.inv(laplacian(graph.W) + DAMPING * np.eye(len(graph.W)) + known)


def conditioned(C: FloatArray, at: int) -> FloatArray:
    """The covariance after one more label."""
    return C - np.outer(C[at], C[at]) / (C[at, at] + NOISE)


STRATEGIES = (
    Strategy("cover", "its neighbourhood holds most rows that no label is near to", cover),
    Strategy("dirichlet", "the shares of its classes vary most under Dirichlet learning", dirichlet),
    Strategy("entropy", "the class is least decided among all", entropy, needs_labels=2),
    Strategy(
        "model change", "its answer would change the scores of all rows most", model_change, needs_labels=2
    ),
    Strategy("sigma", "lowers the variance of the mean of a smooth function most", sigma),
    Strategy("smallest norm", "the scores that reach it are smallest in norm", smallest_norm, needs_labels=1),
    Strategy("vopt", "lowers the variance of a smooth function most", vopt),
)


Peer: TypeAlias = tuple[str, int, Callable[[Query, int], list[Question]]]


@contextmanager
def registered(data: Dataset, quick: bool = False) -> Iterator[None]:
    """Register them, peers where they are installed and fit the data; forget all in the end."""
    names = [each.name for each in STRATEGIES]
    for each in STRATEGIES:
        strategy(each.name, each.summary, needs_labels=each.needs_labels)(each.choose)
    if len(data.y) <= LARGEST_FOR_PEERS and not quick:
        for name, needs, choose in [*_graphlearning(data), *_scikit_activeml(data)]:
            strategy(name, "a peer", needs_labels=needs)(choose)
            names.append(name)
    try:
        yield
    finally:
        for name in names:
            forget(name)


def _graphlearning(data: Dataset) -> list[Peer]:
    try:
        import graphlearning as gl
        from graphlearning import active_learning as al
    except ImportError as error:
        print(f'graphlearning is left out: {error}. Get it by pip install "graphwell[bench]".')
        return []
    from scipy.sparse.linalg import eigsh

    W = data.graph.W
    values, vectors = eigsh(
        data.graph.S, k=min(EIGENVECTORS, len(data.y) - 2), which="LA", v0=np.ones(len(data.y))
    )
    spectral = {"C": np.diag(1 / (1 - values + 0.01)), "V": vectors}

    def chooser(acquisition: Any, **given: Any) -> Callable[[Query, int], list[Question]]:
        def choose(query: Query, n: int) -> list[Question]:
            known = np.flatnonzero(query.labels >= 0)
            learner = al.active_learner(gl.ssl.laplace(W), acquisition, known, query.labels[known], **given)
            rows = learner.select_queries(batch_size=n)
            return [Question(int(row), "graphlearning") for row in rows]

        return choose

    return [
        ("graphlearning margin", 2, chooser(al.unc_sampling)),
        ("graphlearning vopt", 2, chooser(al.var_opt, **spectral)),
        ("graphlearning sigma", 2, chooser(al.sigma_opt, **spectral)),
        ("graphlearning model change", 2, chooser(al.model_change, **spectral)),
    ]


def _scikit_activeml(data: Dataset) -> list[Peer]:
    try:
        from skactiveml.pool import CoreSet, TypiClust
    except ImportError as error:
        print(f'scikit-activeml is left out: {error}. Get it by pip install "graphwell[bench]".')
        return []

    def chooser(make: Any) -> Callable[[Query, int], list[Question]]:
        def choose(query: Query, n: int) -> list[Question]:
            labels = np.where(query.labels >= 0, query.labels.astype(float), np.nan)
            rows = make(random_state=query.seed).query(data.X, labels, batch_size=n)
            return [Question(int(row), "scikit-activeml") for row in rows]

        return choose

    return [
        ("scikit-activeml TypiClust", 0, chooser(TypiClust)),
        ("scikit-activeml CoreSet", 0, chooser(CoreSet)),
    ]
