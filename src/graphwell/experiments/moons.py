"""Three moons and two moons: sections 4.1 of the paper, with the literal reading of Algorithm 1 beside it."""

from collections.abc import Iterator

import numpy as np

import graphwell as gw
from graphwell._types import FloatArray
from graphwell.experiments.methods import (
    ANNEALED,
    FIXED,
    LABEL_SETS,
    Case,
    on_one_thread,
    run_binary,
    run_literal,
    run_paper,
    run_spectral,
)
from graphwell.experiments.record import (
    Counter,
    Line,
    Picture,
    ResultTable,
    Run,
    Section,
    best_run,
    error_line,
)
from graphwell.experiments.record import of_line as runs_of
from graphwell.progress import Progress, silent
from graphwell.view import plots

THREE, TWO = "three-moons", "two-moons"
QUOTED = (
    ("p-Laplacian", "6 %", "nothing"),
    ("ratio-minimisation relaxed Cheeger cut", "4.6 %", "nothing"),
    ("binary Ginzburg-Landau", "2.3 %", "no labels, but the sizes of the two classes"),
)


@on_one_thread
def three_moons(
    runs: int = 100,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 500,
    per_class: int = 25,
    data_sets: int = 5,
) -> Section:
    """Spectral clustering, fixed and annealed epsilon on three moons; both readings of Algorithm 1."""
    data = [gw.datasets.make_three_moons(n_per_class, random_state=seed + d) for d in range(data_sets)]
    counter = Counter("three moons", runs, progress)
    done: list[Run] = []
    for run, case in _cases(data, runs, seed, per_class):
        done.append(run_spectral(f"{THREE}.spectral", case, seed + run)[0])
        done.append(run_paper(f"{THREE}.fixed", case, FIXED, seed + run)[0])
        done.append(run_paper(f"{THREE}.annealed", case, ANNEALED, seed + run)[0])
        done.append(run_literal(f"{THREE}.literal-fixed", case, FIXED, seed + run)[0])
        done.append(run_literal(f"{THREE}.literal-annealed", case, ANNEALED, seed + run)[0])
        counter()
    titles = {
        "spectral": "spectral clustering, no labels",
        "fixed": "fixed epsilon",
        "annealed": "annealed epsilon",
        "literal-fixed": "fixed epsilon, labelled points start at random",
        "literal-annealed": "annealed epsilon, labelled points start at random",
    }
    lines = [error_line(f"{THREE}.{name}", title, done) for name, title in titles.items()]
    seconds = tuple(run.seconds for run in runs_of(done, f"{THREE}.annealed"))
    lines.append(Line(f"{THREE}.seconds", "annealed epsilon, time of a run", "s", seconds))
    return Section(
        THREE,
        "Three moons",
        f"{3 * n_per_class:,} points in 100 dimensions, N = M = 10, {per_class} labels per class. {runs} "
        f"runs over {LABEL_SETS} label sets and {data_sets} draws of the data. One thread, like the paper's.",
        lines,
        done,
        remarks=[_spread_remark(done), _literal_remark(done, lines)],
        pictures=[_figure_3(data, done, seed, per_class)],
    )


@on_one_thread
def two_moons(
    runs: int = 100,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 1000,
    per_class: int = 50,
    data_sets: int = 5,
) -> Section:
    """The two-class model and the multiclass model with K = 2, beside the errors that the paper quotes."""
    data = [gw.datasets.make_two_moons(n_per_class, random_state=seed + d) for d in range(data_sets)]
    counter = Counter("two moons", runs, progress)
    done: list[Run] = []
    for run, case in _cases(data, runs, seed, per_class):
        done.append(run_spectral(f"{TWO}.spectral", case, seed + run)[0])
        done.append(run_binary(f"{TWO}.binary", case)[0])
        done.append(run_paper(f"{TWO}.fixed", case, FIXED, seed + run)[0])
        done.append(run_paper(f"{TWO}.annealed", case, ANNEALED, seed + run)[0])
        counter()
    titles = {
        "spectral": "spectral clustering, no labels",
        "binary": "binary model, 5 % labels (quoted: no labels, class sizes given)",
        "fixed": "multiclass model, K = 2, fixed epsilon, 5 % labels",
        "annealed": "multiclass model, K = 2, annealed epsilon, 5 % labels",
    }
    return Section(
        TWO,
        "Two moons",
        f"{2 * n_per_class:,} points in 100 dimensions, N = M = 10, {per_class} labels per class. {runs} "
        f"runs over {LABEL_SETS} label sets and {data_sets} draws of the data.",
        [error_line(f"{TWO}.{name}", title, done) for name, title in titles.items()],
        done,
        remarks=[
            "The paper ran nothing here: it quotes three errors of other papers for the easier two-class "
            "problem. None of those methods was given labels and ours are given 5 %, so the two cannot be "
            "compared. Spectral clustering on our graph is the one line above that is as unsupervised as "
            "the quoted ones; the next section runs these."
        ],
        tables=[
            ResultTable("Errors quoted in the paper", ("method", "error", "told"), QUOTED, text_columns=3)
        ],
    )


def _cases(
    data: list[tuple[FloatArray, FloatArray]], runs: int, seed: int, per_class: int
) -> Iterator[tuple[int, Case]]:
    """The runs in turn over all pairs of data set and label set; each graph is built once."""
    graphs = [gw.Graph.from_features(X, n_neighbors=10, scale_neighbor=10) for X, _ in data]
    for run in range(runs):
        d, label_set = run % len(data), seed + run // len(data) % LABEL_SETS
        truth = data[d][1]
        given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
        yield run, Case(graphs[d], truth, given, seed + d, label_set)


def _spread_remark(runs: list[Run]) -> str:
    annealed = runs_of(runs, f"{THREE}.annealed")
    by_set = [
        [100 * run.error for run in annealed if run.data_set == d] for d in {run.data_set for run in annealed}
    ]
    means = [np.mean(errors) for errors in by_set]
    within = np.mean([np.std(errors) for errors in by_set])
    return (
        f"The paper's points are not public, so ours are drawn {len(by_set)} times. The draw matters: "
        f"annealed, the mean error of a draw lies between {min(means):.1f} and {max(means):.1f} %, with a "
        f"standard deviation of {within:.1f} points inside a draw. The paper does not say how many draws "
        "its ± covers."
    )


def _literal_remark(runs: list[Run], lines: list[Line]) -> str:
    mean = {line.key: line.mean for line in lines}
    lost = np.mean([run.details["labels_lost"] for run in runs_of(runs, f"{THREE}.literal-fixed")])
    return (
        "Read to the letter, Algorithm 1 starts labelled points at random too: with fixed epsilon "
        f"{100 * lost:.0f} % of them then end in another class than their label. Starting them at their "
        f"label takes the error from {mean[f'{THREE}.literal-fixed']:.1f} to {mean[f'{THREE}.fixed']:.1f} % "
        f"(fixed) and from {mean[f'{THREE}.literal-annealed']:.1f} to {mean[f'{THREE}.annealed']:.1f} % "
        "(annealed). Neither reading gives the paper's 5.2 % for fixed epsilon."
    )


def _figure_3(
    data: list[tuple[FloatArray, FloatArray]], runs: list[Run], seed: int, per_class: int
) -> Picture:
    """Best annealed run, repeated, beside spectral clustering of the same points."""
    best = best_run(runs, f"{THREE}.annealed")
    assert best.data_set is not None
    X, truth = data[best.data_set - seed]
    given = gw.datasets.sample_labels(truth, per_class, random_state=best.label_set)
    case = Case(gw.Graph.from_features(X, n_neighbors=10, scale_neighbor=10), truth, given)
    same_data = [run for run in runs if run.data_set == best.data_set]
    spectral = run_spectral("", case, best_run(same_data, f"{THREE}.spectral").seed)
    annealed = run_paper("", case, ANNEALED, best.seed)
    figure, panels = plots.new_figure(2, width=5.5, height=3.0)
    for panel, name, (run, labels) in zip(
        panels, ("Spectral clustering", "Multiclass model, annealed"), (spectral, annealed), strict=True
    ):
        plots.scatter_classes(panel, X[:, :2], labels, f"{name}: {100 * run.error:.2f} % wrong")
        plots.mark_wrong(panel, X[:, :2], labels != truth)
    caption = (
        "Figure 3 of the paper: the first two of 100 dimensions, wrong points crossed in red. Left: "
        "spectral clustering (paper: 18.67 %). Right: the best of all runs with annealed epsilon, over "
        "several draws of the points (paper: 2.13 %)."
    )
    return Picture("three_moons.png", caption, figure)
