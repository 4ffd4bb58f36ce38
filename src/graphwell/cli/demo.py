"""The demo: 1,797 digits labelled from ten labels, at random or as graphwell asks for them."""

import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from graphwell._types import IntArray
from graphwell.active.session import suggest
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.graph import Graph
from graphwell.graph.maps import graph_map
from graphwell.view import plots

QUESTIONS = 10
DRAWS = 5
"""Sets of random labels that are tried."""
Row = tuple[str, float, float]
"""A way to label the digits, the share of labels that are wrong, and seconds."""


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
        fitted = DiffuseInterfaceClassifier(models=None, random_state=seed).fit(graph, y)
        return np.asarray(fitted.transduction_)

    def logistic(known: IntArray) -> IntArray:
        model = LogisticRegression(max_iter=1000).fit(X[known] / 16, truth[known])
        return np.asarray(model.predict(X / 16))

    graphwell(asked)  # compiles the kernels, so that seconds are those of every later run
    rows: list[Row] = []
    labels = np.zeros((1, len(truth)))
    for what, sets in (("random labels", draws), ("answers", asked[None])):
        for name, way in (("logistic regression", logistic), ("graphwell", graphwell)):
            began = time.perf_counter()
            labels = np.array([way(known) for known in sets])
            seconds = (time.perf_counter() - began) / len(sets)
            rows.append((f"{name}, {QUESTIONS} {what}", float((labels != truth).mean()), seconds))

    plane, correct = graph_map(graph), 100 - 100 * rows[-1][1]
    figure, (before, after, errors) = plots.new_figure(3)
    before.scatter(*plane.T, s=6, color="0.75", linewidths=0)
    plots.mark_questions(before, plane[asked])
    before.set_title(f"{len(plane):,} digits without a label, {len(asked)} questions")
    plots.scatter_classes(after, plane, labels[0], f"{len(asked)} answers later: {correct:.0f} % correct")
    for panel in (before, after):
        panel.set_aspect("equal")
        panel.set_axis_off()
    names, shown = [name.replace(", ", "\n") for name, _, _ in rows], [100 * error for _, error, _ in rows]
    bars = errors.barh(names, shown, color=["0.75"] * 3 + ["#1f6f8b"])
    errors.bar_label(bars, fmt="%.0f %%", padding=3)
    errors.invert_yaxis()
    errors.set_title("labels that are wrong")
    errors.set_xticks([])
    errors.spines[:].set_visible(False)
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "ten_questions.png", dpi=120)
    return rows, out / "ten_questions.png"
