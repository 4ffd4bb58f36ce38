"""New rows after a fit on a cluster: each block of them asks the partitions that hold its nearest cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell._warnings import UnreachableWarning, warn_user
from graphwell.backends.base import RowEvidence
from graphwell.backends.blocks.cells import CellMap
from graphwell.backends.blocks.partition import Answer, Partition, Query, merged, queries
from graphwell.backends.dask.inputs import check_chunks
from graphwell.backends.dask.search import Search
from graphwell.backends.dask.tasks import Handle, Tasks, array_of, as_dask_array, blocks_of
from graphwell.backends.induction import Induction, lost_rows, two_highest_apart
from graphwell.graph.neighbors import build_search
from graphwell.graph.origin import Origin
from graphwell.graph.weights import kernel


@dataclass(frozen=True)
class DaskInduction:
    """Scores of new rows from fitted ones that lie on the workers.

    Pickled, it becomes the `Induction` of one machine: the fitted rows are fetched, and must fit into memory.

    Attributes
    ----------
    tasks : Tasks
    search : Search
    told : list of handles
        Answers for the rows of each partition.
    distributions, reachable : Dask arrays
    classes, prior : arrays of shape (n_classes,)
    evidence : RowEvidence, optional
        Heard besides the vote.
    """

    tasks: Tasks
    search: Search
    told: list[Handle]
    distributions: Any
    reachable: Any
    classes: Any
    prior: FloatArray
    evidence: RowEvidence | None = None

    takes_features = True

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other.

        Rows that are linked to no row that a label reached get the class shares of the given labels.
        """
        tasks, search, rows = self.tasks, self.search, as_dask_array(X)
        lengths = check_chunks(rows)
        if rows.shape[1] != search.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the classifier was fitted on {search.n_features}."
            )
        k = max(search.n_neighbors, search.scale_neighbor)
        settings = (search.n_neighbors, search.scale_neighbor, search.floor, self.prior)
        parts, found = list(zip(search.partitions, search.scales, self.told, strict=True)), []
        for raw, length in zip(blocks_of(rows), lengths, strict=True):
            block = tasks.lazy("features", search.features, raw)
            asked = tasks.lazy("ask", checked_queries, block, search.cells, len(parts), k)
            candidates = [
                tasks.lazy("search", candidates_of, asked, q, *part, k) for q, part in enumerate(parts)
            ]
            votes = tasks.lazy("vote", vote, candidates, length, k, *settings)
            found.append(tasks.lazy("hear", heard_besides, votes, raw, self.evidence))
        scores = array_of(found, lengths, len(self.classes) + 1, np.float64)
        return scores[:, :-1] if rows is X else _computed(scores)

    def labels(self, X: Any) -> Any:
        """Return the class of each new row."""
        best = self.scores(X).argmax(axis=1)
        if isinstance(best, np.ndarray):
            return self.classes[best]
        return best.map_blocks(self.classes.take, dtype=self.classes.dtype)

    def margins(self) -> FloatArray:
        """Return the distance of the two highest scores of each fitted row; -1 where no label reaches."""
        apart = self.distributions.map_blocks(two_highest_apart, drop_axis=1, dtype=np.float64)
        return np.where(self.reachable.compute(), apart.compute(), -1.0)

    def __reduce__(self) -> Any:
        search, results = self.search, self.tasks.results
        partitions = results(search.partitions)
        order = np.argsort(np.concatenate([part.vertices for part in partitions]))
        points = np.concatenate([part.points for part in partitions])[order]
        scales = np.concatenate(results(search.scales))[order]
        counts = (search.n_features, search.n_neighbors, search.scale_neighbor)
        k = max(search.n_neighbors, search.scale_neighbor)
        origin = Origin(search.features, build_search(points, k), scales, *counts)
        told = (self.distributions.compute(), self.reachable.compute())
        return Induction, (origin, self.classes, *told, self.prior, self.evidence)


def _computed(votes: Any) -> FloatArray:
    """The votes at once, with a warning where no label speaks for some rows."""
    found = np.asarray(votes.compute())
    lost = int((found[:, -1] == 0).sum())
    if lost:
        warn_user(lost_rows(lost, len(found)), UnreachableWarning)
    return found[:, :-1]


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
