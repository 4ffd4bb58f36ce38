"""Three moons and two moons: section 4.1 of the paper, figures it quotes, the claims of its conclusion."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.experiments.methods import (
    ANNEALED,
    FIXED,
    LABEL_SETS,
    SHARES,
    STARTS,
    Case,
    paper_graph,
    run_binary,
    run_literal,
    run_paper,
    run_shares,
    run_spectral,
    shares_picture,
)
from graphwell.experiments.results import (
    Picture,
    ResultTable,
    Run,
    Section,
    counter,
    errors,
    lines_of,
    of_line,
)
from graphwell.metrics import majority_error, matched_error
from graphwell.progress import Progress, silent
from graphwell.view import plots

# The paper's runs had one thread. The matrices are small, and two threads that wait for each other on a busy
# machine are many times slower than one.
on_one_thread = threadpool_limits.wrap(limits=1)

QUOTED = (
    ("p-Laplacian", "6 %", "nothing"),
    ("ratio-minimisation relaxed Cheeger cut", "4.6 %", "nothing"),
    ("binary Ginzburg-Landau", "2.3 %", "no labels, but the sizes of the two classes"),
)
MOST_DRAWS = 20
COVERAGES = (100, 75, 50, 25)
"""Per cent of its half circle that the labels of the lower moon are drawn from."""
LOWER_MOON = 2


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
    name = "three-moons"
    data = [gw.datasets.make_three_moons(n_per_class, random_state=seed + d) for d in range(data_sets)]
    count = counter("three moons", runs, progress)
    done: list[Run] = []
    for run, case in _cases(data, runs, seed, per_class):
        done.append(run_spectral(f"{name}.spectral", case, seed + run)[0])
        done.append(run_paper(f"{name}.fixed", case, FIXED, seed + run)[0])
        done.append(run_paper(f"{name}.annealed", case, ANNEALED, seed + run)[0])
        done.append(run_literal(f"{name}.literal-fixed", case, FIXED, seed + run)[0])
        done.append(run_literal(f"{name}.literal-annealed", case, ANNEALED, seed + run)[0])
        count()
    annealed = of_line(done, f"{name}.annealed")
    mean = {line: float(np.mean(errors(done, f"{name}.{line}"))) for line in ("fixed", "annealed")}
    literal = {line: float(np.mean(errors(done, f"{name}.literal-{line}"))) for line in ("fixed", "annealed")}
    lost = np.mean([run.details["labels_lost"] for run in of_line(done, f"{name}.literal-fixed")])
    by_draw = [
        [100 * run.error for run in annealed if run.data_set == d] for d in {run.data_set for run in annealed}
    ]
    means = [np.mean(of_draw) for of_draw in by_draw]
    within = np.mean([np.std(of_draw) for of_draw in by_draw])
    return Section(
        name,
        "Three moons",
        f"{3 * n_per_class:,} points in 100 dimensions, N = M = 10, {per_class} labels per class. {runs} "
        f"runs over {LABEL_SETS} label sets and {data_sets} draws of the data. One thread, like the paper's.",
        lines_of(name, done, {"seconds": [run.seconds for run in annealed]}),
        done,
        remarks=[
            f"The paper's points are not public, so ours are drawn {len(by_draw)} times. The draw matters: "
            f"annealed, the mean error of a draw lies between {min(means):.1f} and {max(means):.1f} %, with "
            f"a standard deviation of {within:.1f} points inside a draw. The paper does not say how many "
            "draws its ± covers.",
            "Read to the letter, Algorithm 1 starts labelled points at random too: with fixed epsilon "
            f"{100 * lost:.0f} % of them then end in another class than their label. Starting them at their "
            f"label takes the error from {literal['fixed']:.1f} to {mean['fixed']:.1f} % (fixed) and from "
            f"{literal['annealed']:.1f} to {mean['annealed']:.1f} % (annealed). Neither reading gives the "
            "paper's 5.2 % for fixed epsilon.",
        ],
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
    name = "two-moons"
    data = [gw.datasets.make_two_moons(n_per_class, random_state=seed + d) for d in range(data_sets)]
    count = counter("two moons", runs, progress)
    done: list[Run] = []
    for run, case in _cases(data, runs, seed, per_class):
        done.append(run_spectral(f"{name}.spectral", case, seed + run)[0])
        done.append(run_binary(f"{name}.binary", case)[0])
        done.append(run_paper(f"{name}.fixed", case, FIXED, seed + run)[0])
        done.append(run_paper(f"{name}.annealed", case, ANNEALED, seed + run)[0])
        count()
    return Section(
        name,
        "Two moons",
        f"{2 * n_per_class:,} points in 100 dimensions, N = M = 10, {per_class} labels per class. {runs} "
        f"runs over {LABEL_SETS} label sets and {data_sets} draws of the data.",
        lines_of(name, done),
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
    data: list[tuple[FloatArray, IntArray]], runs: int, seed: int, per_class: int
) -> Iterator[tuple[int, Case]]:
    """The runs in turn over all pairs of data set and label set; each graph is built once."""
    graphs = [paper_graph(X) for X, _ in data]
    for run in range(runs):
        d, label_set = run % len(data), seed + run // len(data) % LABEL_SETS
        truth = data[d][1]
        given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
        yield run, Case(graphs[d], truth, given, seed + d, label_set)


def _figure_3(data: list[tuple[FloatArray, IntArray]], runs: list[Run], seed: int, per_class: int) -> Picture:
    """Best annealed run, repeated, beside spectral clustering of the same points."""
    best = min(of_line(runs, "three-moons.annealed"), key=lambda run: run.error)
    assert best.data_set is not None
    X, truth = data[best.data_set - seed]
    given = gw.datasets.sample_labels(truth, per_class, random_state=best.label_set)
    case = Case(paper_graph(X), truth, given)
    clusterings = (r for r in of_line(runs, "three-moons.spectral") if r.data_set == best.data_set)
    spectral = run_spectral("", case, min(clusterings, key=lambda run: run.error).seed)
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


def clustered(key: str, graph: gw.Graph, truth: IntArray, seed: int, starts: int = 1) -> Run:
    """One clusterer on a graph, each cluster named after the class of most of its points."""
    made: Any = {
        "p-laplacian": gw.baselines.PLaplacianClustering,
        "cheeger": partial(gw.baselines.RatioCheegerCut, n_starts=starts),
        "one-cut": gw.baselines.NormalisedOneCut,
        "binary": gw.baselines.BalancedInterface,
        "ours": gw.DiffuseInterfaceClustering,
    }[key.partition(".")[2]]
    began = time.perf_counter()
    clusters = made(int(truth.max()) + 1, n_jobs=1, random_state=seed).fit_predict(graph)
    seconds = time.perf_counter() - began
    details = {"error_matched": matched_error(clusters, truth)}
    return Run(key, seed, seed, None, majority_error(clusters, truth), seconds, 0, details)


@on_one_thread
def quoted_moons(
    runs: int = MOST_DRAWS, seed: int = 0, progress: Progress = silent, *, n_per_class: int = 1000
) -> Section:
    """Clusterers that the paper quotes on two moons, each run on a draw of its own."""
    name = "quoted-moons"
    draws = min(runs, MOST_DRAWS)
    count, done = counter("quoted figures", draws, progress), []
    for draw in range(seed, seed + draws):
        X, truth = gw.datasets.make_two_moons(n_per_class, random_state=draw)
        graph = paper_graph(X)
        for method in ("p-laplacian", "cheeger", "binary", "ours"):  # 11: second eigenvector, ten at random
            done.append(clustered(f"{name}.{method}", graph, truth, draw, starts=11))
        count()
    lines = lines_of(name, done)
    medians = ", ".join(f"{np.median(line.values):.1f} % ({line.title})" for line in lines)
    return Section(
        name,
        "Two moons without labels: the figures that the paper quotes",
        f"{2 * n_per_class:,} points in 100 dimensions, noise variance 0.02, N = M = 10. {draws} draws of "
        "the points; each cluster is named after the class of most of its points, as in the sources.",
        lines,
        done,
        remarks=[
            f"The sources quote their best figures. Over our draws the medians are {medians}. Means are "
            "higher, since on single draws 10 to 20 % are wrong. There the cut that is found "
            "has a lower value than the true one, though not always the lowest that there is.",
        ],
    )


def robustness(
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_per_class: int = 500,
    shares: tuple[int, ...] = SHARES,
) -> Section:
    """Error on three moons against the share of labels, the start, and the region that the labels cover."""
    name = "robustness"
    X, truth = gw.datasets.make_three_moons(n_per_class, random_state=seed)
    graph, per_class = paper_graph(X), n_per_class // 20
    label_sets = range(seed, seed + max(LABEL_SETS, runs // 2))
    jobs = len(STARTS) * len(shares) + LABEL_SETS * runs + len(STARTS) * len(COVERAGES)
    count = counter("robustness", jobs, progress)
    done = run_shares(name, graph, truth, seed, ANNEALED, shares, label_sets, count)
    by_set: list[list[float]] = []
    for label_set in label_sets[:LABEL_SETS]:
        given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
        case, from_here = Case(graph, truth, given, seed, label_set), len(done)
        for start_seed in range(seed, seed + runs):
            done.append(run_paper(f"{name}.starts", case, ANNEALED, start_seed)[0])
            count()
        by_set.append(errors(done[from_here:], f"{name}.starts"))
    for coverage in COVERAGES:
        for start in STARTS:
            for label_set in label_sets:
                given = covering(X, truth, coverage, per_class, label_set)
                case = Case(graph, truth, given, seed, label_set)
                key = f"{name}.covered-{coverage:03d}-{start}"
                done.append(run_paper(key, case, ANNEALED, label_set, start)[0])
            count()

    def mean(line: str) -> float:
        return float(np.mean(errors(done, f"{name}.{line}")))

    few, many = min(shares), max(shares)
    fewer = {start: mean(f"labels-{few:02d}-{start}") for start in STARTS}
    more = {start: mean(f"labels-{many:02d}-{start}") for start in STARTS}
    part = {start: mean(f"covered-025-{start}") for start in STARTS}
    whole = {start: mean(f"covered-100-{start}") for start in STARTS}
    spreads = [float(np.std(of_set)) for of_set in by_set]
    between = float(np.std([np.mean(of_set) for of_set in by_set]))
    return Section(
        name,
        "The claims of the conclusion",
        f"Three moons, {3 * n_per_class:,} points, annealed epsilon, {len(label_sets)} label sets.",
        lines_of(name, done, {"start-spread": spreads}),
        done,
        remarks=[
            "“Small proportion of fidelity points (4 % - 10 %)”. From a random start the error goes from "
            f"{more['random']:.1f} % with {many} % of labels to {fewer['random']:.1f} % with {few} %; "
            f"from the nearest label it goes from {more['nearest']:.1f} to {fewer['nearest']:.1f} %, "
            f"from diffused labels from {more['diffusion']:.1f} to {fewer['diffusion']:.1f} %.",
            "“Robust to initial conditions”. With the labels fixed, the error varies by "
            f"{np.mean(spreads):.1f} points (standard deviation) from start to start; from label set to "
            f"label set its mean varies by {between:.1f}.",
            "“Fidelity points must be representative”. With the labels of the lower moon in 25 % of it, "
            f"the error from a random start is {part['random']:.1f} %, against {whole['random']:.1f} % with "
            f"labels all over it; from the nearest label {part['nearest']:.1f} against "
            f"{whole['nearest']:.1f} %, from diffused labels {part['diffusion']:.1f} against "
            f"{whole['diffusion']:.1f} %. The limitation depends on the start.",
        ],
        pictures=[
            shares_picture(
                "robustness_labels.png",
                "Three moons: error of all points against the share of labelled points. Lines are means over "
                "the label sets, bands reach from the best to the worst of them.",
                done, name, shares,
            ),
        ],
    )  # fmt: skip


def covering(X: FloatArray, truth: IntArray, coverage: int, per_class: int, label_set: int) -> IntArray:
    """Labels of which those of the lower moon lie in the left part of its half circle only."""
    given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
    lower = np.flatnonzero(truth == LOWER_MOON)
    from_left = lower[np.argsort(X[lower, 0])]
    covered = from_left[: max(per_class, round(coverage / 100 * len(lower)))]
    given[lower] = -1
    given[np.random.default_rng([label_set, 3]).choice(covered, per_class, replace=False)] = LOWER_MOON
    return given
