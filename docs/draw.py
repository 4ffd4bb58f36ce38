"""Draw the pictures of the site that no example makes: ``PYTHONPATH=. python docs/draw.py``.

They stand on a light page and on a dark one: boxes bring their own ground, lines are grey.
"""

import json
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot, rcParams, use
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

import graphwell as gw
from benchmarks.tables import OURS, keys_of, row_of, summary
from graphwell.io.drawings import palette_color
from graphwell.io.images import write_image
from graphwell.segmentation.drawing import HATCHED, as_grey, as_shown, in_rows, overlay, painted

FOLDER = Path(__file__).parent / "_static"
BLUE, RUST, GREY = "#1f6f8b", "#b5541c", "#888888"
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
EXAMPLES = {
    "plot_04_single_cells": "cells",
    "plot_13_calibration": "calibration",
    "plot_15_own_method": "own-method",
    "plot_10_when_to_stop": "when-to-stop",
    "plot_01_folder_of_photographs": "photographs",
}
"""Tutorials and the names of their pictures."""
QUESTIONS = [
    ("a table, vectors, texts", ("some labels", "graphwell classify"), ("no labels", "graphwell label")),
    ("a picture, a volume", ("marks in a file", "graphwell segment"), ("no marks yet", "graphwell paint")),
    ("a graph", ("and features", "fit(W, y, features=F)"), ("nothing else", 'metric="precomputed"')),
    ("very many rows", ("several machines", "a Dask array as X"), ("one GPU", 'device="cuda"')),
]


def which() -> Figure:
    """What do you have, what else, and what to take."""
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    panel = figure.subplots()
    box(panel, 0, 3.5, "What do you have?", RUST)
    for row, (have, *ways) in enumerate(QUESTIONS):
        height = 6.5 - 2 * row
        line(panel, (0.9, 3.5), (1.9, height))
        box(panel, 2.9, height, have, GREY)
        for step, (more, take) in enumerate(ways):
            at = height + 0.5 - step
            line(panel, (4, height), (5.1, at))
            beside = {"va": "top"} if step else {"va": "bottom"}
            panel.text(4.95, at + (-0.1 if step else 0.1), more, ha="right", fontsize=8, color=GREY, **beside)
            box(panel, 6.3, at, take, BLUE)
    panel.set(xlim=(-1, 7.6), ylim=(-0.5, 7.5))
    panel.set_axis_off()
    return figure


def scale() -> Figure:
    """Seconds and memory of a fit against the number of rows, as the files of `scale` have them."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    panels = figure.subplots(1, 2)
    for color, file in zip((GREY, BLUE, RUST), ("cpu", "gpu", "cluster"), strict=True):
        measured = json.loads((FOLDER / "scale" / f"{file}.json").read_text(encoding="utf-8"))
        for panel, quantity in zip(panels, ("seconds", "gibibytes"), strict=True):
            rows = [(row["rows"], row[quantity]) for row in measured["fits"] if row.get(quantity)]
            panel.loglog(
                *zip(*rows, strict=True) if rows else ([], []), "o-", color=color, label=measured["way"]
            )
    for panel, title in zip(panels, ("seconds", "GiB beyond the features"), strict=True):
        panel.set(xlim=(0.7e4, 1.4e7))
        panel.set_title(title, color=GREY)
        panel.set_xlabel("rows", color=GREY)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_locator(LogLocator(numticks=12))
            axis.set_major_formatter(StrMethodFormatter("{x:,.9g}"))
            axis.set_minor_formatter(NullFormatter())
        panel.tick_params(colors=GREY, which="both")
        panel.grid(color=GREY, alpha=0.3)
        panel.spines[:].set_visible(False)
    panels[0].legend(frameon=False, labelcolor=GREY)
    return figure


def box(panel, x, y, text, color) -> None:
    """Write white text on a coloured ground."""
    ground = {"boxstyle": "round,pad=0.5", "facecolor": color, "edgecolor": "none"}
    panel.text(x, y, text, ha="center", va="center", fontsize=10, color="white", bbox=ground)


def line(panel, start, end) -> None:
    """Join two boxes."""
    panel.plot(*zip(start, end, strict=True), color=GREY, linewidth=1, zorder=0)


def ranks() -> Figure:
    """Mean rank of each method over the tables."""
    records = json.loads((RESULTS / "tables.json").read_text())["records"]
    means = summary([row_of(records, *key) for key in keys_of(records, bars=False)])[0]
    names = list(row_of(records, *keys_of(records, bars=False)[0]))
    found = pd.Series([float(rank) for rank in means[1:]], names).sort_values()
    figure = Figure(figsize=(7, 3), layout="constrained")
    panel = figure.subplots()
    bars = panel.barh(found.index, found, color=[BLUE if name == OURS else GREY for name in found.index])
    panel.bar_label(bars, fmt="%.1f", padding=3, color=GREY)
    panel.invert_yaxis()
    panel.set_xlabel("mean rank over 84 rows of real tables (1 is best)", color=GREY)
    panel.tick_params(colors=GREY)
    panel.spines[:].set_visible(False)
    return figure


def few_labels() -> Figure:
    """The mean error of each method from five labels per class, a line for each data set."""
    records = pd.DataFrame(json.loads((RESULTS / "peers.json").read_text())["records"])
    errors = records[records.per_class == 5].pivot_table(index="data", columns="method", values="error")
    errors = errors.sort_values(OURS, ascending=False)
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    panel = figure.subplots()
    for method in errors.columns.drop(OURS):
        panel.plot(errors[method], errors.index, "o", color=GREY, alpha=0.6, markersize=5)
    panel.plot([], [], "o", color=GREY, alpha=0.6, markersize=5, label="six other methods")
    panel.plot(errors[OURS], errors.index, "D", color=BLUE, markersize=7, label=OURS)
    panel.set_xlabel("% wrong from five labels per class", color=GREY)
    panel.set_xlim(0)
    panel.grid(axis="y", color=GREY, alpha=0.3)
    panel.tick_params(colors=GREY)
    panel.spines[:].set_visible(False)
    panel.legend(frameon=False, labelcolor=GREY)
    return figure


def rooms() -> Figure:
    """The way of a fit through the rooms of the source."""
    steps = [
        ("rows, graphs, pictures, files", "labels"),
        ("encoders", "graph", "estimators/labels"),
        ("solve, in the verbs of backends",),
        ("estimators", "segmentation", "active", "comparison"),
        ("jobs", "view"),
        ("cli", "serve", "widgets"),
    ]
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    panel = figure.subplots()
    for level, row in enumerate(steps):
        if level:
            line(panel, (0, -level + 0.75), (0, -level + 0.25))
        for place, name in enumerate(row):
            box(panel, 2.2 * (place - (len(row) - 1) / 2), -level, name, BLUE if level else GREY)
    panel.set(xlim=(-4.6, 4.6), ylim=(-5.4, 0.4))
    panel.set_axis_off()
    return figure


def moons() -> Figure:
    """What is given, and what is found: nine labels on three moons."""
    X, truth = gw.datasets.make_three_moons(n_per_class=150, random_state=0)
    given = gw.datasets.sample_labels(truth, per_class=3, random_state=0)
    found = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, given).transduction_
    figure = Figure(figsize=(9, 3), layout="constrained")
    for panel, title, classes in zip(
        figure.subplots(1, 2), ("nine labels", "every point"), (given, found), strict=True
    ):
        known = classes >= 0
        panel.scatter(*X[~known, :2].T, s=4, color=GREY, alpha=0.4)
        colors = [(BLUE, RUST, "#5a8f29")[number] for number in classes[known]]
        panel.scatter(*X[known, :2].T, s=30 if title == "nine labels" else 5, color=colors)
        panel.set_title(title, color=GREY)
        panel.set_axis_off()
    return figure


def segmented() -> None:
    """A noisy picture and its marks above, labels and doubt below, with frames where to mark next."""
    image, truth = gw.datasets.make_grey_image(noise=0.15, random_state=0)
    seeds = gw.datasets.sample_labels(truth.ravel(), per_class=60, random_state=0).reshape(truth.shape)
    found = gw.Segmenter(image).segment(seeds)
    colors = {number: palette_color(place) for place, number in enumerate(found.classes.tolist())}
    marks, shown = painted(seeds, colors), as_shown(image)
    doubt = np.repeat((as_grey(found.uncertainty) // 257).astype(np.uint8)[..., None], 3, axis=2)
    for square in found.mark_next(seeds):
        top, left, inner = square.row - square.side // 2, square.column - square.side // 2, square.side - 2
        frame = np.zeros(doubt.shape[:2], dtype=bool)
        frame[max(0, top) : top + square.side, max(0, left) : left + square.side] = True
        frame[top + 2 : top + inner, left + 2 : left + inner] = False
        doubt[frame] = HATCHED
    marked = np.where(marks[..., 3:] > 0, marks[..., :3], shown // 3)
    sheet = in_rows([shown, marked, overlay(image, found.labels, colors), doubt], 2, 1200)
    with (FOLDER / "segmented.png").open("wb") as file:
        write_image(sheet, FOLDER / "segmented.png", file)


def of_examples() -> None:
    """Figures of tutorials, which pages show as well."""
    pyplot.show = lambda: None
    for example, name in EXAMPLES.items():
        runpy.run_path(str(FOLDER.parents[1] / "examples" / f"{example}.py"))
        pyplot.savefig(FOLDER / f"{name}.png", dpi=90)
        pyplot.close("all")


if __name__ == "__main__":
    use("Agg")
    rcParams["svg.hashsalt"] = "graphwell"
    segmented()
    drawings = {
        "which": which,
        "tables": ranks,
        "few-labels": few_labels,
        "scale": scale,
        "moons": moons,
        "rooms": rooms,
    }
    for name, draw in drawings.items():
        draw().savefig(FOLDER / f"{name}.svg", transparent=True, metadata={"Date": None})
    of_examples()
