"""Spectral clustering of three moons read in many ways: to find the one that gives the paper's 20 %.

The paper's sentence is short: k-means on the first 3 eigenvectors of the symmetric graph Laplacian, on the
graph of 10 nearest neighbours. Each reading below changes one thing in that.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

import graphwell as gw
from graphwell._types import FloatArray
from graphwell.experiments.methods import ANNEALED, Case, run_paper
from graphwell.experiments.moons import on_one_thread
from graphwell.experiments.results import Run, Section, counter, lines_of
from graphwell.metrics import matched_error
from graphwell.progress import Progress, silent

NAME = "spectral"
NEAR = 2.5
"""Readings this many points from the paper's 20 %, and with no larger spread, count as near."""


class Points:
    """Points with the graphs and eigenvectors that the readings ask for, each made once."""

    def __init__(self, X: FloatArray) -> None:
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
            W = self.affinity(n_neighbors, joined, scale)
            degrees = np.maximum(W.sum(axis=1), np.finfo(float).tiny)
            root = np.sqrt(degrees)
            plain = laplacian == "plain"
            L = np.diag(degrees) - W if plain else np.eye(len(W)) - W / np.outer(root, root)
            vectors = eigh(L, subset_by_index=[0, 3])[1]
            self._vectors[key] = vectors / root[:, None] if laplacian == "random walk" else vectors
        return self._vectors[key][:, columns]

    def unit_rows(self) -> FloatArray:
        """The rows of the eigenvectors, of length 1."""
        rows = self.eigenvectors()
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


READINGS: dict[str, Callable[[Points], FloatArray]] = {
    "as-printed": lambda p: p.eigenvectors(),
    "many-starts": lambda p: p.eigenvectors(),  # of k-means
    "unit-rows": lambda p: p.unit_rows(),
    "second-third": lambda p: p.eigenvectors(slice(1, 3)),
    "second-fourth": lambda p: p.eigenvectors(slice(1, 4)),
    "plain": lambda p: p.eigenvectors(laplacian="plain"),
    "walk": lambda p: p.eigenvectors(laplacian="random walk"),
    "both": lambda p: p.eigenvectors(joined="both"),
    "global": lambda p: p.eigenvectors(scale="global"),
    "five": lambda p: p.eigenvectors(n_neighbors=5),
    "thirty": lambda p: p.eigenvectors(n_neighbors=30),
    "four-hundred": lambda p: p.eigenvectors(n_neighbors=400),
    "all": lambda p: p.eigenvectors(joined="all"),
    "points": lambda p: p.X,
}
"""What k-means clusters, by the line of ``expected.toml``."""


@on_one_thread
def spectral_readings(
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 500,
    data_sets: int = 3,
    readings: Sequence[str] = tuple(READINGS),
) -> Section:
    """Run every reading on several draws of three moons."""
    executions = max(1, round(min(runs, 20) / data_sets))
    count = counter("spectral clustering", data_sets * len(readings), progress)
    done: list[Run] = []
    for data_set in range(seed, seed + data_sets):
        X, truth = gw.datasets.make_three_moons(n_per_class, random_state=data_set)
        points = Points(X)
        for reading in readings:
            began = time.perf_counter()
            rows = READINGS[reading](points)
            embedding = time.perf_counter() - began
            for kmeans_seed in range(seed, seed + executions):
                began = time.perf_counter()
                n_init = 20 if reading == "many-starts" else 1
                kmeans = KMeans(3, init="random", n_init=n_init, random_state=kmeans_seed)
                error = matched_error(kmeans.fit_predict(rows), truth)
                seconds = embedding + time.perf_counter() - began
                done.append(Run(f"{NAME}.{reading}", kmeans_seed, data_set, None, error, seconds))
            count()
        graph = gw.Graph.from_affinity(points.affinity(joined="all"))
        given = gw.datasets.sample_labels(truth, max(1, len(truth) // 60), random_state=data_set)
        case = Case(graph, truth, given, data_set, data_set)
        done.append(run_paper(f"{NAME}.multiclass-all", case, ANNEALED, data_set)[0])
    lines = lines_of(NAME, done)
    by_name = {line.key.split(".")[1]: line for line in lines}
    near = [by_name[r] for r in readings if abs(by_name[r].mean - 20.0) <= NEAR and by_name[r].spread <= NEAR]
    names = ", ".join(f"“{line.title}” ({line.mean:.1f} ± {line.spread:.1f} %)" for line in near) or "none"
    return Section(
        NAME,
        "Spectral clustering: which reading gives 20 %?",
        f"Three moons, {data_sets} draws of the data, {executions} executions of k-means on each. Every line "
        "changes one thing in the paper's recipe; the paper's 20 ± 0.6 % (best 18.67 %) stands beside each.",
        lines,
        done,
        remarks=[
            f"As printed, the recipe gives {by_name['as-printed']} on our points, not 20 %. Of the "
            f"{len(readings)} readings, those within {NEAR:g} points of 20 % and with a spread no larger "
            f"are: {names}. Having looked through this many (docs/reproduction.md lists about 50), some were "
            "bound to come near, so a match alone does not show how the published figure was computed; we do "
            "not know. On the graph that joins all points the multiclass model has an error of "
            f"{by_name['multiclass-all'].mean:.0f} %, so that graph is not the one behind the paper's 2.6 %, "
            "although the paper says that both methods used the same."
        ],
    )
