"""What the partitions say of new rows, and the scores that follow from it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell.backends.base import RowEvidence
from graphwell.backends.blocks.cells import CellMap
from graphwell.backends.blocks.partition import Answer, Partition, Query, merged, queries
from graphwell.graph.checks import check_range
from graphwell.graph.weights import kernel


def heard_besides(votes: FloatArray, rows: FloatArray, evidence: RowEvidence | None) -> FloatArray:
    """Votes of some rows, whose last column stays, with the evidence of the rows."""
    if evidence is None:
        return votes
    return np.column_stack([(1 - evidence.weight) * votes[:, :-1] + evidence(rows), votes[:, -1]])


class Candidates(NamedTuple):
    """Candidates of a query, with the scale and the scores of each, and whether a label reaches it."""

    answer: Answer
    scales: FloatArray
    distributions: FloatArray
    reachable: BoolArray


def checked_queries(rows: FloatArray, cells: CellMap, n_partitions: int, k: int) -> list[Query]:
    """What new rows ask of each partition."""
    if not np.isfinite(rows).all():
        raise ValueError("X holds NaN or infinite values; fill or remove them first.")
    check_range(float(rows.max(initial=0.0)), float(rows.min(initial=0.0)), alone=False)
    return queries(rows, cells, n_partitions, k)


def candidates_of(
    asked: Sequence[Query], number: int, partition: Partition, scales: FloatArray, told: Any, k: int
) -> Candidates:
    """Answer what new rows ask of one partition."""
    found = partition.answer(asked[number], k)
    places = np.where(found.positions < 0, 0, found.positions - partition.start)
    return Candidates(found, scales[places], told.distributions[places], told.reachable[places])


def vote(
    candidates: Sequence[Candidates],
    n_rows: int,
    k: int,
    n_neighbors: int,
    scale_neighbor: int,
    floor: float,
    prior: FloatArray,
) -> FloatArray:
    """Scores of new rows from all candidates, and in a last column how much reached rows had a say."""
    nearest = merged([c.answer for c in candidates], n_rows, k)
    tau = np.maximum(nearest.distances[:, scale_neighbor - 1], floor)[:, None]
    farthest = nearest.neighbors[:, n_neighbors - 1], nearest.distances[:, n_neighbors - 1]
    scores, heard = np.zeros((n_rows, len(prior))), np.zeros(n_rows)
    for c in candidates:
        at, distances = c.answer.places, c.answer.distances
        last, limit = farthest[0][at, None], farthest[1][at, None]
        near = (distances < limit) | ((distances == limit) & (c.answer.neighbors <= last))
        near &= c.answer.neighbors >= 0
        weights = np.where(near, kernel(np.where(near, distances, 0.0), tau[at], c.scales), 0.0)
        scores[at] += np.einsum("ij,ijk->ik", weights, c.distributions)
        heard[at] += (weights * c.reachable).sum(axis=1)
    total = scores.sum(axis=1, keepdims=True)
    scores = np.where(total > 0, scores / np.where(total > 0, total, 1.0), prior)
    return np.column_stack([scores, heard])
