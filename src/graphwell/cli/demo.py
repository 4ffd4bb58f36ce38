"""The main job on data it makes itself: three moons from 25 labels per class."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graphwell import datasets
from graphwell._types import FloatArray, IntArray
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.estimators.methods import spectral_clustering
from graphwell.graph import Graph
from graphwell.metrics import matched_error
from graphwell.solve.schedule import Annealed, Fixed, Schedule
from graphwell.view import plots


@dataclass(frozen=True)
class Row:
    """One line of the demo's table."""

    method: str
    error: float
    paper: str
    seconds: float


def run_demo(out: Path, seed: int = 0) -> tuple[list[Row], Path]:
    """Compare four methods on three moons; write one picture into `out` and return the table."""
    X, truth = datasets.make_three_moons(random_state=seed)
    y = datasets.sample_labels(truth, per_class=25, random_state=seed)
    graph = Graph.from_features(X)
    fixed = _as_in_the_paper(Fixed(1.0, sweeps=800), seed)
    annealed = _as_in_the_paper(Annealed(2.0, 0.1, ratio=0.9, sweeps=40), seed)
    methods: list[tuple[str, str, Callable[[], float]]] = [
        ("nearest labelled point", "", lambda: error_of(_nearest_labelled(X, y), truth)),
        (
            "spectral clustering, no labels",
            "20 %",
            lambda: matched_error(spectral_clustering(graph, 3, random_state=seed), truth),
        ),
        ("graphwell, fixed epsilon", "5.2 %", lambda: error_of(fixed.fit(graph, y).transduction_, truth)),
        (
            "graphwell, annealed epsilon",
            "2.6 %",
            lambda: error_of(annealed.fit(graph, y).transduction_, truth),
        ),
    ]
    default = DiffuseInterfaceClassifier(random_state=seed)
    methods.append(("graphwell, default", "", lambda: error_of(default.fit(graph, y).transduction_, truth)))
    _compile_kernels(graph, y)
    rows = [timed(*method) for method in methods]
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "three_moons.png"
    figure, (given, result, energy) = plots.new_figure(3)
    plane = X[:, :2]
    given.scatter(plane[:, 0], plane[:, 1], s=6, color="0.8", linewidths=0)
    plots.scatter_classes(given, plane[y >= 0], y[y >= 0], "75 labels of 1,500 points")
    plots.mark_given(given, plane, y)
    plots.scatter_classes(
        result, plane, annealed.transduction_, f"Annealed, {100 * rows[3].error:.1f} % wrong"
    )
    plots.mark_wrong(result, plane, annealed.transduction_ != truth)
    plots.energy_per_step(energy, [("fixed", fixed.result_), ("annealed", annealed.result_)])
    plots.save(figure, picture)
    return rows, picture


def _compile_kernels(graph: Graph, y: IntArray) -> None:
    """Run everything once, so that the times in the table are those of every later run."""
    _as_in_the_paper(Fixed(1.0, sweeps=1), seed=0).fit(graph, y)
    DiffuseInterfaceClassifier(random_state=0).fit(graph, y)


def _as_in_the_paper(schedule: Schedule, seed: int) -> DiffuseInterfaceClassifier:
    return DiffuseInterfaceClassifier(start="random", schedule=schedule, step_size=0.01, random_state=seed)


def timed(method: str, paper: str, run: Callable[[], float]) -> Row:
    """One line of the table: the error that `run` returns, and how long it took."""
    began = time.perf_counter()
    error = run()
    return Row(method, error, paper, time.perf_counter() - began)


def error_of(labels: IntArray, truth: IntArray) -> float:
    """Share of labels that are wrong."""
    return float((labels != truth).mean())


def _nearest_labelled(X: FloatArray, y: IntArray) -> IntArray:
    from sklearn.neighbors import KNeighborsClassifier

    return np.asarray(KNeighborsClassifier(1).fit(X[y >= 0], y[y >= 0]).predict(X))
