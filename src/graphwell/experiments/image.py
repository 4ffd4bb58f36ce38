"""Segmenting a picture of five grey levels: section 4.2 of the paper."""

import time
from typing import Any

import numpy as np

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.datasets.made import GREY_LEVELS
from graphwell.experiments.drawing import show_image, show_wrong_pixels
from graphwell.experiments.methods import FIXED, Case, in_unit_interval, random_labels, run_paper
from graphwell.experiments.phases import segment_by_phases
from graphwell.experiments.record import Counter, Line, Picture, Run, Section
from graphwell.experiments.record import of_line as runs_of
from graphwell.progress import Progress, silent
from graphwell.view import plots

NAME = "image"
STARTS = ("random", "nearest", "diffusion")
PHASES = "phases"
GOOD_START = "nearest"
NOISES = (0.0, 0.05, 0.1, 0.15)
LABEL_SETS = 5


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
    counter = Counter("image", len(NOISES) * len(label_sets), progress)
    done: list[Run] = []
    shown: dict[tuple[float, str], Any] = {}
    graph_seconds: dict[float, float] = {}
    for noise in NOISES:
        picture, truth = gw.datasets.make_grey_image(height, width, noise, random_state=seed)
        began = time.perf_counter()
        graph = gw.Graph.from_features(pixel_features(picture), n_neighbors=30, scale_neighbor=30)
        graph_seconds[noise] = time.perf_counter() - began
        done.append(run_phases(_key(noise, PHASES), picture, truth, seed))
        for label_set in label_sets:
            given = random_labels(truth.ravel(), n_labels, label_set)
            case = Case(graph, truth.ravel(), given, seed, label_set)
            for start in STARTS:
                run, labels = run_paper(_key(noise, start), case, FIXED, label_set, start)
                done.append(run)
                shown.setdefault((noise, start), (picture, truth, given, labels))
            counter()
    return Section(
        NAME,
        "Image segmentation",
        f"A picture of {height} x {width} pixels in five grey levels, features (x, y, grey) in [0, 1], N = "
        f"M = 30, {n_labels:,} labels at random pixels, fixed epsilon, {len(label_sets)} label sets. The "
        "paper's picture is not public; ours has its size, its number of classes, a hole and junctions.",
        _lines(done, height * width, graph_seconds[0.0]),
        done,
        remarks=[
            _remark(graph_seconds[0.0]),
            "Li and Kim are told the grey level of each class, and the paper says also their densities; ours "
            "after them needs the levels alone. Its weights were chosen so that the picture without noise "
            "is perfect; under noise labels tell more than levels.",
        ],
        pictures=[_six_panels(*shown[0.0, GOOD_START]), _mistakes(shown)],
    )


def run_phases(key: str, picture: FloatArray, truth: IntArray, seed: int) -> Run:
    """Segment the picture after Li and Kim, who are told its grey levels in place of labels."""
    began = time.perf_counter()
    labels = segment_by_phases(picture, GREY_LEVELS)
    seconds = time.perf_counter() - began
    return Run(key, seed, seed, None, float((labels != truth).mean()), seconds, 0)


def pixel_features(picture: FloatArray) -> FloatArray:
    """Column, row and grey value of every pixel, all in [0, 1].

    Examples
    --------
    >>> pixel_features(np.array([[0.1, 0.2], [0.3, 0.4]]))
    array([[0. , 0. , 0.1],
           [1. , 0. , 0.2],
           [0. , 1. , 0.3],
           [1. , 1. , 0.4]])
    """
    height, width = picture.shape
    x, y = np.meshgrid(in_unit_interval(width), in_unit_interval(height))
    return np.column_stack([x.ravel(), y.ravel(), picture.ravel()])


def _key(noise: float, start: str) -> str:
    return f"{NAME}.{start}" if noise == 0 else f"{NAME}.noise-{round(100 * noise):02d}-{start}"


def _lines(runs: list[Run], n_pixels: int, graph_seconds: float) -> list[Line]:
    lines = []
    for noise in NOISES:
        for start in (*STARTS, PHASES):
            wrong = tuple(float(round(run.error * n_pixels)) for run in runs_of(runs, _key(noise, start)))
            condition = f"noise {noise}" if noise else "no noise"
            how = "after Li and Kim, grey levels told" if start == PHASES else f"{start} start"
            lines.append(Line(_key(noise, start), f"wrong pixels, {condition}, {how}", "pixels", wrong))
    seconds = tuple(graph_seconds + run.seconds for run in runs_of(runs, f"{NAME}.random"))
    lines.append(Line(f"{NAME}.seconds", "time of a run with its graph, random start", "s", seconds))
    quoted = tuple(run.seconds for run in runs_of(runs, f"{NAME}.{PHASES}"))
    lines.append(Line(f"{NAME}.{PHASES}-seconds", "time of a run, after Li and Kim", "s", quoted))
    return lines


def _remark(graph_seconds: float) -> str:
    return (
        "Without noise the graph falls apart into one piece per region. From a random start, the one of "
        "the paper's Algorithm 1, islands of other classes are left after the 800 sweeps, and its perfect "
        "result is not reached; from the label nearest along the graph and from diffused labels every "
        "pixel is right. The paper reports no noise; those lines are ours. Of the time of a run, "
        f"{graph_seconds:.2f} s build the graph."
    )


def _six_panels(picture: FloatArray, truth: IntArray, given: IntArray, labels: IntArray) -> Picture:
    """The panels of the paper's figure: the labels on the picture, and one mask per class."""
    figure, panels = plots.new_figure(3, width=3.2, height=3.3, rows=2)
    show_image(panels[0], picture, f"{(given >= 0).sum():,} labels")
    rows, columns = np.nonzero(given.reshape(truth.shape) >= 0)
    panels[0].scatter(columns, rows, s=3, color="tab:orange", linewidths=0)
    names = ("black", "dark grey", "medium grey", "light grey", "white")
    for c, (panel, name) in enumerate(zip(panels[1:], names, strict=True)):
        show_image(panel, (labels == c).reshape(truth.shape).astype(float), f"class {c}: {name}")
    wrong = int((labels != truth.ravel()).sum())
    caption = (
        f"The segmentation figure of the paper, from the {GOOD_START} start: the labels on the picture, and "
        f"the pixels of each class in white. {wrong} pixels of {labels.size:,} are wrong."
    )
    return Picture("image_classes.png", caption, figure)


def _mistakes(shown: dict[tuple[float, str], Any]) -> Picture:
    figure, panels = plots.new_figure(len(NOISES), width=2.9, height=3.1, rows=len(STARTS))
    cells = [(start, noise) for start in STARTS for noise in NOISES]
    for panel, (start, noise) in zip(panels, cells, strict=True):
        picture, truth, _, labels = shown[noise, start]
        wrong = labels.reshape(truth.shape) != truth
        show_wrong_pixels(panel, picture, wrong, f"{start} start, noise {noise:g}: {wrong.sum()}")
    caption = "Wrong pixels in red, for the first label set, by start and noise."
    return Picture("image_mistakes.png", caption, figure)
