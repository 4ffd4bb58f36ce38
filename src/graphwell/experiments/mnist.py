"""The handwritten digits of MNIST: section 4.3 of the paper, and the figures that it quotes."""

import time
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.experiments import paper
from graphwell.experiments.paper import Case, Section
from graphwell.metrics import unlabelled_error
from graphwell.progress import Progress, silent
from graphwell.view import plots

# Number of mistakes with the darkest red: above the paper's largest, so that its number can be read.
DARKEST = 600


def mnist(
    pixels: IntArray,
    truth: IntArray,
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_components: int = 50,
    shares: tuple[int, ...] = paper.SHARES,
) -> Section:
    """Annealed epsilon from 10 % labels, its confusions, its time, and the error from fewer labels."""
    annealed, label_sets = paper.ANNEALED_LONG, range(seed, seed + min(runs, paper.LABEL_SETS))
    section = Section("mnist", progress, runs + 2 * len(label_sets) + len(paper.STARTS) * len(shares))
    components, graph, stages = digit_graph(pixels, n_components)
    approximate = paper.graph_of(components, exact=False)
    per_class = len(truth) // (10 * (int(truth.max()) + 1))

    def case(graph: gw.Graph, label_set: int) -> Case:
        given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
        return Case(graph, truth, given, None, label_set)

    best: tuple[float, IntArray] = (np.inf, truth)
    for number in range(runs):
        labelled = case(graph, seed + number % paper.LABEL_SETS)
        run, labels = section.multiclass("error", labelled, annealed, seed + number)
        best = min(best, (run.error, labels), key=lambda pair: pair[0])
        section.count()
    for label_set in label_sets:
        section.literal("literal", case(graph, label_set), annealed, label_set)
        section.count()
        section.multiclass("approximate", case(approximate, label_set), annealed, label_set)
        section.count()
    section.label_shares(graph, truth, None, annealed, shares, [seed])

    main = section.of_line("error")
    start, descent = (np.mean([run.details[f"seconds_{s}"] for run in main]) for s in ("start", "descent"))
    stages |= {"layout and start, per run": start, "descent, per run": descent}
    stages["scores, per run"] = np.mean([run.seconds for run in main]) - start - descent
    rows = [(stage, f"{value:.2f}") for stage, value in stages.items()]
    section.tables.append(paper.ResultTable("Seconds", ("stage", "seconds"), rows))
    confusion = confusion_matrix(best[1], truth)
    published = np.array(paper.expected()["paper"]["mnist_confusion"])
    matrices = {f"Our best run, {100 * best[0]:.2f} %": confusion, "The paper's best run, 6.86 %": published}
    for title, matrix in matrices.items():
        if len(matrix) == len(confusion):
            counts = [[str(c), *map(int, row)] for c, row in enumerate(matrix)]
            header = ["obtained / true", *map(str, range(len(matrix)))]
            section.tables.append(paper.ResultTable(title, header, counts))
    section.pictures.append(_confusion_picture(published, confusion, best[0]))
    section.shares_picture("mnist_label_shares.png", paper.words("mnist", "shares"), shares)
    values = {
        "unlabelled": [100 * run.details["error_unlabelled"] for run in main],
        "seconds": [run.details["seconds_descent"] for run in main],
    }
    return section.finish(
        values, n_images=len(truth), n_components=n_components, per_class=per_class, runs=runs,
        label_sets=len(label_sets), literal=section.mean("literal"), ours=largest_confusions(confusion),
        published=largest_confusions(published), recall=100 * approximate.recall_,
    )  # fmt: skip


def digit_graph(pixels: IntArray, n_components: int = 50) -> tuple[FloatArray, gw.Graph, dict[str, float]]:
    """The leading principal components, the graph of their exact neighbours, and the seconds of both."""
    began = time.perf_counter()
    components = PCA(n_components, random_state=0).fit_transform(pixels.astype(np.float32) / 255)
    projected = time.perf_counter()
    graph = paper.graph_of(components, exact=True)
    once = {"principal components, once": projected - began, "graph, once": time.perf_counter() - projected}
    return components, graph, once


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


def _confusion_picture(published: IntArray, ours: IntArray, error: float) -> paper.Picture:
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
    return paper.Picture("mnist_confusion.png", paper.words("mnist", "caption"), figure)


@paper.on_one_thread
def quoted_mnist(
    pixels: IntArray, truth: IntArray, seed: int = 0, progress: Progress = silent, *, n_components: int = 50
) -> Section:
    """Clusterers that the paper quotes, and adapted eigenfunctions from 10 % labels; one run each."""
    clusterers = ("p-laplacian", "cheeger", "one-cut", "ours")
    section = Section("quoted-mnist", progress, len(clusterers) + 1)
    components, graph, _ = digit_graph(pixels, n_components)
    for method in clusterers:
        section.clusterer(method, graph, truth, seed)
        section.count()
    # On the graph of their source, N = 13 and M = 9; the error of rows without a label.
    graph = gw.Graph.from_features(components, n_neighbors=13, scale_neighbor=9)
    per_class = len(truth) // (10 * (int(truth.max()) + 1))
    given = gw.datasets.sample_labels(truth, per_class, random_state=seed)
    adapted = gw.baselines.AdaptedEigenfunctions(13, 9, n_jobs=1, random_state=seed)
    began = time.perf_counter()
    labels = adapted.fit(graph, given).transduction_
    seconds = time.perf_counter() - began
    error = unlabelled_error(labels, truth, given >= 0)
    section.runs.append(paper.Repetition("quoted-mnist.adapted", seed, None, seed, error, seconds))
    section.count()
    titles = paper.expected()["lines"]["quoted-mnist"]
    matched = [
        f"{100 * run.details['error_matched']:.1f} % ({titles[line]['title']})"
        for line in titles
        for run in section.of_line(line)
        if run.details
    ]
    return section.finish(n_images=len(truth), n_components=n_components, matched=", ".join(matched))
