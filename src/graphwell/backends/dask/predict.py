"""New rows after a fit on a cluster: each block of them asks the partitions that hold its nearest cells."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import RowEvidence
from graphwell.backends.dask.arrays import array_of, as_dask_array, blocks_of, check_chunks, check_shape, lazy
from graphwell.backends.dask.rounds import Cluster
from graphwell.backends.dask.search import Answer, CellMap, Partition, Query, Search, merged
from graphwell.backends.induction import Induction, least_certain, lost_rows
from graphwell.backends.registry import backend_of_rows
from graphwell.errors import UnreachableWarning, warn_user
from graphwell.graph.checks import check_range, read_new_affinities
from graphwell.graph.graph import Origin
from graphwell.graph.knn import FeatureMap, build_search
from graphwell.graph.weights import kernel


@dataclass(frozen=True)
class Found:
    """What a fit says of some rows."""

    assigned: IntArray
    distributions: FloatArray
    reachable: BoolArray
    bridged: BoolArray

    def at(self, places: IntArray) -> "Found":
        """What it says of some of these."""
        return Found(*(getattr(self, column.name)[places] for column in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence["Found"]) -> "Found":
        """What it says of rows that follow each other."""
        return cls(*(np.concatenate([getattr(part, c.name) for part in parts]) for c in fields(cls)))


@dataclass(frozen=True)
class FittedPart:
    """The fitted rows of one worker, as new rows ask about them."""

    search: Search
    found: Found


@dataclass(frozen=True)
class FittedRows:
    """What is known of fitted rows that lie on the workers.

    Attributes
    ----------
    cluster : Cluster
    distributions, reachable : Dask arrays
    classes, prior : arrays of shape (n_classes,)
    answers : list of futures
        Only held: from them the copies that the arrays refer to are made again after the loss of a worker.
    """

    cluster: Cluster
    distributions: Any
    reachable: Any
    classes: Any
    prior: FloatArray
    answers: list[Any]

    @property
    def starts(self) -> IntArray:
        """Number of the first fitted row of each chunk, and the number of all."""
        return np.cumsum([0, *self.reachable.chunks[0]])

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row."""
        raise NotImplementedError

    def labels(self, X: Any) -> Any:
        """Return the class of each new row."""
        best = self.scores(X).argmax(axis=1)
        if isinstance(best, np.ndarray):
            return self.classes[best]
        return best.map_blocks(self.classes.take, dtype=self.classes.dtype)

    def least_certain(self, k: int, given: BoolArray, bridged: Any) -> IntArray:
        """Return the `k` least certain of the fitted rows whose label was not given, those first.

        The workers look for them, block by block: a number for every row never reaches the client.
        """
        known = map(blocks_of, (self.distributions, self.reachable, bridged))
        asked = zip(*known, np.split(given, self.starts[1:-1]), strict=True)
        found = self.cluster.results([lazy(least_certain, *columns, k) for columns in asked])
        pairs = zip(found, self.starts, strict=False)
        rows = np.concatenate([places + first for (places, _), first in pairs])
        certain = np.concatenate([certain for _, certain in found])
        return np.asarray(rows[np.lexsort((rows, certain))[:k]])

    def _votes(self, found: list[Any], lengths: Sequence[int], *, lazily: bool) -> Any:
        """The votes on new rows as a Dask array, or at once."""
        if lazily:
            return array_of(found, lengths, len(self.classes) + 1, np.float64)[:, :-1]
        votes = np.concatenate(self.cluster.results(found))
        lost = int((votes[:, -1] == 0).sum())
        if lost:
            warn_user(lost_rows(lost, len(votes)), UnreachableWarning)
        return votes[:, :-1]


@dataclass(frozen=True)
class DaskInduction(FittedRows):
    """Scores of new rows from fitted ones that lie on the workers.

    Pickled, it becomes the `Induction` of one machine: the fitted rows are fetched, and must fit into memory.

    Attributes
    ----------
    parts : list of futures
        `FittedPart` of each worker.
    cells : CellMap
    floor : float
        Smallest local scale.
    counts : (int, int)
        Numbers of neighbours and of the neighbour at the distance of the local scale.
    features : FeatureMap
    n_features : int
    evidence : RowEvidence, optional
    """

    parts: list[Any]
    cells: CellMap
    floor: float
    counts: tuple[int, int]
    features: FeatureMap
    n_features: int
    evidence: RowEvidence | None = None

    takes_features = True

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other.

        Rows that are linked to no row that a label reached get the class shares of the given labels.
        """
        rows = as_dask_array(X)
        lengths = check_chunks(rows)
        if rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the classifier was fitted on {self.n_features}."
            )
        k, found = max(self.counts), []
        for raw, length in zip(blocks_of(rows), lengths, strict=True):
            asked = lazy(queries, raw, self.features, self.cells, len(self.parts), k)
            candidates = [lazy(candidates_of, asked, q, part, k) for q, part in enumerate(self.parts)]
            found.append(
                lazy(vote, candidates, raw, length, self.counts, self.floor, self.prior, self.evidence)
            )
        return self._votes(found, lengths, lazily=rows is X)

    def __reduce__(self) -> Any:
        searches = [part.search for part in self.cluster.fetched(self.parts)]
        order = np.argsort(np.concatenate([search.partition.vertices for search in searches]))
        points = np.concatenate([search.partition.points for search in searches])[order]
        scales = np.concatenate([search.scales for search in searches])[order]
        search = build_search(points, max(self.counts))
        origin = Origin(self.features, search, scales, self.n_features, *self.counts)
        told = (self.distributions.compute(), self.reachable.compute())
        return Induction, (origin, self.classes, *told, self.prior, self.evidence)


@dataclass(frozen=True)
class AffinityInduction(FittedRows):
    """Scores of new rows from their affinities to fitted ones, where the graph was given.

    Pickled, it becomes the `Induction` of one machine.
    """

    takes_features = False

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other."""
        lazily = backend_of_rows(X) is not None
        lengths = check_chunks(X) if lazily else (np.shape(X)[0],)
        known = (blocks_of(self.distributions), blocks_of(self.reachable))
        fitted, found = list(zip(pairwise(self.starts.tolist()), *known, strict=True)), []
        for block, length in zip(blocks_of(X) if lazily else [X], lengths, strict=True):
            near = lazy(new_rows, block, length, int(self.starts[-1]))
            found.append(lazy(whole_vote, [lazy(part_of_vote, near, *part) for part in fitted], self.prior))
        return self._votes(found, lengths, lazily=lazily)

    def __reduce__(self) -> Any:
        told = (self.distributions.compute(), self.reachable.compute())
        return Induction, (None, self.classes, *told, self.prior)


class Candidates(NamedTuple):
    """Candidates of a query, with the scale and the scores of each, and whether a label reaches it."""

    answer: Answer
    scales: FloatArray
    distributions: FloatArray
    reachable: BoolArray


def queries(raw: Any, features: FeatureMap, cells: CellMap, n_partitions: int, k: int) -> list[Query]:
    """What new rows ask of each partition."""
    if not np.isfinite(raw).all():
        raise ValueError("X holds NaN or infinite values; fill or remove them first.")
    rows = features(raw)
    check_range(float(rows.max(initial=0.0)), float(rows.min(initial=0.0)), alone=False)
    return cells.queries(rows, n_partitions, k)


def candidates_of(asked: Sequence[Query], number: int, part: FittedPart, k: int) -> Candidates:
    """Answer what new rows ask of one partition."""
    partition: Partition = part.search.partition
    answer = partition.answer(asked[number], k)
    places = np.where(answer.positions < 0, 0, answer.positions - partition.start)
    return Candidates(
        answer, part.search.scales[places], part.found.distributions[places], part.found.reachable[places]
    )


def vote(
    candidates: Sequence[Candidates],
    raw: Any,
    n_rows: int,
    counts: tuple[int, int],
    floor: float,
    prior: FloatArray,
    evidence: RowEvidence | None,
) -> FloatArray:
    """Scores of new rows from all candidates, and in a last column how much reached rows had a say."""
    n_neighbors, scale_neighbor = counts
    nearest = merged([c.answer for c in candidates], n_rows, max(counts))
    tau = np.maximum(nearest.distances[:, scale_neighbor - 1], floor)[:, None]
    farthest = nearest.neighbors[:, n_neighbors - 1], nearest.distances[:, n_neighbors - 1]
    scores, support = np.zeros((n_rows, len(prior))), np.zeros(n_rows)
    for c in candidates:
        at, distances = c.answer.places, c.answer.distances
        last, limit = farthest[0][at, None], farthest[1][at, None]
        near = (distances < limit) | ((distances == limit) & (c.answer.neighbors <= last))
        near &= c.answer.neighbors >= 0
        weights = np.where(near, kernel(np.where(near, distances, 0.0), tau[at], c.scales), 0.0)
        scores[at] += np.einsum("ij,ijk->ik", weights, c.distributions)
        support[at] += (weights * c.reachable).sum(axis=1)
    total = scores.sum(axis=1, keepdims=True)
    scores = np.where(total > 0, scores / np.where(total > 0, total, 1.0), prior)
    if evidence is not None:
        scores = (1 - evidence.weight) * scores + evidence(raw)
    return np.column_stack([scores, support])


def new_rows(block: Any, length: int, n: int) -> Any:
    """Affinities of new rows to `n` fitted ones as a CSR array, checked."""
    X = read_new_affinities(block, n)
    check_shape(X, (length, n), "X")
    return X


def part_of_vote(X: Any, own: tuple[int, int], distributions: FloatArray, reachable: BoolArray) -> FloatArray:
    """What fitted rows `own` say of new rows: scores, how much they were asked, and how much reached ones."""
    return X[:, slice(*own)] @ np.column_stack([distributions, np.ones(len(reachable)), reachable])


def whole_vote(parts: Sequence[FloatArray], prior: FloatArray) -> FloatArray:
    """Scores of new rows, and in a last column how much reached rows had a say."""
    total = np.sum(parts, axis=0)
    scores, support, reached = total[:, :-2], total[:, -2:-1], total[:, -1:]
    scores = np.where(support > 0, scores, prior)
    return np.hstack([scores / scores.sum(axis=1, keepdims=True), reached])
