"""New rows after a fit on a cluster: their affinities to the fitted rows, which vote worker by worker."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.dask.arrays import array_of, blocks_of, check_chunks, lazy
from graphwell.backends.dask.rounds import Cluster
from graphwell.backends.dask.search import Answer, CellMap, Partition, PartitionQuery, merged
from graphwell.backends.induction import Induction, least_certain, lost_rows, nearer
from graphwell.backends.registry import backend_of_rows
from graphwell.errors import UnreachableWarning, warn_user
from graphwell.graph.checks import read_features
from graphwell.graph.graph import Origin
from graphwell.graph.knn import FeatureMap, build_search
from graphwell.graph.weights import kernel


class Searched(NamedTuple):
    """Search structures in which new rows find their nearest fitted rows."""

    cells: CellMap
    floor: float  # smallest local scale
    counts: tuple[int, int]  # numbers of neighbours and of the neighbour at the distance of the local scale
    features: FeatureMap
    n_features: int
    evidence: Any


class Kept(NamedTuple):
    """What a worker keeps of a fit."""

    told: Any  # to the client
    answers: dict[str, Any]  # for the rows that it took
    graph: Any  # its vertices, their rows, and the vertices that the columns of these stand for
    partition: Partition  # these vertices, which new rows ask


@dataclass(frozen=True)
class DaskInduction:
    """Scores of new rows, from their affinities to fitted ones that lie on the workers.

    Pickled, it becomes the `Induction` of one machine: what is known of the fitted rows is fetched.
    """

    cluster: Cluster
    distributions: Any  # a Dask array, as the next
    reachable: Any
    classes: Any
    prior: FloatArray
    kept: list[Any]  # futures: what each worker keeps
    searched: Searched

    takes_features = True

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other.

        Rows that are linked to no row that a label reached get the class shares of the given labels.
        """
        if backend_of_rows(X) is not None:
            lengths, width = check_chunks(X), len(self.classes) + 1
            pairs = zip(blocks_of(X), lengths, strict=True)
            found = [self._voted(block) if length else lazy(np.zeros, (0, width)) for block, length in pairs]
            return array_of(found, lengths, width, np.float64)[:, :-1]
        (votes,) = self.cluster.results([self._voted(read_features(X, at_least=1))])
        lost = int((votes[:, -1] == 0).sum())
        if lost:
            warn_user(lost_rows(lost, len(votes)), UnreachableWarning)
        return votes[:, :-1]

    def _voted(self, block: Any) -> Any:
        """A task for the votes on a block of new rows."""
        asked = lazy(queries, block, self.searched, len(self.kept))
        candidates = [lazy(candidates_of, asked, q, kept, self.searched) for q, kept in enumerate(self.kept)]
        near = lazy(affinities, candidates, self.searched, self.reachable.shape[0])
        votes = [lazy(part_of_vote, near, kept) for kept in self.kept]
        return lazy(whole_vote, votes, self.prior, block, self.searched.evidence)

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
        starts = np.cumsum([0, *self.reachable.chunks[0]])
        known = map(blocks_of, (self.distributions, self.reachable, bridged))
        asked = zip(*known, np.split(given, starts[1:-1]), strict=True)
        found = self.cluster.results([lazy(least_certain, *columns, k) for columns in asked])
        rows = np.concatenate([places + first for (places, _), first in zip(found, starts, strict=False)])
        certain = np.concatenate([certain for _, certain in found])
        return np.asarray(rows[np.lexsort((rows, certain))[:k]])

    def __reduce__(self) -> Any:
        told = (self.classes, self.distributions.compute(), self.reachable.compute(), self.prior)
        parts = self.cluster.results([lazy(getattr, each, "partition") for each in self.kept])
        columns = ("vertices", "points", "scales", "votes")
        vertices, points, scales, votes = (
            np.concatenate([getattr(part, name) for part in parts]) for name in columns
        )
        order = np.argsort(vertices)
        _, _, counts, features, n_features, evidence = self.searched
        search = build_search(points[order], max(counts))
        origin = Origin(features, search, scales[order], n_features, *counts)
        return Induction, (origin, *told, evidence, None if evidence is None else votes[order, :-2])


def queries(raw: Any, searched: Searched, n_partitions: int) -> list[PartitionQuery]:
    """Questions of new rows to each partition."""
    rows = searched.features(read_features(raw, at_least=1))
    return searched.cells.queries(rows, n_partitions, max(searched.counts))


def candidates_of(asked: Sequence[PartitionQuery], number: int, kept: Kept, searched: Searched) -> Answer:
    """Answer what new rows ask of one partition."""
    return kept.partition.answer(asked[number], max(searched.counts))


def affinities(candidates: Sequence[Answer], searched: Searched, n: int) -> Any:
    """Affinities of new rows to `n` fitted ones, from the candidates of all partitions."""
    (width, scale_neighbor), k = searched.counts, max(searched.counts)
    n_rows = 1 + max(int(answer.places.max(initial=-1)) for answer in candidates)
    _, neighbors, distances, scales = merged(candidates, n_rows, k)
    tau = np.maximum(distances[:, scale_neighbor - 1], searched.floor)
    weights = nearer(kernel(distances[:, :width], tau[:, None], cast(FloatArray, scales)[:, :width]))
    pointers = np.arange(0, n_rows * width + 1, width)
    return sparse.csr_array((weights.ravel(), neighbors[:, :width].ravel(), pointers), shape=(n_rows, n))


def part_of_vote(X: Any, kept: Kept) -> FloatArray:
    """Votes of fitted rows for new ones: scores, sum of affinities, and that to rows in reach of a label."""
    return np.asarray(X[:, kept.partition.vertices] @ kept.partition.votes)


def whole_vote(parts: Sequence[FloatArray], prior: FloatArray, raw: Any, evidence: Any) -> FloatArray:
    """Scores of new rows, and in a last column how much reached rows had a say."""
    total = np.sum(parts, axis=0)
    scores, support, reached = total[:, :-2], total[:, -2:-1], total[:, -1:]
    scores = np.where(support > 0, scores, prior)
    scores /= scores.sum(axis=1, keepdims=True)
    if evidence is not None:
        scores = (1 - evidence.weight) * scores + evidence(raw)
    return np.hstack([scores, reached])
