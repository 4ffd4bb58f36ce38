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
from graphwell.experiments.record import Counter, Line, Run, Section, error_line
from graphwell.metrics import matched_error
from graphwell.progress import Progress, silent

NAME = "spectral"
PAPER = 20.0


@dataclass(frozen=True)
class Reading:
    """One way to read the sentence: rows for k-means made from the points, and the number of its starts."""

    key: str
    title: str
    rows: Callable[[FloatArray], FloatArray]
    n_init: int = 1


def affinity(
    X: FloatArray, n_neighbors: int = 10, joined: str = "either", scale: str = "local"
) -> FloatArray:
    """Weights between all points, kept where either or both chose the other, or everywhere ("all")."""
    from scipy.spatial.distance import cdist

    distances = cdist(X, X)
    ranks = distances.argsort(axis=1).argsort(axis=1)
    tau = np.sort(distances, axis=1)[:, 10]
    if scale == "global":
        tau = np.full(len(X), np.median(tau))
    W = np.exp(-(distances**2) / np.outer(tau, tau))
    chosen = ranks <= n_neighbors
    kept = {"either": chosen | chosen.T, "both": chosen & chosen.T, "all": np.ones_like(chosen)}[joined]
    W = np.where(kept, W, 0.0)
    np.fill_diagonal(W, 0.0)
    return W


def eigenvectors(
    W: FloatArray, first: int = 0, count: int = 3, laplacian: str = "symmetric", unit_rows: bool = False
) -> FloatArray:
    """Columns `first` to `first + count` of the eigenvectors of a Laplacian, by rising eigenvalue."""
    from scipy.linalg import eigh

    degrees = np.maximum(W.sum(axis=1), np.finfo(float).tiny)
    root = np.sqrt(degrees)
    L = np.diag(degrees) - W if laplacian == "plain" else np.eye(len(W)) - W / np.outer(root, root)
    vectors = eigh(L, subset_by_index=[first, first + count - 1])[1]
    if laplacian == "random walk":
        vectors = vectors / root[:, None]
    if unit_rows:
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.asarray(vectors)


READINGS = (
    Reading("as-printed", "as printed", lambda X: eigenvectors(affinity(X))),
    Reading("many-starts", "best of 100 starts of k-means", lambda X: eigenvectors(affinity(X)), n_init=100),
    Reading("unit-rows", "rows of unit length", lambda X: eigenvectors(affinity(X), unit_rows=True)),
    Reading("second-third", "eigenvectors 2 and 3", lambda X: eigenvectors(affinity(X), 1, 2)),
    Reading("second-fourth", "eigenvectors 2 to 4", lambda X: eigenvectors(affinity(X), 1, 3)),
    Reading("plain", "unnormalised Laplacian", lambda X: eigenvectors(affinity(X), laplacian="plain")),
    Reading("walk", "random-walk Laplacian", lambda X: eigenvectors(affinity(X), laplacian="random walk")),
    Reading("both", "edges where both chose the other", lambda X: eigenvectors(affinity(X, joined="both"))),
    Reading("global", "one scale for all points", lambda X: eigenvectors(affinity(X, scale="global"))),
    Reading("five", "N = 5", lambda X: eigenvectors(affinity(X, 5))),
    Reading("thirty", "N = 30", lambda X: eigenvectors(affinity(X, 30))),
    Reading("third-of-all", "N = 400", lambda X: eigenvectors(affinity(X, 400))),
    Reading(
        "all", "all points joined, local scaling kept", lambda X: eigenvectors(affinity(X, joined="all"))
    ),
    Reading("points", "k-means on the points themselves, no graph", lambda X: X),
)


def spectral_readings(
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 500,
    data_sets: int = 5,
    readings: tuple[Reading, ...] = READINGS,
) -> Section:
    """Run every reading on several draws of three moons."""
    executions = max(1, round(min(runs, 20) / data_sets))
    counter = Counter("spectral clustering", data_sets * len(readings), progress)
    done: list[Run] = []
    for data_set in range(seed, seed + data_sets):
        X, truth = gw.datasets.make_three_moons(n_per_class, random_state=data_set)
        for reading in readings:
            done += _executions(reading, X, truth, data_set, range(seed, seed + executions))
            counter()
    lines = [error_line(f"{NAME}.{reading.key}", reading.title, done) for reading in readings]
    return Section(
        NAME,
        "Spectral clustering: which reading gives 20 %?",
        f"Three moons, {data_sets} draws of the data, {executions} executions of k-means on each. Every line "
        "changes one thing in the paper's recipe; the paper's 20 ± 0.6 % (best 18.67 %) stands beside each.",
        lines,
        done,
        remarks=[_finding(lines)],
    )


def _executions(reading: Reading, X: FloatArray, truth: IntArray, data_set: int, seeds: range) -> list[Run]:
    from sklearn.cluster import KMeans

    began = time.perf_counter()
    rows = reading.rows(X)
    embedding = time.perf_counter() - began
    done = []
    for seed in seeds:
        began = time.perf_counter()
        kmeans = KMeans(int(truth.max()) + 1, init="random", n_init=reading.n_init, random_state=seed)
        error = matched_error(kmeans.fit_predict(rows), truth)
        seconds = embedding + time.perf_counter() - began
        done.append(Run(f"{NAME}.{reading.key}", seed, data_set, None, error, seconds, 0))
    return done


def _finding(lines: list[Line]) -> str:
    """Name the reading that comes nearest in mean and spread, and say what follows."""
    nearest = min(lines, key=lambda line: abs(line.mean - PAPER) + line.spread)
    printed = lines[0]
    return (
        f"As printed, the recipe gives {printed.mean:.1f} % on our points, not 20 %. Nearest in mean and "
        f"spread comes “{nearest.title}” with {nearest.mean:.1f} ± {nearest.spread:.1f} % (best "
        f"{nearest.best:.1f} %). The readings near 20 % with a small spread have one thing in common: the "
        "neighbourhood graph does no work in them. Readings that take too many eigenvectors reach a mean "
        "of 20 % as well, but with a spread of ten points and best runs near 5 %, which the paper's ± 0.6 "
        "% rules out. We conclude that the published figure was not computed on the graph of 10 nearest "
        "neighbours, and compare with our own."
    )
