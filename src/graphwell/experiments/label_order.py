"""Why the generalised difference is needed: section 3 and figure 1 of the paper.

With the standard Laplacian and the periodic well a boundary between classes 0 and 2 costs four times one
between 0 and 1, so the result depends on how the classes are numbered. With the generalised difference it
does not.
"""

from itertools import permutations

import numpy as np

import graphwell as gw
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.experiments.drawing import show_image
from graphwell.experiments.image import pixel_features
from graphwell.experiments.methods import FIDELITY, FIXED, STEP_SIZE, Case, random_labels, run_paper, share_of
from graphwell.experiments.record import Counter, Line, Picture, ResultTable, Run, Section
from graphwell.model import periodic_well_slope, rho
from graphwell.progress import Progress, silent
from graphwell.view import plots

NAME = "label-order"
START = "nearest"
ORDERS = tuple(np.array(order) for order in permutations(range(3)))
"""New number of each of the classes 0, 1 and 2."""


def label_order(
    runs: int = 5, seed: int = 0, progress: Progress = silent, *, n_per_class: int = 500, side: int = 60
) -> Section:
    """Both models on three moons and on the picture of figure 1, under all numberings of three classes."""
    data_sets = range(seed, seed + min(runs, 5))
    counter = Counter("label order", (len(data_sets) + 1) * len(ORDERS), progress)
    cases = {f"moons-{d}": _moons(n_per_class, d) for d in data_sets}
    picture, truth = three_regions(side, seed)
    cases["figure"] = _figure_case(picture, truth, seed)
    done: list[Run] = []
    labels: dict[str, list[tuple[IntArray, IntArray]]] = {name: [] for name in cases}
    for name, case in cases.items():
        for number, order in enumerate(ORDERS):
            pair = _under(case, order, number, seed)
            done += pair[0]
            labels[name].append(pair[1])
            counter()
    return Section(
        NAME,
        "Why the order of the classes must not matter",
        f"Three moons ({len(data_sets)} draws) and the picture of figure 1, three classes numbered in all 6 "
        "ways. The standard model (Laplacian and periodic well) and the multiclass model start from the "
        "same states, each point at the label nearest along the graph; fixed epsilon.",
        _lines(cases, labels),
        done,
        remarks=[
            "A line “points that change class” counts the points whose class, translated back, is not the "
            "same under all six numberings. In the multiclass model there is none: the numbering is only a "
            "name."
        ],
        tables=[_cost_table()],
        pictures=[_figure(picture, truth, labels["figure"])],
    )


def three_regions(side: int = 60, seed: int = 0, noise: float = 0.2) -> tuple[FloatArray, IntArray]:
    """The picture of figure 1: black and white side by side above grey, here with noise.

    Examples
    --------
    >>> three_regions(4)[1]
    array([[0, 0, 2, 2],
           [0, 0, 2, 2],
           [1, 1, 1, 1],
           [1, 1, 1, 1]])
    """
    rows, columns = np.mgrid[0:side, 0:side]
    truth = np.where(rows >= side // 2, 1, np.where(columns >= side // 2, 2, 0))
    grey = truth / 2 + stream(seed, "figure 1").normal(scale=noise, size=truth.shape)
    return np.clip(grey, 0.0, 1.0), truth


def standard_model(graph: gw.Graph, given: IntArray, start: FloatArray) -> IntArray:
    """Descend on the energy of equation (6) with the periodic well in place of the double well."""
    u = start.copy()
    known = np.where(given >= 0, given, 0)
    fidelity = np.where(given >= 0, FIDELITY, 0.0)
    for epsilon, sweeps in FIXED:
        for _ in range(sweeps):
            gradient = epsilon * (graph.L_s @ u) + periodic_well_slope(u) / epsilon + fidelity * (u - known)
            u = u - STEP_SIZE * gradient
    return np.clip(np.floor(u + 0.5), 0, given.max()).astype(np.int64)


def _under(
    case: Case, order: IntArray, number: int, seed: int
) -> tuple[list[Run], tuple[IntArray, IntArray]]:
    """Run both models with renumbered classes; return their labels under the old numbers."""
    from graphwell.backends import find_backend
    from graphwell.solve import Problem
    from graphwell.solve.start import nearest_start

    back = np.argsort(order)
    given = np.where(case.given >= 0, order[case.given], -1)
    renumbered = Case(case.graph, order[case.truth], given, case.data_set, case.label_set)
    run, ours = run_paper(f"{NAME}.multiclass", renumbered, FIXED, seed, START)
    problem = Problem(case.graph, given, 3, FIDELITY)
    engine = find_backend(n_jobs=1).engine(case.graph)
    start = nearest_start(problem, engine, stream(seed, "start")).state
    standard = standard_model(case.graph, given, start.labels + start.offsets)
    error = share_of(standard, order[case.truth])
    plain = Run(
        f"{NAME}.standard", seed, case.data_set, case.label_set, error, 0.0, 800, {"order": order.tolist()}
    )
    return [plain, run], (back[standard], back[ours])


def _moons(n_per_class: int, data_set: int) -> Case:
    X, truth = gw.datasets.make_three_moons(n_per_class, random_state=data_set)
    given = gw.datasets.sample_labels(truth, max(1, n_per_class // 20), random_state=data_set)
    return Case(
        gw.Graph.from_features(X, n_neighbors=10, scale_neighbor=10), truth, given, data_set, data_set
    )


def _figure_case(picture: FloatArray, truth: IntArray, seed: int) -> Case:
    graph = gw.Graph.from_features(pixel_features(picture), n_neighbors=10, scale_neighbor=10)
    return Case(graph, truth.ravel(), random_labels(truth.ravel(), truth.size // 25, seed), seed, seed)


def _changed(by_order: list[IntArray]) -> float:
    """Number of points that do not have one class under all numberings."""
    return float((np.array(by_order) != by_order[0]).any(axis=0).sum())


def _lines(cases: dict[str, Case], labels: dict[str, list[tuple[IntArray, IntArray]]]) -> list[Line]:
    moons = [name for name in cases if name != "figure"]
    lines = []
    for model, (key, title) in enumerate(
        (("standard", "standard model"), ("multiclass", "multiclass model"))
    ):
        errors = [100 * share_of(pair[model], cases[name].truth) for name in moons for pair in labels[name]]
        changed = [_changed([pair[model] for pair in labels[name]]) for name in moons]
        in_figure = _changed([pair[model] for pair in labels["figure"]])
        lines += [
            Line(f"{NAME}.{key}", f"{title}: error on three moons", "%", tuple(errors)),
            Line(
                f"{NAME}.{key}-moons",
                f"{title}: points of three moons that change class",
                "points",
                tuple(changed),
            ),
            Line(
                f"{NAME}.{key}-figure",
                f"{title}: pixels of figure 1 that change class",
                "pixels",
                (in_figure,),
            ),
        ]
    return lines


def _cost_table() -> ResultTable:
    """What a unit of each boundary in figure 1 costs: the squared difference of its two classes."""
    boundaries = {"black | grey": (0, 1), "grey | white": (1, 2), "black | white": (0, 2)}
    rows = [[name, f"{(a - b) ** 2}", f"{float(rho(a, b)) ** 2:g}"] for name, (a, b) in boundaries.items()]
    return ResultTable(
        "Cost of a boundary in figure 1", ("boundary", "standard Laplacian", "generalised difference"), rows
    )


def _figure(picture: FloatArray, truth: IntArray, labels: list[tuple[IntArray, IntArray]]) -> Picture:
    """The picture, and both results under the three numberings that put another class in the middle."""
    figure, panels = plots.new_figure(4, width=2.7, height=2.9, rows=2)
    shown = (0, 1, 2)
    show_image(panels[0], truth / 2, "figure 1 of the paper")
    show_image(panels[4], picture, "with noise, as segmented")
    for model, name in enumerate(("standard", "multiclass")):
        for column, number in enumerate(shown, start=1):
            found = labels[number][model].reshape(truth.shape)
            order = "".join(map(str, ORDERS[number]))
            show_image(
                panels[4 * model + column], found / 2, f"{name}, {order}: {(found != truth).sum()} wrong"
            )
    caption = (
        "Figure 1 of the paper and its segmentation from 4 % of the pixels. The digits are the numbers "
        "given to the black, the grey and the white class. Above: the standard model puts the class "
        "numbered between two others along their boundary. Below: the multiclass model gives one result "
        "under all numberings."
    )
    return Picture("label_order.png", caption, figure)
