"""Spectral clustering of three moons read in many ways: to find the one that gives the paper's 20 %.

The paper's sentence is short: k-means on the first 3 eigenvectors of the symmetric graph Laplacian, on the
graph of 10 nearest neighbours. Each reading below changes one thing in that.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.experiments.methods import ANNEALED, Case, on_one_thread, run_paper
from graphwell.experiments.record import Counter, Line, Run, Section, error_line
from graphwell.metrics import matched_error
from graphwell.progress import Progress, silent

NAME = "spectral"
MULTICLASS = f"{NAME}.multiclass-all"
PAPER = 20.0
NEAR = 2.5
"""Readings this many points from the paper's mean, and with no larger spread, count as near."""


class Points:
    """Points with the graphs and eigenvectors that the readings ask for, each made once."""

    def __init__(self, X: FloatArray) -> None:
        from scipy.spatial.distance import cdist

        self.X = X
        self.distances = cdist(X, X)
        self.ranks = self.distances.argsort(axis=1).argsort(axis=1)
        self.scales = np.sort(self.distances, axis=1)[:, 10]
        self._vectors: dict[tuple[object, ...], FloatArray] = {}

    def affinity(self, n_neighbors: int = 10, joined: str = "either", scale: str = "local") -> FloatArray:
        """Weights between points, kept where either or both chose the other, or everywhere ("all")."""
        tau = np.full(len(self.X), np.median(self.scales)) if scale == "global" else self.scales
        chosen = self.ranks <= n_neighbors
        kept = {"either": chosen | chosen.T, "both": chosen & chosen.T, "all": True}[joined]
        W = np.where(kept, np.exp(-(self.distances**2) / np.outer(tau, tau)), 0.0)
        np.fill_diagonal(W, 0.0)
        return W

    def eigenvectors(
        self,
        columns: slice = slice(0, 3),
        n_neighbors: int = 10,
        joined: str = "either",
        scale: str = "local",
        laplacian: str = "symmetric",
    ) -> FloatArray:
        """Eigenvectors of a Laplacian by rising eigenvalue, from the first four of them."""
        key = (n_neighbors, joined, scale, laplacian)
        if key not in self._vectors:
            self._vectors[key] = _first_four(self.affinity(n_neighbors, joined, scale), laplacian)
        return self._vectors[key][:, columns]


def _first_four(W: FloatArray, laplacian: str) -> FloatArray:
    from scipy.linalg import eigh

    degrees = np.maximum(W.sum(axis=1), np.finfo(float).tiny)
    root = np.sqrt(degrees)
    L = np.diag(degrees) - W if laplacian == "plain" else np.eye(len(W)) - W / np.outer(root, root)
    vectors = eigh(L, subset_by_index=[0, 3])[1]
    return np.asarray(vectors / root[:, None] if laplacian == "random walk" else vectors)


def _unit_rows(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


@dataclass(frozen=True)
class Reading:
    """One way to read the sentence: rows for k-means made from the points, and the number of its starts."""

    key: str
    title: str
    rows: Callable[[Points], FloatArray]
    n_init: int = 1


READINGS = (
    Reading("as-printed", "as printed", lambda p: p.eigenvectors()),
    Reading("many-starts", "best of 20 starts of k-means", lambda p: p.eigenvectors(), n_init=20),
    Reading("unit-rows", "rows of unit length", lambda p: _unit_rows(p.eigenvectors())),
    Reading("second-third", "eigenvectors 2 and 3", lambda p: p.eigenvectors(slice(1, 3))),
    Reading("second-fourth", "eigenvectors 2 to 4", lambda p: p.eigenvectors(slice(1, 4))),
    Reading("plain", "unnormalised Laplacian", lambda p: p.eigenvectors(laplacian="plain")),
    Reading("walk", "random-walk Laplacian", lambda p: p.eigenvectors(laplacian="random walk")),
    Reading("both", "edges where both chose the other", lambda p: p.eigenvectors(joined="both")),
    Reading("global", "one scale for all points", lambda p: p.eigenvectors(scale="global")),
    Reading("five", "N = 5", lambda p: p.eigenvectors(n_neighbors=5)),
    Reading("thirty", "N = 30", lambda p: p.eigenvectors(n_neighbors=30)),
    Reading("four-hundred", "N = 400", lambda p: p.eigenvectors(n_neighbors=400)),
    Reading("all", "all points joined, local scaling kept", lambda p: p.eigenvectors(joined="all")),
    Reading("points", "k-means on the points themselves, no graph", lambda p: p.X),
)


@on_one_thread
def spectral_readings(
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 500,
    data_sets: int = 3,
    readings: tuple[Reading, ...] = READINGS,
) -> Section:
    """Run every reading on several draws of three moons."""
    executions = max(1, round(min(runs, 20) / data_sets))
    counter = Counter("spectral clustering", data_sets * len(readings), progress)
    done: list[Run] = []
    for data_set in range(seed, seed + data_sets):
        X, truth = gw.datasets.make_three_moons(n_per_class, random_state=data_set)
        points = Points(X)
        for reading in readings:
            done += _executions(reading, points, truth, data_set, range(seed, seed + executions))
            counter()
        done.append(_multiclass_on_all(points, truth, data_set))
    lines = [error_line(f"{NAME}.{reading.key}", reading.title, done) for reading in readings]
    lines.append(error_line(MULTICLASS, "multiclass model, annealed, all points joined", done))
    return Section(
        NAME,
        "Spectral clustering: which reading gives 20 %?",
        f"Three moons, {data_sets} draws of the data, {executions} executions of k-means on each. Every line "
        "changes one thing in the paper's recipe; the paper's 20 ± 0.6 % (best 18.67 %) stands beside each.",
        lines,
        done,
        remarks=[_finding(lines)],
    )


def _executions(reading: Reading, points: Points, truth: IntArray, data_set: int, seeds: range) -> list[Run]:
    from sklearn.cluster import KMeans

    began = time.perf_counter()
    rows = reading.rows(points)
    embedding = time.perf_counter() - began
    done = []
    for seed in seeds:
        began = time.perf_counter()
        kmeans = KMeans(int(truth.max()) + 1, init="random", n_init=reading.n_init, random_state=seed)
        error = matched_error(kmeans.fit_predict(rows), truth)
        seconds = embedding + time.perf_counter() - began
        done.append(Run(f"{NAME}.{reading.key}", seed, data_set, None, error, seconds, 0))
    return done


def _multiclass_on_all(points: Points, truth: IntArray, data_set: int) -> Run:
    """The multiclass model on the graph that joins all points."""
    graph = gw.Graph.from_affinity(points.affinity(joined="all"))
    given = gw.datasets.sample_labels(truth, max(1, len(truth) // 60), random_state=data_set)
    case = Case(graph, truth, given, data_set, data_set)
    return run_paper(MULTICLASS, case, ANNEALED, data_set)[0]


def _finding(lines: list[Line]) -> str:
    """Say which readings come near the paper in mean and spread, and what follows."""
    readings = [line for line in lines if line.key != MULTICLASS]
    near = [line for line in readings if abs(line.mean - PAPER) <= NEAR and line.spread <= NEAR]
    nearest = min(readings, key=lambda line: abs(line.mean - PAPER) + line.spread)
    means = {line.key.split(".")[1]: line.mean for line in lines}
    names = ", ".join(f"“{line.title}”" for line in near) or "none"
    return (
        f"As printed, the recipe gives {means['as-printed']:.1f} % on our points, not 20 %. Within {NEAR:g} "
        f"points of 20 % and with a spread as small lie only: {names}. Nearest is “{nearest.title}” with "
        f"{nearest.mean:.1f} ± {nearest.spread:.1f} % (best {nearest.best:.1f} %). Wherever 10 neighbours "
        "are used the error is near 8 %, or, with one eigenvector too many, varies by ten points between "
        "executions, which the paper's ± 0.6 % rules out. So the published 20 % was probably computed "
        "without the neighbourhood graph. The figures of the multiclass model were not: where all points "
        f"are joined, it fails ({means['multiclass-all']:.0f} %)."
    )
