"""The demo: three moons from 25 labels per class, and digits from ten questions."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from graphwell import datasets
from graphwell._types import IntArray
from graphwell.active.suggest import suggest
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.estimators.methods import spectral_clustering
from graphwell.graph import Graph
from graphwell.graph.maps import graph_map
from graphwell.metrics import matched_error
from graphwell.solve.schedule import Annealed, Fixed
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


def timed(method: str, paper: str, label: Callable[[], IntArray], truth: IntArray) -> Row:
    """One line of the table: the share of labels that are wrong, and how long they took."""
    began = time.perf_counter()
    labels = label()
    return Row(method, float((labels != truth).mean()), paper, time.perf_counter() - began)


def run_demo(out: Path, seed: int = 0) -> tuple[list[Row], Path]:
    """Compare five ways on three moons; write one picture into `out` and return the table."""
    X, truth = datasets.make_three_moons(random_state=seed)
    y = datasets.sample_labels(truth, per_class=25, random_state=seed)
    graph = Graph.from_features(X)
    of_paper: dict[str, Any] = {"start": "random", "step_size": 0.01, "random_state": seed}
    fixed = DiffuseInterfaceClassifier(schedule=Fixed(1.0, sweeps=800), **of_paper)
    annealed = DiffuseInterfaceClassifier(schedule=Annealed(2.0, 0.1, ratio=0.9, sweeps=40), **of_paper)
    default = DiffuseInterfaceClassifier(models=None, random_state=seed)
    for once in (DiffuseInterfaceClassifier(schedule=Fixed(1.0, sweeps=1), **of_paper), default):
        once.fit(graph, y)  # compiles the kernels, so that times are those of every later run
    nearest = KNeighborsClassifier(1).fit(X[y >= 0], y[y >= 0])
    began = time.perf_counter()
    spectral = matched_error(spectral_clustering(graph, 3, random_state=seed), truth)
    seconds = time.perf_counter() - began
    rows = [
        timed("nearest labelled point", "", lambda: nearest.predict(X), truth),
        Row("spectral clustering, no labels", spectral, "20 %", seconds),
        timed("graphwell, fixed epsilon", "5.2 %", lambda: fixed.fit(graph, y).transduction_, truth),
        timed("graphwell, annealed epsilon", "2.6 %", lambda: annealed.fit(graph, y).transduction_, truth),
        timed("graphwell, default", "", lambda: default.fit(graph, y).transduction_, truth),
    ]
    figure, (given, result, energy) = plots.new_figure(3)
    plane = X[:, :2]
    given.scatter(plane[:, 0], plane[:, 1], s=6, color="0.8", linewidths=0)
    plots.scatter_classes(given, plane[y >= 0], y[y >= 0], "75 labels of 1,500 points")
    plots.mark_given(given, plane, y)
    wrong = f"Annealed, {100 * rows[3].error:.1f} % wrong"
    plots.scatter_classes(result, plane, annealed.transduction_, wrong)
    plots.mark_wrong(result, plane, annealed.transduction_ != truth)
    plots.energy_per_step(energy, [("fixed", fixed.result_), ("annealed", annealed.result_)])
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "three_moons.png", dpi=120)
    return rows, out / "three_moons.png"


def run_questions(out: Path, seed: int = 0) -> tuple[list[Row], Path]:
    """Ask ten questions about digits and label them all; write a picture into `out`, return the table."""
    X, truth = load_digits(return_X_y=True)
    graph = Graph.from_features(X)
    asked = np.array(suggest(graph, n=QUESTIONS, random_state=seed))
    rows_by_draw = np.tile(np.arange(len(X)), (DRAWS, 1))
    draws = np.random.default_rng(seed).permuted(rows_by_draw, axis=1)[:, :QUESTIONS]

    def graphwell(known: IntArray) -> IntArray:
        y = np.full(len(truth), -1)
        y[known] = truth[known]
        return np.asarray(
            DiffuseInterfaceClassifier(models=None, random_state=seed).fit(graph, y).transduction_
        )

    def logistic(known: IntArray) -> IntArray:
        model = LogisticRegression(max_iter=1000).fit(X[known] / 16, truth[known])
        return np.asarray(model.predict(X / 16))

    rows, labels = [], np.zeros((1, len(truth)))
    for what, sets in (("random labels", draws), ("answers", asked[None])):
        for name, way in (("logistic regression", logistic), ("graphwell", graphwell)):
            began = time.perf_counter()
            labels = np.array([way(known) for known in sets])
            seconds = time.perf_counter() - began
            rows.append(Row(f"{name}, {QUESTIONS} {what}", float((labels != truth).mean()), "", seconds))
    plane, correct = graph_map(graph), 100 - 100 * rows[-1].error
    figure, (before, after, errors) = plots.new_figure(3)
    before.scatter(*plane.T, s=6, color="0.75", linewidths=0)
    plots.mark_questions(before, plane[asked])
    before.set_title(f"{len(plane):,} digits without a label, {len(asked)} questions")
    plots.scatter_classes(after, plane, labels[0], f"{len(asked)} answers later: {correct:.0f} % correct")
    for panel in (before, after):
        panel.set_aspect("equal")
        panel.set_axis_off()
    names, shown = [row.method.replace(", ", "\n") for row in rows], [100 * row.error for row in rows]
    bars = errors.barh(names, shown, color=["0.75"] * 3 + ["#1f6f8b"])
    errors.bar_label(bars, fmt="%.0f %%", padding=3)
    errors.invert_yaxis()
    errors.set_title("labels that are wrong")
    errors.set_xticks([])
    errors.spines[:].set_visible(False)
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "ten_questions.png", dpi=120)
    return rows, out / "ten_questions.png"
