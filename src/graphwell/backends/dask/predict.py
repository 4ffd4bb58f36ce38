"""New rows after a fit on a cluster: each block of them asks the partitions that hold its nearest cells."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.dask.cells import Cells
from graphwell.backends.dask.fit import Part
from graphwell.backends.dask.inputs import check_chunks
from graphwell.backends.dask.partition import Answer, Partition, Query, answer, merged, queries
from graphwell.backends.dask.tasks import array_of, as_dask_array, blocks_of, connected_client
from graphwell.graph.features import FeatureMap
from graphwell.graph.weights import kernel


class Candidates(NamedTuple):
    """Candidates of a query with the scale and the scores of each."""

    answer: Answer
    scales: FloatArray
    distributions: FloatArray


def predict_proba(classifier: Any, X: Any) -> Any:
    """Scores of each new row: the vote of its nearest fitted rows under the kernel of the graph.

    A Dask array is answered lazily, block by block; any other array at once. Rows that are linked to no
    row that a label reached get the class shares of the given labels.
    """
    connected_client()
    rows = as_dask_array(X)
    lengths = check_chunks(rows)
    if rows.shape[1] != classifier.n_features_in_:
        raise ValueError(
            f"X has {rows.shape[1]} features, but the classifier was fitted on {classifier.n_features_in_}."
        )
    tasks, search = classifier.graph_.tasks, classifier.graph_.search
    k = max(search.n_neighbors, search.scale_neighbor)
    n, found = len(search.partitions), []
    for raw, length in zip(blocks_of(rows), lengths, strict=True):
        block = tasks.lazy("features", FeatureMap(classifier.metric), raw)
        asked = tasks.lazy("ask", checked_queries, block, search.cells, n, k)
        parts = zip(search.partitions, search.scales, classifier._answers, strict=True)
        candidates = [tasks.lazy("search", candidates_of, asked, q, *part, k) for q, part in enumerate(parts)]
        settings = (search.n_neighbors, search.scale_neighbor, search.floor, classifier.class_prior_)
        found.append(tasks.lazy("vote", vote, candidates, length, k, *settings))
    scores = array_of(found, lengths, len(classifier.classes_), np.float64)
    return scores if rows is X else scores.compute()


def checked_queries(rows: FloatArray, cells: Cells, n_partitions: int, k: int) -> list[Query]:
    """What new rows ask of each partition."""
    if not np.isfinite(rows).all():
        raise ValueError("X holds NaN or infinite values; fill or remove them first.")
    return queries(rows, cells, n_partitions, k)


def candidates_of(
    asked: Sequence[Query], number: int, partition: Partition, scales: FloatArray, part: Part, k: int
) -> Candidates:
    """Answer what new rows ask of one partition."""
    found = answer(asked[number], partition, k)
    places = np.where(found.positions < 0, 0, found.positions - partition.start)
    return Candidates(found, scales[places], part.distributions[places])


def vote(
    candidates: Sequence[Candidates],
    n_rows: int,
    k: int,
    n_neighbors: int,
    scale_neighbor: int,
    floor: float,
    prior: FloatArray,
) -> FloatArray:
    """Scores of new rows from all candidates."""
    nearest = merged([c.answer for c in candidates], n_rows, k)
    tau = np.maximum(nearest.distances[:, scale_neighbor - 1], floor)[:, None]
    farthest = nearest.neighbors[:, n_neighbors - 1], nearest.distances[:, n_neighbors - 1]
    scores = np.zeros((n_rows, len(prior)))
    for c in candidates:
        at, distances = c.answer.places, c.answer.distances
        last, limit = farthest[0][at, None], farthest[1][at, None]
        near = (distances < limit) | ((distances == limit) & (c.answer.neighbors <= last))
        near &= c.answer.neighbors >= 0
        weights = np.where(near, kernel(np.where(near, distances, 0.0), tau[at], c.scales), 0.0)
        scores[at] += np.einsum("ij,ijk->ik", weights, c.distributions)
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), prior)


def _margins(scores: FloatArray) -> FloatArray:
    ranked = np.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2]


def doubtful(classifier: Any, k: int) -> IntArray:
    """Indices of the `k` rows to look at first: the least certain ones, unreachable rows before all."""
    scores = classifier.label_distributions_
    if scores.shape[1] > 1:
        certainty = scores.map_blocks(_margins, drop_axis=1, dtype=np.float64).compute()
    else:
        certainty = np.ones(len(scores))
    certainty = np.where(classifier.reachable_.compute(), certainty, -1.0)
    return np.argsort(certainty, kind="stable")[:k]
