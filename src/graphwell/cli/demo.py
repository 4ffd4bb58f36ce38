"""The demo: three moons from 25 labels per class, and digits from ten questions."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from graphwell import datasets
from graphwell._types import FloatArray, IntArray
from graphwell.active.suggest import suggest
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.estimators.methods import spectral_clustering
from graphwell.graph import Graph
from graphwell.graph.layout import graph_map
from graphwell.metrics import matched_error
from graphwell.solve.schedule import Annealed, Fixed, Schedule
from graphwell.view import plots

QUESTIONS = 10
DRAWS = 5
"""Sets of random labels that are tried."""


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
    return np.asarray(KNeighborsClassifier(1).fit(X[y >= 0], y[y >= 0]).predict(X))


def run_questions(out: Path, seed: int = 0) -> tuple[list[Row], Path]:
    """Ask ten questions about digits and label them all; write a picture into `out`, return the table."""
    X, truth = load_digits(return_X_y=True)
    graph = Graph.from_features(X)
    asked = np.array(suggest(graph, n=QUESTIONS, random_state=seed))
    draws = np.random.default_rng(seed).permuted(np.tile(np.arange(len(X)), (DRAWS, 1)), axis=1)[
        :, :QUESTIONS
    ]
    labels: dict[str, IntArray] = {}

    def graphwell(known: IntArray) -> float:
        labels["last"] = _spread(graph, truth, known, seed)
        return error_of(labels["last"], truth)

    def logistic(known: IntArray) -> float:
        return error_of(_logistic(X, truth, known), truth)

    rows = [
        timed(f"{name}, {QUESTIONS} {what}", "", partial(_mean, way, sets))
        for what, sets in (("random labels", draws), ("answers", asked[None]))
        for name, way in (("logistic regression", logistic), ("graphwell", graphwell))
    ]
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "ten_questions.png"
    _draw(graph_map(graph), asked, labels["last"], rows, picture)
    return rows, picture


def _mean(way: Callable[[IntArray], float], sets: IntArray) -> float:
    """Mean error over sets of known rows."""
    return float(np.mean([way(known) for known in sets]))


def _spread(graph: Graph, truth: IntArray, known: IntArray, seed: int) -> IntArray:
    """Labels of all digits from those that are known."""
    y = np.full(len(truth), -1)
    y[known] = truth[known]
    return np.asarray(DiffuseInterfaceClassifier(random_state=seed).fit(graph, y).transduction_)


def _logistic(X: FloatArray, truth: IntArray, known: IntArray) -> IntArray:
    return np.asarray(LogisticRegression(max_iter=1000).fit(X[known] / 16, truth[known]).predict(X / 16))


def _draw(plane: FloatArray, asked: IntArray, labels: IntArray, rows: list[Row], picture: Path) -> None:
    """The map before and after, and the errors beside each other."""
    figure, (before, after, errors) = plots.new_figure(3)
    before.scatter(*plane.T, s=6, color="0.75", linewidths=0)
    plots.mark_questions(before, plane[asked])
    before.set_title(f"{len(plane):,} digits without a label, {len(asked)} questions")
    plots.scatter_classes(
        after, plane, labels, f"{len(asked)} answers later: {100 - 100 * rows[-1].error:.0f} % correct"
    )
    for panel in (before, after):
        panel.set_aspect("equal")
        panel.set_axis_off()
    shown = [100 * row.error for row in rows]
    bars = errors.barh(
        [row.method.replace(", ", "\n") for row in rows], shown, color=["0.75"] * 3 + ["#1f6f8b"]
    )
    errors.bar_label(bars, fmt="%.0f %%", padding=3)
    errors.invert_yaxis()
    errors.set_title("labels that are wrong")
    errors.set_xticks([])
    errors.spines[:].set_visible(False)
    plots.save(figure, picture)
