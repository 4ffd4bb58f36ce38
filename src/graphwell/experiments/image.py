"""Pictures: five grey levels (section 4.2 of the paper), and why the order of classes is free (section 3)."""

import time
from itertools import permutations
from typing import Any

import numpy as np

import graphwell as gw
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.datasets.made import GREY_LEVELS
from graphwell.experiments.methods import (
    FIDELITY,
    FIXED,
    STARTS,
    STEP_SIZE,
    Case,
    paper_graph,
    random_labels,
    run_paper,
    share_of,
)
from graphwell.experiments.phases import segment_by_phases
from graphwell.experiments.results import Picture, ResultTable, Run, Section, counter, lines_of, of_line
from graphwell.model import periodic_well_slope, rho
from graphwell.progress import Progress, silent
from graphwell.solve import Problem
from graphwell.solve.start import nearest_start
from graphwell.view import plots

GOOD_START = "nearest"
NOISES = (0.0, 0.05, 0.1, 0.15)
LABEL_SETS = 5
ORDERS = tuple(np.array(order) for order in permutations(range(3)))
"""New number of each of the classes 0, 1 and 2."""


def image(
    runs: int = LABEL_SETS,
    seed: int = 0,
    progress: Progress = silent,
    *,
    height: int = 191,
    width: int = 196,
    n_labels: int = 1500,
) -> Section:
    """Wrong pixels and seconds from each start, without noise and with it."""
    label_sets = range(seed, seed + min(runs, LABEL_SETS))
    count = counter("image", len(NOISES) * len(label_sets), progress)
    done: list[Run] = []
    shown: Any = None
    graph_seconds = 0.0
    for noise in NOISES:
        prefix = f"image.noise-{round(100 * noise):02d}-" if noise else "image."
        picture, truth = gw.datasets.make_grey_image(height, width, noise, random_state=seed)
        began = time.perf_counter()
        graph = paper_graph(pixel_features(picture), 30)
        graph_seconds = graph_seconds or time.perf_counter() - began
        began = time.perf_counter()
        labels = segment_by_phases(picture, GREY_LEVELS)
        seconds = time.perf_counter() - began
        done.append(Run(f"{prefix}phases", seed, seed, None, share_of(labels, truth), seconds))
        for label_set in label_sets:
            given = random_labels(truth.ravel(), n_labels, label_set)
            case = Case(graph, truth.ravel(), given, seed, label_set)
            for start in STARTS:
                run, labels = run_paper(f"{prefix}{start}", case, FIXED, label_set, start)
                done.append(run)
                if start == GOOD_START and shown is None:
                    shown = picture, truth, given, labels
            count()
    values: dict[str, list[float]] = {
        "seconds": [graph_seconds + run.seconds for run in of_line(done, "image.random")],
        "phases-seconds": [run.seconds for run in of_line(done, "image.phases")],
    }
    for run in done:  # these lines count pixels
        name = run.line.removeprefix("image.")
        values.setdefault(name, []).append(float(round(run.error * height * width)))
    return Section(
        "image",
        "Image segmentation",
        f"A picture of {height} x {width} pixels in five grey levels, features (x, y, grey) in [0, 1], N = "
        f"M = 30, {n_labels:,} labels at random pixels, fixed epsilon, {len(label_sets)} label sets. The "
        "paper's picture is not public; ours has its size, its number of classes, a hole and junctions.",
        lines_of("image", done, values),
        done,
        remarks=[
            "Without noise the graph falls apart into one piece per region. From a random start, the one of "
            "the paper's Algorithm 1, islands of other classes are left after the 800 sweeps, and its "
            "perfect result is not reached; from the label nearest along the graph and from diffused labels "
            "every pixel is right. The paper reports no noise; those lines are ours. Of the time of a run, "
            f"{graph_seconds:.2f} s build the graph.",
            "Li and Kim are told the grey level of each class, and the paper says also their densities; ours "
            "after them needs the levels alone. Its weights were chosen so that the picture without noise "
            "is perfect; under noise labels tell more than levels.",
        ],
        pictures=[_six_panels(*shown)],
    )


def pixel_features(picture: FloatArray) -> FloatArray:
    """Column, row and grey value of every pixel, all in [0, 1]."""
    height, width = picture.shape
    x, y = np.meshgrid(np.arange(width) / (width - 1), np.arange(height) / (height - 1))
    return np.column_stack([x.ravel(), y.ravel(), picture.ravel()])


def _show(panel: Any, picture: FloatArray, title: str) -> None:
    """A grey picture, 0 black and 1 white, without axes."""
    panel.imshow(picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    panel.set_title(title, fontsize=10)
    panel.set_xticks([])
    panel.set_yticks([])


def _six_panels(picture: FloatArray, truth: IntArray, given: IntArray, labels: IntArray) -> Picture:
    """The panels of the paper's figure: the labels on the picture, and one mask per class."""
    figure, panels = plots.new_figure(3, width=3.2, height=3.3, rows=2)
    _show(panels[0], picture, f"{(given >= 0).sum():,} labels")
    rows, columns = np.nonzero(given.reshape(truth.shape) >= 0)
    panels[0].scatter(columns, rows, s=3, color="tab:orange", linewidths=0)
    names = ("black", "dark grey", "medium grey", "light grey", "white")
    for c, (panel, name) in enumerate(zip(panels[1:], names, strict=True)):
        _show(panel, (labels == c).reshape(truth.shape).astype(float), f"class {c}: {name}")
    wrong = int((labels != truth.ravel()).sum())
    caption = (
        f"The segmentation figure of the paper, from the {GOOD_START} start: the labels on the picture, and "
        f"the pixels of each class in white. {wrong} pixels of {labels.size:,} are wrong."
    )
    return Picture("image_classes.png", caption, figure)


def label_order(
    runs: int = 5, seed: int = 0, progress: Progress = silent, *, n_per_class: int = 500, side: int = 60
) -> Section:
    """Both models on three moons and on the picture of figure 1, under all numberings of three classes.

    With the standard Laplacian and the periodic well a boundary between classes 0 and 2 costs four times one
    between 0 and 1, so the result depends on how the classes are numbered. With the generalised difference it
    does not.
    """
    data_sets = range(seed, seed + min(runs, 5))
    count = counter("label order", (len(data_sets) + 1) * len(ORDERS), progress)
    cases = []
    for data_set in data_sets:
        X, moons = gw.datasets.make_three_moons(n_per_class, random_state=data_set)
        given = gw.datasets.sample_labels(moons, max(1, n_per_class // 20), random_state=data_set)
        cases.append(Case(paper_graph(X), moons, given, data_set, data_set))
    picture, truth = three_regions(side, seed)
    given = random_labels(truth.ravel(), truth.size // 25, seed)
    cases.append(Case(paper_graph(pixel_features(picture)), truth.ravel(), given, seed, seed))

    done: list[Run] = []
    values: dict[str, list[float]] = {}
    in_figure: dict[str, list[IntArray]] = {}
    for case in cases:
        labels: dict[str, list[IntArray]] = {"standard": [], "multiclass": []}
        for order in ORDERS:
            runs_here, found = _under(case, order, seed)
            done += runs_here
            for model in labels:
                labels[model].append(found[model])
            count()
        for model, by_order in labels.items():
            changed = float((np.array(by_order) != by_order[0]).any(axis=0).sum())
            if case is cases[-1]:
                values[f"{model}-figure"] = [changed]
            else:
                values.setdefault(f"{model}-moons", []).append(changed)
                wrong = [100 * share_of(one, case.truth) for one in by_order]
                values.setdefault(model, []).extend(wrong)
        in_figure = labels
    # A unit of boundary costs the squared difference of its two classes.
    boundaries = {"black | grey": (0, 1), "grey | white": (1, 2), "black | white": (0, 2)}
    costs = [[name, f"{(a - b) ** 2}", f"{float(rho(a, b)) ** 2:g}"] for name, (a, b) in boundaries.items()]
    header = ("boundary", "standard Laplacian", "generalised difference")
    return Section(
        "label-order",
        "Why the order of the classes must not matter",
        f"Three moons ({len(data_sets)} draws) and the picture of figure 1, three classes numbered in all 6 "
        "ways. The standard model (Laplacian and periodic well) and the multiclass model start from the "
        "same states, each point at the label nearest along the graph; fixed epsilon.",
        lines_of("label-order", done, values),
        done,
        remarks=[
            "A line “points that change class” counts the points whose class, translated back, is not the "
            "same under all six numberings. In the multiclass model there is none: the numbering is only a "
            "name."
        ],
        tables=[ResultTable("Cost of a boundary in figure 1", header, costs)],
        pictures=[_figure_1(picture, truth, in_figure)],
    )


def three_regions(side: int = 60, seed: int = 0, noise: float = 0.2) -> tuple[FloatArray, IntArray]:
    """The picture of figure 1: black and white side by side above grey, here with noise."""
    rows, columns = np.mgrid[0:side, 0:side]
    truth = np.where(rows >= side // 2, 1, np.where(columns >= side // 2, 2, 0))
    grey = truth / 2 + stream(seed, "figure 1").normal(scale=noise, size=truth.shape)
    return np.clip(grey, 0.0, 1.0), truth


def _under(case: Case, order: IntArray, seed: int) -> tuple[list[Run], dict[str, IntArray]]:
    """Run both models with renumbered classes; return their labels under the old numbers."""
    back, truth = np.argsort(order), order[case.truth]
    given = np.where(case.given >= 0, order[case.given], -1)
    renumbered = Case(case.graph, truth, given, case.data_set, case.label_set)
    run, ours = run_paper("label-order.multiclass", renumbered, FIXED, seed, GOOD_START)
    problem = Problem(case.graph, given, 3, FIDELITY)
    start = nearest_start(problem, find_backend(n_jobs=1).engine(case.graph), stream(seed, "start")).state
    # The standard model: descent on equation (6) with the periodic well in place of the double well.
    u = start.labels + start.offsets
    known = np.where(given >= 0, given, 0)
    fidelity = np.where(given >= 0, FIDELITY, 0.0)
    for epsilon, sweeps in FIXED:
        for _ in range(sweeps):
            slope = epsilon * (case.graph.L_s @ u) + periodic_well_slope(u) / epsilon + fidelity * (u - known)
            u = u - STEP_SIZE * slope
    standard = np.clip(np.floor(u + 0.5), 0, given.max()).astype(np.int64)
    details = {"order": order.tolist()}
    error = share_of(standard, truth)
    plain = Run("label-order.standard", seed, case.data_set, case.label_set, error, 0.0, 800, details)
    return [plain, run], {"standard": back[standard], "multiclass": back[ours]}


def _figure_1(picture: FloatArray, truth: IntArray, labels: dict[str, list[IntArray]]) -> Picture:
    """The picture, and both results under the three numberings that put another class in the middle."""
    figure, panels = plots.new_figure(4, width=2.7, height=2.9, rows=2)
    _show(panels[0], truth / 2, "figure 1 of the paper")
    _show(panels[4], picture, "with noise, as segmented")
    for row, (model, by_order) in enumerate(labels.items()):
        for number in range(3):
            found = by_order[number].reshape(truth.shape)
            order = "".join(map(str, ORDERS[number]))
            title = f"{model}, {order}: {(found != truth).sum()} wrong"
            _show(panels[4 * row + number + 1], found / 2, title)
    caption = (
        "Figure 1 of the paper and its segmentation from 4 % of the pixels. The digits are the numbers "
        "given to the black, the grey and the white class. Above: the standard model puts the class "
        "numbered between two others along their boundary. Below: the multiclass model gives one result "
        "under all numberings."
    )
    return Picture("label_order.png", caption, figure)
