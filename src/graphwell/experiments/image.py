"""Pictures: five grey levels (section 4.2 of the paper), and why the order of classes is free (section 3)."""

import time
from collections.abc import Sequence
from functools import partial
from itertools import permutations

import numpy as np
from scipy import fft

import graphwell as gw
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.datasets.made import GREY_LEVELS
from graphwell.experiments import paper
from graphwell.experiments.paper import Case, Section
from graphwell.progress import Progress, silent
from graphwell.solve import Problem
from graphwell.solve.problem import FIDELITY
from graphwell.solve.reference import periodic_well_slope
from graphwell.solve.start import nearest_start

GOOD_START = "nearest"
NOISES = (0.0, 0.05, 0.1, 0.15)
LABEL_SETS = 5
# New number of each of the classes 0, 1 and 2.
ORDERS = tuple(np.array(order) for order in permutations(range(3)))


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
    section = Section("image", progress)
    graph_seconds = 0.0
    for noise in NOISES:
        prefix = f"noise-{round(100 * noise):02d}-" if noise else ""
        picture, truth = gw.datasets.make_grey_image(height, width, noise, random_state=seed)
        began = time.perf_counter()
        graph = paper.graph_of(pixel_features(picture), 30)
        graph_seconds = graph_seconds or time.perf_counter() - began
        unlabelled = Case(graph, truth.ravel(), np.full(truth.size, -1), seed)
        section.run(f"{prefix}phases", unlabelled, seed, partial(_phases, picture))
        for label_set in label_sets:
            given = paper.random_labels(truth.ravel(), n_labels, label_set)
            case = Case(graph, truth.ravel(), given, seed, label_set)
            for start in paper.STARTS:
                section.multiclass(f"{prefix}{start}", case, paper.FIXED, label_set, start)
    values: dict[str, list[float]] = {
        "seconds": [graph_seconds + run.seconds for run in section.of_line("random")],
        "phases-seconds": [run.seconds for run in section.of_line("phases")],
    }
    for run in section.runs:  # these lines count pixels
        name = run.line.removeprefix("image.")
        values.setdefault(name, []).append(float(round(run.error * height * width)))
    return section.finish(values, height=height, width=width, n_labels=n_labels, label_sets=len(label_sets))


def _phases(picture: FloatArray) -> paper.Solved:
    return segment_by_phases(picture, GREY_LEVELS).ravel(), 0, {}


def pixel_features(picture: FloatArray) -> FloatArray:
    """Column, row and grey value of every pixel, all in [0, 1]."""
    height, width = picture.shape
    x, y = np.meshgrid(np.arange(width) / (width - 1), np.arange(height) / (height - 1))
    return np.column_stack([x.ravel(), y.ravel(), picture.ravel()])


def label_order(
    runs: int = 5, seed: int = 0, progress: Progress = silent, *, n_per_class: int = 500, side: int = 60
) -> Section:
    """Both models on three moons and on the picture of figure 1, under all numberings of three classes.

    With the standard Laplacian and the periodic well a boundary between classes 0 and 2 costs four times one
    between 0 and 1, so the result depends on how the classes are numbered. With the generalised difference it
    does not.
    """
    data_sets = range(seed, seed + min(runs, 5))
    section = Section("label-order", progress)
    cases = []
    for data_set in data_sets:
        X, moons = gw.datasets.make_three_moons(n_per_class, random_state=data_set)
        given = gw.datasets.sample_labels(moons, max(1, n_per_class // 20), random_state=data_set)
        cases.append(Case(paper.graph_of(X), moons, given, data_set, data_set))
    picture, truth = three_regions(side, seed)
    given = paper.random_labels(truth.ravel(), truth.size // 25, seed)
    cases.append(Case(paper.graph_of(pixel_features(picture)), truth.ravel(), given, seed, seed))

    values: dict[str, list[float]] = {}
    for case in cases:
        labels: dict[str, list[IntArray]] = {"standard": [], "multiclass": []}
        for order in ORDERS:
            for model, found in _under(section, case, order, seed).items():
                labels[model].append(found)
        for model, by_order in labels.items():
            changed = float((np.array(by_order) != by_order[0]).any(axis=0).sum())
            if case is cases[-1]:
                values[f"{model}-figure"] = [changed]
            else:
                values.setdefault(f"{model}-moons", []).append(changed)
                wrong = [100 * paper.share_of(one, case.truth) for one in by_order]
                values.setdefault(model, []).extend(wrong)
    return section.finish(values, draws=len(data_sets))


def three_regions(side: int = 60, seed: int = 0, noise: float = 0.2) -> tuple[FloatArray, IntArray]:
    """The picture of figure 1: black and white side by side above grey, here with noise."""
    rows, columns = np.mgrid[0:side, 0:side]
    truth = np.where(rows >= side // 2, 1, np.where(columns >= side // 2, 2, 0))
    grey = truth / 2 + stream(seed, "figure 1").normal(scale=noise, size=truth.shape)
    return np.clip(grey, 0.0, 1.0), truth


def _under(section: Section, case: Case, order: IntArray, seed: int) -> dict[str, IntArray]:
    """Run both models with renumbered classes; return their labels under the old numbers."""
    given = np.where(case.given >= 0, order[case.given], -1)
    renumbered = Case(case.graph, order[case.truth], given, case.data_set, case.label_set)

    def standard() -> paper.Solved:
        """Descent on equation (6) with the periodic well in place of the double well."""
        problem = Problem(case.graph, given, 3, FIDELITY)
        start = nearest_start(problem, find_backend(n_jobs=1).engine(case.graph), stream(seed, "start")).state
        u = start.labels + start.offsets
        known = np.where(given >= 0, given, 0)
        fidelity = np.where(given >= 0, FIDELITY, 0.0)
        for epsilon, sweeps in paper.FIXED:
            for _ in range(sweeps):
                slope = (
                    epsilon * (case.graph.L_s @ u) + periodic_well_slope(u) / epsilon + fidelity * (u - known)
                )
                u = u - paper.STEP_SIZE * slope
        labels = np.clip(np.floor(u + 0.5), 0, given.max()).astype(np.int64)
        return labels, 800, {"order": order.tolist()}

    _, plain = section.run("standard", renumbered, seed, standard)
    _, ours = section.multiclass("multiclass", renumbered, paper.FIXED, seed, GOOD_START)
    back = np.argsort(order)
    return {"standard": back[plain], "multiclass": back[ours]}


# -------------------------------------------------------------------------------- phases of known grey levels
# Each pixel has a phase, whose wells are the whole numbers: k for the k-th grey level. The phases minimise
#
#     sum_pixels |grad u|^2 / 2 + well(u) / epsilon^2 + fidelity / 2 (u - u0)^2
#
# where u0 is the grey value, read on the scale of the levels. A step is split in three, each solved exactly:
# heat on the grid, by cosines; the pull to u0; and the periodic well, pixel by pixel.


def segment_by_phases(
    image: FloatArray,
    levels: Sequence[float],
    *,
    epsilon: float = 0.5,
    fidelity: float = 8.0,
    step_size: float = 0.02,
    n_steps: int = 30,
) -> IntArray:
    """Give each pixel one of the known grey levels, neighbours mostly the same.

    Source: Y. Li, J. Kim, "Multiphase image segmentation using a phase-field model", Computers and
    Mathematics with Applications 62 (2011). It needs the grey level of each class (rising), and no marks. It
    fails under noise as wide as the distance of the levels, and at borders between levels that are not
    neighbours: with less fidelity than by default, thin lines of the levels between them are left there.
    """
    begin = np.interp(image, levels, np.arange(len(levels)))
    # Eigenvalues of the grid's Laplacian in the order of the cosine transform.
    rows, columns = (2 - 2 * np.cos(np.pi * np.arange(side) / side) for side in begin.shape)
    shrink = 1 / (1 + step_size * (rows[:, None] + columns))
    pull = step_size * fidelity
    u = begin
    for _ in range(n_steps):
        u = fft.idctn(shrink * fft.dctn(u, norm="ortho"), norm="ortho")
        u = (u + pull * begin) / (1 + pull)
        u = towards_wells(u, step_size / epsilon**2)
    return np.clip(np.rint(u), 0, len(levels) - 1).astype(np.int64)


def towards_wells(u: FloatArray, time: float) -> FloatArray:
    """Phases after some time in the periodic well ``v^2 (1 - v)^2``, `v` being the fractional part."""
    floor = np.floor(u)
    side = 2 * (u - floor) - 1  # its slope is side (1 - side^2), up to a factor
    fading = np.exp(-2 * time)
    return np.asarray(floor + (1 + side / np.sqrt(fading + side**2 * (1 - fading))) / 2)
