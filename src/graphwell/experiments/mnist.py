"""The handwritten digits of MNIST: section 4.3 of the paper, and the figures that it quotes."""

import time
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.experiments.methods import (
    ANNEALED_LONG,
    LABEL_SETS,
    SHARES,
    STARTS,
    Case,
    paper_graph,
    run_literal,
    run_paper,
    run_shares,
    shares_picture,
)
from graphwell.experiments.moons import clustered, on_one_thread
from graphwell.experiments.results import (
    Picture,
    ResultTable,
    Run,
    Section,
    counter,
    errors,
    expected,
    lines_of,
    of_line,
)
from graphwell.metrics import unlabelled_error
from graphwell.progress import Progress, silent
from graphwell.view import plots

DARKEST = 600
"""Number of mistakes with the darkest red: above the paper's largest, so that its number can be read."""


def mnist(
    pixels: IntArray,
    truth: IntArray,
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_components: int = 50,
    shares: tuple[int, ...] = SHARES,
) -> Section:
    """Annealed epsilon from 10 % labels, its confusions, its time, and the error from fewer labels."""
    count = counter("MNIST", runs + 2 * min(runs, LABEL_SETS) + len(STARTS) * len(shares), progress)
    components, graph, stages = digit_graph(pixels, n_components)
    approximate = paper_graph(components, exact=False)
    per_class = len(truth) // (10 * (int(truth.max()) + 1))

    def case(graph: gw.Graph, label_set: int) -> Case:
        given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
        return Case(graph, truth, given, None, label_set)

    done: list[Run] = []
    best: tuple[float, IntArray] = (np.inf, truth)
    for number in range(runs):
        labelled = case(graph, seed + number % LABEL_SETS)
        run, labels = run_paper("mnist.error", labelled, ANNEALED_LONG, seed + number)
        done.append(run)
        best = min(best, (run.error, labels), key=lambda pair: pair[0])
        count()
    main = list(done)
    for label_set in range(seed, seed + min(runs, LABEL_SETS)):
        done.append(run_literal("mnist.literal", case(graph, label_set), ANNEALED_LONG, label_set)[0])
        count()
        done.append(run_paper("mnist.approximate", case(approximate, label_set), ANNEALED_LONG, label_set)[0])
        count()
    done += run_shares("mnist", graph, truth, None, ANNEALED_LONG, shares, [seed], count)

    confusion = confusion_matrix(best[1], truth)
    published = np.array(expected()["paper"]["mnist_confusion"])
    descents = [run.details["seconds_descent"] for run in main]
    start, descent = float(np.mean([r.details["seconds_start"] for r in main])), float(np.mean(descents))
    rest = float(np.mean([run.seconds for run in main])) - start - descent
    seconds = [(f"{stage}, once", f"{value:.2f}") for stage, value in stages.items()]
    seconds += [("layout and start, per run", f"{start:.2f}"), ("descent, per run", f"{descent:.2f}")]
    tables = [ResultTable("Seconds", ("stage", "seconds"), [*seconds, ("scores, per run", f"{rest:.2f}")])]
    matrices = [(f"Our best run, {100 * best[0]:.2f} %", confusion)]
    if len(confusion) == 10:
        matrices.append(("The paper's best run, 6.86 %", published))
    for title, matrix in matrices:
        rows = [[str(c), *map(int, row)] for c, row in enumerate(matrix)]
        tables.append(ResultTable(title, ["obtained / true", *map(str, range(len(matrix)))], rows))
    return Section(
        "mnist",
        "MNIST",
        f"{len(truth):,} images, {n_components} principal components of the pixels, exact neighbours, N = M "
        f"= 10, {per_class:,} labels per class (10 %), epsilon from 2 to 0.01. {runs} runs over "
        f"{min(runs, LABEL_SETS)} label sets. One thread, like the paper's.",
        lines_of(
            "mnist",
            done,
            {"unlabelled": [100 * run.details["error_unlabelled"] for run in main], "seconds": descents},
        ),
        done,
        remarks=[
            f"Taken for each other most often, in our best run: {largest_confusions(confusion)}. In the "
            f"paper's: {largest_confusions(published)}; it names 4 and 9, 7 and 9.",
            "Why the paper has 7 % we do not know: to the letter, Algorithm 1 gives "
            f"{np.mean(errors(done, 'mnist.literal')):.1f} % on our "
            "graph. We tried no other features and no other graph than those in the table.",
            "The first line uses exact neighbours. Above 20,000 rows graphwell's default search is "
            f"approximate; here it finds {100 * approximate.recall_:.1f} % of them, and its error has a line "
            "of its own.",
            "The unsupervised errors that the paper quotes (12.9 % for the p-Laplacian, 11.8 % for the ratio "
            "Cheeger cut, 12.36 % for the normalised 1-cut) were reached without labels; the next section "
            "has ours without labels.",
        ],
        tables=tables,
        pictures=[
            _confusion_picture(published, confusion, best[0]),
            shares_picture(
                "mnist_label_shares.png",
                "MNIST: error of all points against the share of labelled points, one label set.",
                done, "mnist", shares,
            ),
        ],
    )  # fmt: skip


def digit_graph(pixels: IntArray, n_components: int = 50) -> tuple[FloatArray, gw.Graph, dict[str, float]]:
    """The leading principal components, the graph of their exact neighbours, and the seconds of both."""
    began = time.perf_counter()
    components = PCA(n_components, random_state=0).fit_transform(pixels.astype(np.float32) / 255)
    projected = time.perf_counter()
    graph = paper_graph(components, exact=True)
    seconds = {"principal components": projected - began, "graph": time.perf_counter() - projected}
    return components, graph, seconds


def confusion_matrix(obtained: IntArray, truth: IntArray) -> IntArray:
    """Counts with obtained classes in rows and true classes in columns, as in the paper."""
    n_classes = int(truth.max()) + 1
    return np.bincount(obtained * n_classes + truth, minlength=n_classes**2).reshape(n_classes, n_classes)


def largest_confusions(confusion: IntArray) -> str:
    """The three pairs of classes taken for each other most often, both directions added.

    Examples
    --------
    >>> largest_confusions(np.array([[9, 1, 0], [2, 9, 5], [0, 1, 9]]))
    '1 and 2 (6), 0 and 1 (3), 0 and 0 (0)'
    """
    both = np.triu(confusion + confusion.T, 1)
    order = np.argsort(-both, axis=None, kind="stable")[:3]
    pairs = zip(*np.unravel_index(order, both.shape), strict=True)
    return ", ".join(f"{a} and {b} ({both[a, b]})" for a, b in pairs)


def _confusion_picture(published: IntArray, ours: IntArray, error: float) -> Picture:
    """Both matrices, rows obtained and columns true, their mistakes coloured on one scale."""
    figure, panels = plots.new_figure(2, width=5.4, height=5.9)
    titles = ("paper, 6.86 %", f"graphwell, {100 * error:.2f} %")
    for panel, matrix, title in zip(panels, (published, ours), titles, strict=True):
        mistakes = np.where(np.eye(len(matrix), dtype=bool), 0, matrix)
        panel.imshow(np.sqrt(mistakes), cmap="Reds", vmin=0, vmax=np.sqrt(DARKEST))
        for row, column in np.ndindex(matrix.shape):
            style: dict[str, Any] = {"fontsize": 7, "fontweight": "bold" if row == column else "normal"}
            panel.text(column, row, f"{matrix[row, column]}", ha="center", va="center", **style)
        panel.set_xticks(range(len(matrix)))
        panel.set_yticks(range(len(matrix)))
        panel.set_xlabel("true")
        panel.set_ylabel("obtained")
        panel.set_title(title, fontsize=11)
    caption = "Confusion matrices of the best runs, in one colour scale: the redder, the more mistakes."
    return Picture("mnist_confusion.png", caption, figure)


@on_one_thread
def quoted_mnist(
    pixels: IntArray, truth: IntArray, seed: int = 0, progress: Progress = silent, *, n_components: int = 50
) -> Section:
    """Clusterers that the paper quotes, and adapted eigenfunctions from 10 % labels; one run each."""
    name, clusterers = "quoted-mnist", ("p-laplacian", "cheeger", "one-cut", "ours")
    count, done = counter("quoted figures", len(clusterers) + 1, progress), []
    components, graph, _ = digit_graph(pixels, n_components)
    for method in clusterers:
        done.append(clustered(f"{name}.{method}", graph, truth, seed))
        count()
    # On the graph of their source, N = 13 and M = 9; the error of rows without a label.
    graph = gw.Graph.from_features(components, n_neighbors=13, scale_neighbor=9)
    per_class = len(truth) // (10 * (int(truth.max()) + 1))
    given = gw.datasets.sample_labels(truth, per_class, random_state=seed)
    began = time.perf_counter()
    labels = (
        gw.baselines.AdaptedEigenfunctions(13, 9, n_jobs=1, random_state=seed).fit(graph, given).transduction_
    )
    seconds = time.perf_counter() - began
    error = unlabelled_error(labels, truth, given >= 0)
    done.append(Run(f"{name}.adapted", seed, None, seed, error, seconds))
    count()
    lines = lines_of(name, done)
    matched = [
        f"{100 * run.details['error_matched']:.1f} % ({line.title})"
        for line in lines
        for run in of_line(done, line.key)
        if run.details
    ]
    return Section(
        name,
        "MNIST: the figures that the paper quotes",
        f"{len(truth):,} images, {n_components} principal components, exact neighbours, N = M = 10 unless "
        "said; each cluster is named after the class of most of its points, as in the sources.",
        lines,
        done,
        remarks=[
            f"Named one to one, with no class twice, {', '.join(matched)} are wrong; where that is more, a "
            "digit has two clusters and another none. The sources used "
            "graphs of their own and several starts; here each cut begins at the second eigenvector alone.",
        ],
    )
