"""The claims of the paper's conclusion: few labels, any start, and labels that represent their class."""

import numpy as np

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.experiments.drawing import draw_curves
from graphwell.experiments.methods import ANNEALED, LABEL_SETS, Case, run_paper
from graphwell.experiments.record import Counter, Line, Picture, Run, Section, error_line, of_line
from graphwell.experiments.shares import SHARES, STARTS, errors_by_share, run_shares, share_key
from graphwell.progress import Progress, silent
from graphwell.view import plots

NAME = "robustness"
JUDGED_SHARES = (1, 4, 10)
COVERAGES = (100, 75, 50, 25)
"""Per cent of its half circle that the labels of the lower moon are drawn from."""
LOWER_MOON = 2


def robustness(
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 500,
    shares: tuple[int, ...] = SHARES,
) -> Section:
    """Error on three moons against the share of labels, the start, and the region the labels cover."""
    X, truth = gw.datasets.make_three_moons(n_per_class, random_state=seed)
    graph = gw.Graph.from_features(X, n_neighbors=10, scale_neighbor=10)
    jobs = len(STARTS) * len(shares) + LABEL_SETS * runs + len(STARTS) * len(COVERAGES)
    counter = Counter("robustness", jobs, progress)
    label_sets = range(seed, seed + max(LABEL_SETS, runs // 2))
    done = run_shares(NAME, graph, truth, seed, ANNEALED, shares, label_sets, counter)
    done += _start_seeds(graph, truth, runs, seed, n_per_class // 20, counter)
    missing, shown = _missing_regions(X, graph, truth, label_sets, n_per_class // 20, counter)
    done += missing
    return Section(
        NAME,
        "The claims of the conclusion",
        f"Three moons, {3 * n_per_class:,} points, annealed epsilon, {len(label_sets)} label sets.",
        _lines(done, shares),
        done,
        remarks=_remarks(done, shares),
        pictures=[_shares_figure(done, shares), _seeds_figure(done), _missing_figure(X, truth, done, shown)],
    )


def covering(X: FloatArray, truth: IntArray, coverage: int, per_class: int, label_set: int) -> IntArray:
    """Labels of which those of the lower moon lie in the left part of its half circle only."""
    given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
    lower = np.flatnonzero(truth == LOWER_MOON)
    from_left = lower[np.argsort(X[lower, 0])]
    covered = from_left[: max(per_class, round(coverage / 100 * len(lower)))]
    given[lower] = -1
    given[np.random.default_rng([label_set, 3]).choice(covered, per_class, replace=False)] = LOWER_MOON
    return given


def _start_seeds(
    graph: gw.Graph, truth: IntArray, runs: int, seed: int, per_class: int, counter: Counter
) -> list[Run]:
    done = []
    for label_set in range(seed, seed + LABEL_SETS):
        given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
        case = Case(graph, truth, given, seed, label_set)
        for start_seed in range(seed, seed + runs):
            done.append(run_paper(f"{NAME}.starts", case, ANNEALED, start_seed)[0])
            counter()
    return done


def _missing_regions(
    X: FloatArray, graph: gw.Graph, truth: IntArray, label_sets: range, per_class: int, counter: Counter
) -> tuple[list[Run], dict[int, tuple[IntArray, IntArray]]]:
    """Runs for every coverage and start; given labels and result of the first label set for the figure."""
    done: list[Run] = []
    shown: dict[int, tuple[IntArray, IntArray]] = {}
    for coverage in COVERAGES:
        for start in STARTS:
            for label_set in label_sets:
                given = covering(X, truth, coverage, per_class, label_set)
                case = Case(graph, truth, given, label_sets[0], label_set)
                run, labels = run_paper(_coverage_key(coverage, start), case, ANNEALED, label_set, start)
                done.append(run)
                shown.setdefault(coverage, (given, labels))
            counter()
    return done, shown


def _coverage_key(coverage: int, start: str) -> str:
    return f"{NAME}.covered-{coverage:03d}-{start}"


def _errors_by_label_set(runs: list[Run]) -> dict[int | None, list[float]]:
    starts = of_line(runs, f"{NAME}.starts")
    return {
        label_set: [100 * run.error for run in starts if run.label_set == label_set]
        for label_set in dict.fromkeys(run.label_set for run in starts)
    }


def _lines(runs: list[Run], shares: tuple[int, ...]) -> list[Line]:
    lines = [
        error_line(share_key(NAME, share, start), f"{share} % of labels, {start} start", runs)
        for share in shares
        if share in JUDGED_SHARES
        for start in STARTS
    ]
    spreads = tuple(float(np.std(errors)) for errors in _errors_by_label_set(runs).values())
    lines.append(Line(f"{NAME}.start-spread", "standard deviation over starts, labels fixed", "%", spreads))
    lines += [
        error_line(
            _coverage_key(coverage, start), f"labels in {coverage} % of the lower moon, {start} start", runs
        )
        for coverage in COVERAGES
        for start in STARTS
    ]
    return lines


def _remarks(runs: list[Run], shares: tuple[int, ...]) -> list[str]:
    few, many = min(shares), max(shares)
    mean = {
        (share, start): float(np.mean(errors_by_share(runs, NAME, start, [share])))
        for share in (few, many)
        for start in STARTS
    }
    by_set = list(_errors_by_label_set(runs).values())
    within = float(np.mean([np.std(errors) for errors in by_set]))
    between = float(np.std([np.mean(errors) for errors in by_set]))
    wide, narrow = max(COVERAGES), min(COVERAGES)
    covered = {
        (part, start): error_line(_coverage_key(part, start), "", runs).mean
        for part in (wide, narrow)
        for start in STARTS
    }
    return [
        "“Small proportion of fidelity points (4 % - 10 %)”. From a random start the error goes from "
        f"{mean[many, 'random']:.1f} % with {many} % of labels to {mean[few, 'random']:.1f} % with {few} %; "
        f"from the nearest label it goes from {mean[many, 'nearest']:.1f} to {mean[few, 'nearest']:.1f} %, "
        f"from diffused labels from {mean[many, 'diffusion']:.1f} to {mean[few, 'diffusion']:.1f} %.",
        f"“Robust to initial conditions”. With the labels fixed, the error varies by {within:.1f} points "
        "(standard deviation) from start to start; from label set to label set its mean varies by "
        f"{between:.1f}.",
        f"“Fidelity points must be representative”. With the labels of the lower moon in {narrow} % of it, "
        f"the error from a random start is {covered[narrow, 'random']:.1f} %, against "
        f"{covered[wide, 'random']:.1f} % with labels all over it; from the nearest label "
        f"{covered[narrow, 'nearest']:.1f} against {covered[wide, 'nearest']:.1f} %, from diffused labels "
        f"{covered[narrow, 'diffusion']:.1f} against {covered[wide, 'diffusion']:.1f} %. The limitation "
        "depends on the start.",
    ]


def _shares_figure(runs: list[Run], shares: tuple[int, ...]) -> Picture:
    figure, (panel,) = plots.new_figure(1, width=6.5, height=4.0)
    curves = {f"{start} start": errors_by_share(runs, NAME, start, shares) for start in STARTS}
    draw_curves(panel, shares, curves, "labelled points (%)")
    caption = (
        "Three moons: error of all points against the share of labelled points. Lines are means over the "
        "label sets, bands reach from the best to the worst of them."
    )
    return Picture("robustness_labels.png", caption, figure)


def _seeds_figure(runs: list[Run]) -> Picture:
    figure, (panel,) = plots.new_figure(1, width=6.5, height=3.6)
    for place, errors in enumerate(_errors_by_label_set(runs).values(), start=1):
        aside = np.linspace(-0.18, 0.18, len(errors)) if len(errors) > 1 else [0.0]
        panel.plot(place + np.asarray(aside), errors, "o", markersize=4, alpha=0.7)
        panel.plot([place - 0.25, place + 0.25], [np.mean(errors)] * 2, color="black", linewidth=1)
    panel.set_xticks(range(1, LABEL_SETS + 1))
    panel.set_xlabel("label set")
    panel.set_ylabel("error (%)")
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3, axis="y")
    caption = "Three moons: one dot per random start, one column per label set, its mean as a line."
    return Picture("robustness_starts.png", caption, figure)


def _missing_figure(
    X: FloatArray, truth: IntArray, runs: list[Run], shown: dict[int, tuple[IntArray, IntArray]]
) -> Picture:
    figure, panels = plots.new_figure(2, width=5.5, height=3.2, rows=2)
    for panel, coverage in zip(panels, (100, 50, 25), strict=False):
        given, labels = shown[coverage]
        error = 100 * float((labels != truth).mean())
        title = f"labels in {coverage} % of the lower moon: {error:.1f} % wrong"
        plots.scatter_classes(panel, X[:, :2], labels, title)
        plots.mark_given(panel, X[:, :2], given)
    curves = {
        f"{start} start": [
            [100 * run.error for run in of_line(runs, _coverage_key(coverage, start))]
            for coverage in COVERAGES
        ]
        for start in STARTS
    }
    draw_curves(panels[3], COVERAGES, curves, "part of the lower moon that holds its labels (%)")
    caption = (
        "Three moons when the labels of one class miss part of it. Colours are the result from a random "
        "start, ringed points the given labels."
    )
    return Picture("robustness_missing.png", caption, figure)
