"""The end of the demo: digits without a label, ten questions, and what ten answers are worth."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from graphwell._types import FloatArray, IntArray
from graphwell.active.suggest import suggest
from graphwell.cli.demo import Row, error_of, timed
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.graph import Graph
from graphwell.graph.layout import graph_map
from graphwell.view import plots

QUESTIONS = 10
DRAWS = 5
"""Sets of random labels that are tried."""


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
        after, plane, labels, f"{len(asked)} answers later: {100 - 100 * rows[-1].error:.0f} % right"
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
