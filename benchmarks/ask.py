"""Which rows to label next: error against the number of questions, every strategy, against the bars.

Those of the package, seven more that did worse, and peers. Each asks K questions at a time, K being the
number of classes. The default classifier is fitted after K, 2K, 4K and 10K answers. Strategies that need
labels begin at random. Constants were chosen on even seeds.

The seven work on `query.dense`, at most a thousand aggregates of the rows. VOpt, sigma-optimality and model
change take the labels for values of a smooth random function with this covariance:

    (L_s + damping + labels / noise)^-1
"""

import multiprocessing
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from benchmarks.data import Dataset, available
from benchmarks.output import Options, on_one_thread, show_frame, write_json
from graphwell import active
from graphwell._types import BoolArray, FloatArray
from graphwell.active import Query, Question, forget, strategy
from graphwell.active.query import DenseLevel
from graphwell.active.strategies import border, laplacian
from graphwell.solve.coarse import summed_rows

SETS = (
    "mnist", "mnist/cut", "penbased/raw", "satimage/raw", "texture/raw", "optdigits", "optdigits/cut",
    "digits", "usps_2class/raw",
)  # fmt: skip
SEEDS = (1, 3, 5, 7, 9)
POINTS = (1, 2, 4, 10)
"""Where the error is measured, in numbers of classes."""
BARS = {
    ("mnist", 1): 2.8, ("mnist", 2): 2.6, ("mnist", 4): 2.5, ("optdigits", 1): 1.6, ("optdigits", 2): 1.5,
    ("digits", 1): 5.5, ("digits", 2): 3.8, ("texture/raw", 1): 4.5, ("texture/raw", 2): 4.5,
}  # fmt: skip
"""Error in % of the rows without an answer."""
OURS, FLOOR = "auto", "random"
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

Choose: TypeAlias = Callable[[Query, int], list[Question]]
Steps: TypeAlias = Generator[FloatArray, int, None]
"""Gives what a label at each aggregate gains; is sent the aggregate that is chosen, and goes on."""
Gain: TypeAlias = Callable[[FloatArray, DenseLevel, FloatArray], FloatArray]
"""Given covariance, graph and class shares of the aggregates: the gain of a label at each."""


def ask(options: Options) -> None:
    """Simulate, print the tables, and write ask.json."""
    runs: list[dict[str, Any]] = []
    with on_one_thread():
        for data in available(options.data or SETS):
            runs += measured(data, options)
            write_json(options.out / "ask.json", {"runs": runs})
    if runs:
        report(pd.DataFrame(runs))


def measured(data: Dataset, options: Options) -> list[dict[str, Any]]:
    """All strategies and seeds on one set, in processes that share its graph."""
    began = time.perf_counter()
    print(f"{data.name}: {data.graph}", flush=True)
    with registered(data, quick=options.quick):
        names = options.strategies or list(active.strategies())
        seeds = options.seeds or (SEEDS[:2] if options.quick else SEEDS)
        global _shared
        _shared = data
        _simulated((OURS, seeds[0]))  # compiles, and warms up what the processes inherit
        tasks = [(name, seed) for name in names for seed in seeds]
        with multiprocessing.get_context("fork").Pool(options.processes) as pool:
            runs = pool.map(_simulated, tasks, chunksize=1)
    print(f"{data.name}: {len(runs)} runs in {time.perf_counter() - began:.0f} s", flush=True)
    return runs


_shared: Dataset


def _simulated(task: tuple[str, int]) -> dict[str, Any]:
    """One strategy with one seed: errors and classes at each point, and what it cost.

    `all_found` is the number of questions after which every class had a label; None if some never had.
    """
    name, seed = task
    data, n_classes = _shared, len(np.unique(_shared.y))
    points = [times * n_classes for times in POINTS]
    began = time.perf_counter()
    curve = active.simulate(
        data.graph, data.y, name, points[-1], n_classes, seed, measured_at=points, n_jobs=1
    )
    seconds = time.perf_counter() - began
    firsts = np.unique(data.y[curve.rows], return_index=True)[1]
    errors = [float(100 * error) for error in curve.errors]
    return {
        "data": data.name, "strategy": name, "seed": seed, "n_classes": n_classes, "errors": errors,
        "area": float(np.mean(errors)), "found": curve.n_classes_found.tolist(),
        "all_found": int(firsts.max()) + 1 if len(firsts) == n_classes else None,
        "claimed": [estimate.interval for estimate in curve.estimates], "seconds": seconds,
    }  # fmt: skip


def report(runs: pd.DataFrame) -> None:
    """Print errors, areas, classes found, bars, and how often the claimed accuracy held."""
    errors = [f"{times}K" for times in POINTS]
    runs = runs.assign(**dict(zip(errors, np.array(runs.errors.tolist()).T, strict=True)))
    runs["found at K"] = [found[0] for found in runs.found]
    for data, here in runs.groupby("data", sort=False):
        means = here.groupby("strategy", sort=False)[[*errors, "area", "found at K", "all_found", "seconds"]]
        table = means.mean()
        table["runs that found all"] = [f"{each.all_found.count()} of {len(each)}" for _, each in means]
        show_frame(f"{data}: error in %, mean of the seeds", table)
    areas = (
        runs.pivot_table("area", "strategy", "data").dropna(axis=1).mean(axis=1)
    )  # sets that all were run on
    show_frame("Mean area over all sets", areas.sort_values().to_frame("area"))
    show_frame("Bars", pd.DataFrame(bars(runs)).set_index("row"))
    gaps = pd.DataFrame(behind(runs), columns=["row", "points"]).set_index("row")
    show_frame(f"{OURS} behind {FLOOR} by more than a standard error", gaps)
    own = runs[runs.strategy == OURS]
    held = [
        low <= 1 - error / 100 <= high
        for errors, claimed in zip(own.errors, own.claimed, strict=True)
        for error, (low, high) in zip(errors, claimed, strict=True)
    ]
    if held:
        print(f"The claimed interval of the accuracy held the truth in {100 * np.mean(held):.0f} % "
              f"of {len(held)} cases ({OURS}; 90 % are claimed).")  # fmt: skip


def bars(runs: pd.DataFrame) -> list[dict[str, Any]]:
    """Errors beside their bars; on cut sets all classes must be found in half of the questions of chance."""
    rows = []
    for (data, times), bar in BARS.items():
        here = runs[(runs.data == data) & (runs.strategy == OURS)]
        if len(here):
            error = np.mean(here.errors.tolist(), axis=0)[POINTS.index(times)]
            rows.append({"row": f"{data}, {times}K", "reached": error, "bar": bar, "met": error <= bar})
    for data, here in runs[runs.data.str.endswith("/cut")].groupby("data", sort=False):
        most = here.n_classes * POINTS[-1]
        needed = (
            here.assign(all_found=here.all_found.astype(float).fillna(most)).groupby("strategy").all_found
        )
        mean, always = needed.mean(), here[here.strategy == OURS].all_found.notna().all()
        if {OURS, FLOOR} <= set(mean.index):
            bar = mean[FLOOR] / 2
            met = always and mean[OURS] <= bar
            rows.append({"row": f"{data}, all classes after", "reached": mean[OURS], "bar": bar, "met": met})
    return [{**row, "met": "met" if row["met"] else "MISSED"} for row in rows] or [{"row": "none"}]


def behind(runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Where the default needs more than chance, by more than a standard error."""
    found = []
    for data, here in runs.groupby("data", sort=False):
        ours, chance = (np.array(here[here.strategy == name].errors.tolist()) for name in (OURS, FLOOR))
        if len(ours) and len(chance):
            gap = ours.mean(axis=0) - chance.mean(axis=0)
            doubt = np.sqrt((ours.var(axis=0) + chance.var(axis=0)) / len(ours))
            rows = zip(POINTS, gap, doubt, strict=True)
            found += [
                (f"{data}, {n}K", f"{points:.2f} ± {error:.2f}")
                for n, points, error in rows
                if points > error
            ]
    return found


def entropy(query: Query, n: int) -> list[Question]:
    """Rows of the highest entropy, apart from each other."""
    entropies = -np.sum(query.shares * np.log(np.maximum(query.shares, 1e-300)), axis=1) + 0.0
    return [Question(int(row), border(query, int(row))) for row in query.batch(entropies, n)]


def one_by_one(gains_of: Callable[[Query], Steps], reason: str) -> Choose:
    """A strategy that takes the aggregate of the highest gain, one after the other."""

    def choose(query: Query, n: int) -> list[Question]:
        is_open, steps = query.dense.open.copy(), gains_of(query)
        gains = next(steps)
        questions: list[Question] = []
        while len(questions) < n and is_open.any():
            best = int(np.where(is_open, gains, -np.inf).argmax())
            questions.append(Question(query.row_in(best), reason))
            is_open[best] = False
            gains = steps.send(best)
        return questions

    return choose


def cover(query: Query) -> Steps:
    """A greedy cover: the neighbourhoods that hold most rows not covered by labels and earlier questions."""
    graph = query.dense
    near = neighbourhoods(graph.W)
    covered = near[graph.counts.any(axis=1)].max(axis=0, initial=0.0)
    while True:
        best = yield np.maximum(near - covered, 0.0) @ graph.sizes
        covered = np.maximum(covered, near[best])


def neighbourhoods(W: FloatArray) -> FloatArray:
    """How much a label at each vertex (rows) covers each vertex: its walks of some steps, 1 at most."""
    degrees = W.sum(axis=1)
    walk = np.eye(len(W)) + np.divide(W, degrees[:, None], out=np.zeros(W.shape), where=degrees[:, None] > 0)
    reach = np.linalg.matrix_power(walk / 2, WALK_STEPS)
    return np.asarray(reach / reach.max(axis=1, keepdims=True))


def dirichlet(query: Query) -> Steps:
    """The highest variance under Dirichlet learning (Miller and Murray 2024); answers are the likeliest."""
    graph = query.dense
    K = np.linalg.inv(laplacian(graph.W) + DAMPING * np.eye(len(graph.W)))
    reach = np.clip(K / K.diagonal(), 0.0, None)  # of a label at each aggregate (columns)
    counts = np.hstack([graph.counts, np.zeros((len(reach), 1))])  # the last class is one not met yet
    labels = PRIOR / counts.shape[1] + reach @ counts
    while True:
        best = yield graph.sizes * dirichlet_variances(labels)
        labels[:, labels[best].argmax()] += reach[:, best]


def dirichlet_variances(labels: FloatArray) -> FloatArray:
    """Sum of the variances of class shares that have a Dirichlet distribution."""
    total = labels.sum(axis=1, keepdims=True)
    mean = labels / total
    return np.sum(mean * (1 - mean), axis=1) / (total[:, 0] + 1)


def smallest_norm(query: Query) -> Steps:
    """The smallest norm of scores that die away with the distance from the labels (Miller and Calder 2023).

    Each aggregate that is chosen is then taken to have a class of its own.
    """
    counts = query.dense.counts
    while True:
        best = yield -np.linalg.norm(damped_scores(query.dense.W, counts), axis=1)
        counts = np.hstack([counts, (np.arange(len(counts)) == best)[:, None].astype(float)])


def damped_scores(W: FloatArray, counts: FloatArray) -> FloatArray:
    """Scores of the labels where there are any, and solutions of ``(L + dying D) u = 0`` elsewhere.

    The Laplacian is that of the edges ``g_i W_ij g_j``, with the Poisson weights `g` of the labels.
    """
    known = counts.sum(axis=1) > 0
    g = poisson_factors(W, known)
    weighted = g[:, None] * W * g
    degrees = weighted.sum(axis=1)
    system = np.diag((1 + DYING) * degrees + 1e-12 * (degrees.max(initial=0.0) or 1.0)) - weighted
    scores, free = np.zeros(counts.shape), ~known
    scores[known] = counts[known] / counts[known].sum(axis=1, keepdims=True)
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


def by_covariance(query: Query, gain: Gain) -> Steps:
    """The gain of a label under a covariance that is conditioned on each that is chosen."""
    graph = query.dense
    C = covariance(graph)
    shares = np.ones((len(C), 1))
    if query.n_classes:
        shares = summed_rows(graph.members, query.shares, len(C)) / graph.sizes[:, None]
    while True:
        best = yield gain(C, graph, shares)
        C = conditioned(C, best)


def covariance(graph: DenseLevel) -> FloatArray:
    """Covariance of a smooth random function, given the labels."""
    known = np.diag(graph.counts.sum(axis=1) / NOISE)
    return np.linalg.inv(laplacian(graph.W) + DAMPING * np.eye(len(graph.W)) + known)


def conditioned(C: FloatArray, at: int) -> FloatArray:
    """The covariance after one more label."""
    return C - np.outer(C[at], C[at]) / (C[at, at] + NOISE)


def vopt(C: FloatArray, graph: DenseLevel, shares: FloatArray) -> FloatArray:
    """By how much a label lowers the sum of all variances: ``sum_i size_i C_ik^2 / (C_kk + noise)``."""
    return np.asarray(graph.sizes @ C**2 / (C.diagonal() + NOISE))


def sigma(C: FloatArray, graph: DenseLevel, shares: FloatArray) -> FloatArray:
    """By how much a label lowers the variance of the mean: ``(sum_i size_i C_ik)^2 / (C_kk + noise)``."""
    return np.asarray((graph.sizes @ C) ** 2 / (C.diagonal() + NOISE))


def model_change(C: FloatArray, graph: DenseLevel, shares: FloatArray) -> FloatArray:
    """``|e - shares_k| sqrt(sum_i size_i C_ik^2) / (C_kk + noise)``, with `e` the likeliest class."""
    likeliest = np.eye(shares.shape[1])[shares.argmax(axis=1)]
    surprise = np.linalg.norm(likeliest - shares, axis=1)
    return np.asarray(surprise * np.sqrt(graph.sizes @ C**2) / (C.diagonal() + NOISE))


STRATEGIES: dict[str, tuple[int, Choose]] = {
    "cover": (0, one_by_one(cover, "stands for most rows")),
    "dirichlet": (0, one_by_one(dirichlet, "few labels near")),
    "entropy": (2, entropy),
    # Miller and Bertozzi 2021; Ma, Garnett and Schneider 2013; Ji and Han 2012
    "model change": (2, one_by_one(partial(by_covariance, gain=model_change), "its answer changes most")),
    "sigma": (0, one_by_one(partial(by_covariance, gain=sigma), "tells most about the whole")),
    "vopt": (0, one_by_one(partial(by_covariance, gain=vopt), "tells most about other rows")),
    "smallest norm": (1, one_by_one(smallest_norm, "far from every label")),
}
"""Classes that must be known before, and the strategy."""


@contextmanager
def registered(data: Dataset, quick: bool = False) -> Iterator[None]:
    """Register them, peers where they are installed and fit the data; forget all in the end."""
    added = dict(STRATEGIES)
    if len(data.y) <= LARGEST_FOR_PEERS and not quick:
        for library in (_graphlearning, _scikit_activeml):
            try:
                added |= library(data)
            except ImportError as error:
                print(f'{error}; get it by pip install "graphwell[bench]".')
    for name, (needs_labels, choose) in added.items():
        strategy(name, "of the benchmark", needs_labels=needs_labels)(choose)
    try:
        yield
    finally:
        for name in added:
            forget(name)


def _graphlearning(data: Dataset) -> dict[str, tuple[int, Choose]]:
    import graphlearning as gl
    from graphlearning import active_learning as al
    from scipy.sparse.linalg import eigsh

    first, k = np.ones(len(data.y)), min(EIGENVECTORS, len(data.y) - 2)
    values, vectors = eigsh(data.graph.S, k=k, which="LA", v0=first)
    spectral = {"C": np.diag(1 / (1 - values + 0.01)), "V": vectors}

    def chooser(acquisition: Any, **given: Any) -> Choose:
        def choose(query: Query, n: int) -> list[Question]:
            known, model = np.flatnonzero(query.labels >= 0), gl.ssl.laplace(data.graph.W)
            learner = al.active_learner(model, acquisition, known, query.labels[known], **given)
            rows = learner.select_queries(batch_size=n)
            return [Question(int(row), "graphlearning") for row in rows]

        return choose

    return {
        "graphlearning margin": (2, chooser(al.unc_sampling)),
        "graphlearning vopt": (2, chooser(al.var_opt, **spectral)),
        "graphlearning sigma": (2, chooser(al.sigma_opt, **spectral)),
        "graphlearning model change": (2, chooser(al.model_change, **spectral)),
    }


def _scikit_activeml(data: Dataset) -> dict[str, tuple[int, Choose]]:
    from skactiveml.pool import CoreSet, TypiClust

    def chooser(make: Any) -> Choose:
        def choose(query: Query, n: int) -> list[Question]:
            labels = np.where(query.labels >= 0, query.labels.astype(float), np.nan)
            rows = make(random_state=query.seed).query(data.X, labels, batch_size=n)
            return [Question(int(row), "scikit-activeml") for row in rows]

        return choose

    return {
        "scikit-activeml TypiClust": (0, chooser(TypiClust)),
        "scikit-activeml CoreSet": (0, chooser(CoreSet)),
    }
