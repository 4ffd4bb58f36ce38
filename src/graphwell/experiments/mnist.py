"""The handwritten digits of MNIST: section 4.3 of the paper, and the figures that it quotes."""

import time

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import confusion_matrix

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.experiments import paper
from graphwell.experiments.paper import Case, Section
from graphwell.metrics import unlabelled_error
from graphwell.progress import Progress, silent


def mnist(
    pixels: IntArray,
    truth: IntArray,
    runs: int = 20,
    seed: int = 0,
    progress: Progress = silent,
    *,
    n_components: int = 50,
) -> Section:
    """Annealed epsilon from 10 % labels, and its confusions."""
    annealed, label_sets = paper.ANNEALED_LONG, range(seed, seed + min(runs, paper.LABEL_SETS))
    section = Section("mnist", progress)
    components, graph = digit_graph(pixels, n_components)
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
    for label_set in label_sets:
        section.literal("literal", case(graph, label_set), annealed, label_set)
        section.multiclass("approximate", case(approximate, label_set), annealed, label_set)

    main = section.of_line("error")
    confusion = confusion_matrix(best[1], truth)  # obtained classes in rows, true ones in columns
    published = np.array(paper.expected()["paper"]["mnist_confusion"])
    matrices = {f"Our best run, {100 * best[0]:.2f} %": confusion, "The paper's best run, 6.86 %": published}
    for title, matrix in matrices.items():
        if len(matrix) == len(confusion):
            counts = [[str(c), *map(int, row)] for c, row in enumerate(matrix)]
            header = ["obtained / true", *map(str, range(len(matrix)))]
            section.tables.append(paper.ResultTable(title, header, counts))
    values = {
        "unlabelled": [100 * run.details["error_unlabelled"] for run in main],
        "seconds": [run.details["seconds_descent"] for run in main],
    }
    return section.finish(
        values, n_images=len(truth), n_components=n_components, per_class=per_class, runs=runs,
        label_sets=len(label_sets), recall=100 * approximate.recall_,
    )  # fmt: skip


def digit_graph(pixels: IntArray, n_components: int = 50) -> tuple[FloatArray, gw.Graph]:
    """The leading principal components, and the graph of their exact neighbours."""
    components = PCA(n_components, random_state=0).fit_transform(pixels.astype(np.float32) / 255)
    return components, paper.graph_of(components, exact=True)


@paper.on_one_thread
def quoted_mnist(
    pixels: IntArray, truth: IntArray, seed: int = 0, progress: Progress = silent, *, n_components: int = 50
) -> Section:
    """Clusterers that the paper quotes, and adapted eigenfunctions from 10 % labels; one run each."""
    clusterers = ("p-laplacian", "cheeger", "one-cut", "ours")
    section = Section("quoted-mnist", progress)
    components, graph = digit_graph(pixels, n_components)
    for method in clusterers:
        section.clusterer(method, graph, truth, seed)
    # On the graph of their source, N = 13 and M = 9; the error of rows without a label.
    graph = gw.Graph.from_features(components, n_neighbors=13, scale_neighbor=9)
    per_class = len(truth) // (10 * (int(truth.max()) + 1))
    given = gw.datasets.sample_labels(truth, per_class, random_state=seed)
    adapted = gw.baselines.AdaptedEigenfunctions(13, 9, n_jobs=1)
    began = time.perf_counter()
    labels = adapted.fit(graph, given).transduction_
    seconds = time.perf_counter() - began
    error = unlabelled_error(labels, truth, given >= 0)
    section.runs.append(paper.Repetition("quoted-mnist.adapted", seed, None, seed, error, seconds))
    return section.finish(n_images=len(truth), n_components=n_components)
