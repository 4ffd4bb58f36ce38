"""TypiClust (Hacohen, Dekel and Weinshall 2022): the most typical row of each large cluster without a label.

Clusters are those of k-means in the leading eigenvectors of the graph, one for each label and question.
Typical is what has many near neighbours.
"""

import numpy as np

from graphwell._counted import counted
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import laplacian, row_of_unit, small_graph
from graphwell.active.suggestions import Question

MOST_DIMENSIONS = 50


@strategy("typiclust", "the most typical row of the largest cluster with the fewest labels")
def typiclust(situation: Situation, n: int) -> list[Question]:
    """Typical units of clusters: those with fewest labels first, and of these the largest."""
    graph = small_graph(situation)
    wanted = min(int(graph.counts.sum()) + n, len(graph.W))
    clusters = clusters_of(graph.W, graph.sizes, wanted, situation.random_state)
    labels = np.bincount(clusters, weights=graph.counts.sum(axis=1), minlength=wanted)
    rows = np.bincount(clusters, weights=graph.sizes, minlength=wanted)
    typical = graph.W.sum(axis=1) / graph.sizes
    is_open = graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        left = np.bincount(clusters[is_open], minlength=wanted) > 0
        cluster = np.lexsort((-rows, np.where(left, labels, np.inf)))[0]
        unit = int(np.where(is_open & (clusters == cluster), typical, -np.inf).argmax())
        labels[cluster] += 1
        is_open[unit] = False
        questions.append(
            Question(row_of_unit(situation, unit), f"typical of {counted(int(rows[cluster]), 'row')}")
        )
    return questions


def clusters_of(W: FloatArray, sizes: FloatArray, count: int, random_state: object) -> IntArray:
    """Clusters of k-means in the leading eigenvectors, of length 1 for each unit."""
    from scipy.linalg import eigh
    from sklearn.cluster import KMeans

    last = min(count, MOST_DIMENSIONS, len(W)) - 1
    _, vectors = eigh(laplacian(W), subset_by_index=[0, last])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    seed = int(stream(random_state, "k-means").integers(2**31))  # type: ignore[arg-type]
    distinct = min(count, len(np.unique(vectors.round(9), axis=0)))
    return np.asarray(KMeans(distinct, n_init=1, random_state=seed).fit_predict(vectors, sample_weight=sizes))
