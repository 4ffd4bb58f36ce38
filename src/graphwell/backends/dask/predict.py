"""New rows after a fit on a cluster: each block of them asks the partitions that hold its nearest cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.dask.arrays import array_of, as_dask_array, blocks_of, check_chunks, check_shape, lazy
from graphwell.backends.dask.rounds import Cluster
from graphwell.backends.dask.search import CellMap, PartitionQuery, Search, merged
from graphwell.backends.induction import Induction, least_certain, lost_rows, nearer
from graphwell.backends.registry import backend_of_rows
from graphwell.errors import UnreachableWarning, warn_user
from graphwell.graph.checks import check_range, read_new_affinities
from graphwell.graph.graph import Origin
from graphwell.graph.knn import FeatureMap, build_search
from graphwell.graph.weights import kernel


class Found(NamedTuple):
    """What a fit says of some rows."""

    assigned: IntArray
    distributions: FloatArray
    reachable: BoolArray
    bridged: BoolArray
    votes: FloatArray  # for new rows, where they are not the distributions; of no column otherwise

    def at(self, places: Any) -> "Found":
        """What it says of some of these."""
        return Found(*(column[places] for column in self))


@dataclass(frozen=True)
class DaskInduction:
    """Scores of new rows from their affinities to fitted ones that lie on the workers.

    Pickled, it becomes the `Induction` of one machine: what is known of the fitted rows is fetched.
    """

    cluster: Cluster
    distributions: Any  # a Dask array, as the next
    reachable: Any
    classes: Any
    prior: FloatArray
    answers: list[Any]  # only held: the arrays are made of their copies, made again where a worker is lost

    takes_features = False

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other.

        Rows that are linked to no row that a label reached get the class shares of the given labels.
        """
        lazily = backend_of_rows(X) is not None
        lengths = check_chunks(X) if lazily else (np.shape(X)[0],)
        pairs = list(zip(blocks_of(X) if lazily else [X], lengths, strict=True))
        return self._votes([self._voted(*pair) for pair in pairs], lengths, lazily=lazily)

    def _voted(self, block: Any, length: int) -> Any:
        """A task for the votes on a block of new rows."""
        starts, known = self._starts, map(blocks_of, (self.distributions, self.reachable))
        near = lazy(new_rows, block, length, int(starts[-1]))
        fitted = zip(pairwise(starts.tolist()), *known, strict=True)
        return lazy(whole_vote, [lazy(part_of_vote, near, *part) for part in fitted], self.prior)

    @property
    def _starts(self) -> IntArray:
        """Number of the first fitted row of each chunk, and the number of all."""
        return np.cumsum([0, *self.reachable.chunks[0]])

    def _votes(self, found: list[Any], lengths: Sequence[int], *, lazily: bool) -> Any:
        if lazily:
            return array_of(found, lengths, len(self.classes) + 1, np.float64)[:, :-1]
        votes = np.concatenate(self.cluster.results(found))
        lost = int((votes[:, -1] == 0).sum())
        if lost:
            warn_user(lost_rows(lost, len(votes)), UnreachableWarning)
        return votes[:, :-1]

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
        asked = zip(*known, np.split(given, self._starts[1:-1]), strict=True)
        found = self.cluster.results([lazy(least_certain, *columns, k) for columns in asked])
        pairs = zip(found, self._starts, strict=False)
        rows = np.concatenate([places + first for (places, _), first in pairs])
        certain = np.concatenate([certain for _, certain in found])
        return np.asarray(rows[np.lexsort((rows, certain))[:k]])

    def __reduce__(self) -> Any:
        told = (self.distributions.compute(), self.reachable.compute())
        return Induction, (None, self.classes, *told, self.prior)


@dataclass(frozen=True)
class FeatureInduction(DaskInduction):
    """Scores of new rows from their features, by the kernel of the graph."""

    parts: list[Any]  # futures: `Search` and `Found` of each worker
    cells: CellMap
    floor: float  # smallest local scale
    counts: tuple[int, int]  # numbers of neighbours and of the neighbour at the distance of the local scale
    features: FeatureMap
    n_features: int
    evidence: Any

    takes_features = True

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other."""
        rows = as_dask_array(X)
        lengths = check_chunks(rows)
        if rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} features, but the classifier was fitted on {self.n_features}."
            )
        found = [self._voted(*pair) for pair in zip(blocks_of(rows), lengths, strict=True)]
        return self._votes(found, lengths, lazily=rows is X)

    def _voted(self, block: Any, length: int) -> Any:
        k = max(self.counts)
        asked = lazy(queries, block, self.features, self.cells, len(self.parts), k)
        candidates = [lazy(candidates_of, asked, q, part, k) for q, part in enumerate(self.parts)]
        return lazy(vote, candidates, block, length, self.counts, self.floor, self.prior, self.evidence)

    def __reduce__(self) -> Any:
        searches, found = zip(*self.cluster.fetched(self.parts), strict=True)
        order = np.argsort(np.concatenate([search.partition.vertices for search in searches]))
        points = np.concatenate([search.partition.points for search in searches])[order]
        scales = np.concatenate([search.scales for search in searches])[order]
        search = build_search(points, max(self.counts))
        origin = Origin(self.features, search, scales, self.n_features, *self.counts)
        votes = np.concatenate([each.votes for each in found])[order]
        told = super().__reduce__()[1][1:]
        return Induction, (origin, *told, self.evidence, votes if votes.shape[1] else None)


def queries(
    raw: Any, features: FeatureMap, cells: CellMap, n_partitions: int, k: int
) -> list[PartitionQuery]:
    """What new rows ask of each partition."""
    if not np.isfinite(raw).all():
        raise ValueError("X holds NaN or infinite values; fill or remove them first.")
    rows = features(raw)
    check_range(float(rows.max(initial=0.0)), float(rows.min(initial=0.0)), alone=False)
    return cells.queries(rows, n_partitions, k)


def candidates_of(asked: Sequence[PartitionQuery], number: int, part: tuple[Search, Found], k: int) -> Any:
    """Answer what new rows ask of one partition: candidates, their scales and scores, who is reached."""
    search, found = part
    answer = search.partition.answer(asked[number], k)
    places = np.where(answer.positions < 0, 0, answer.positions - search.partition.start)
    votes = found.votes if found.votes.shape[1] else found.distributions
    return answer, search.scales[places], votes[places], found.reachable[places]


def vote(
    candidates: Sequence[Any],
    raw: Any,
    n_rows: int,
    counts: tuple[int, int],
    floor: float,
    prior: FloatArray,
    evidence: Any,
) -> FloatArray:
    """Scores of new rows from all candidates, and in a last column how much reached rows had a say."""
    n_neighbors, scale_neighbor = counts
    nearest = merged([answer for answer, *_ in candidates], n_rows, max(counts))
    tau = np.maximum(nearest.distances[:, scale_neighbor - 1], floor)[:, None]
    farthest = nearest.neighbors[:, n_neighbors - 1], nearest.distances[:, n_neighbors - 1]
    scores, support = np.zeros((n_rows, len(prior))), np.zeros(n_rows)
    for (at, neighbors, _, distances), scales, known, reachable in candidates:
        last, limit = farthest[0][at, None], farthest[1][at, None]
        near = (distances < limit) | ((distances == limit) & (neighbors <= last))
        near &= neighbors >= 0
        affinities = nearer(kernel(np.where(near, distances, 0.0), tau[at], scales))
        weights = np.where(near, affinities, 0.0)
        scores[at] += np.einsum("ij,ijk->ik", weights, known)
        support[at] += (weights * reachable).sum(axis=1)
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
