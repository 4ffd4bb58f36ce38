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
from graphwell.graph.checks import read_features, read_new_affinities
from graphwell.graph.graph import Origin
from graphwell.graph.knn import FeatureMap, build_search
from graphwell.graph.weights import kernel


class RowScores(NamedTuple):
    """Labels and scores of some rows."""

    assigned: IntArray
    distributions: FloatArray
    reachable: BoolArray
    bridged: BoolArray
    votes: FloatArray  # for new rows, where they are not the distributions; of no column otherwise

    def at(self, places: Any) -> "RowScores":
        """The same of some of these rows."""
        return RowScores(*(column[places] for column in self))


class Part(NamedTuple):
    """Fitted rows of one worker, which new rows ask."""

    vertices: IntArray
    found: RowScores
    partition: Partition | None  # where the graph was built from features


class Searched(NamedTuple):
    """Search structures in which new rows find their nearest fitted rows."""

    cells: CellMap
    floor: float  # smallest local scale
    counts: tuple[int, int]  # numbers of neighbours and of the neighbour at the distance of the local scale
    features: FeatureMap
    n_features: int
    evidence: Any


@dataclass(frozen=True)
class DaskInduction:
    """Scores of new rows, from their features or their affinities to fitted ones that lie on the workers.

    Pickled, it becomes the `Induction` of one machine: what is known of the fitted rows is fetched.
    """

    cluster: Cluster
    distributions: Any  # a Dask array, as the next
    reachable: Any
    classes: Any
    prior: FloatArray
    answers: list[Any]  # only held: the arrays are made of their copies, made again where a worker is lost
    parts: list[Any]  # futures: a `Part` of each worker
    searched: Searched | None  # None where the graph was given

    @property
    def takes_features(self) -> bool:
        """Whether new rows are features rather than affinities."""
        return self.searched is not None

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other.

        Rows that are linked to no row that a label reached get the class shares of the given labels.
        """
        if backend_of_rows(X) is not None:
            lengths, width = check_chunks(X), len(self.classes) + 1
            pairs = zip(blocks_of(X), lengths, strict=True)
            found = [self._voted(block) if length else lazy(np.zeros, (0, width)) for block, length in pairs]
            return array_of(found, lengths, width, np.float64)[:, :-1]
        block = read_features(X, at_least=1) if self.takes_features else X
        (votes,) = self.cluster.results([self._voted(block)])
        lost = int((votes[:, -1] == 0).sum())
        if lost:
            warn_user(lost_rows(lost, len(votes)), UnreachableWarning)
        return votes[:, :-1]

    def _voted(self, block: Any) -> Any:
        """A task for the votes on a block of new rows."""
        n, evidence = self.reachable.shape[0], None
        if self.searched is None:
            near = lazy(read_new_affinities, block, n)
        else:
            evidence, k = self.searched.evidence, max(self.searched.counts)
            asked = lazy(queries, block, self.searched, len(self.parts))
            candidates = [lazy(candidates_of, asked, q, part, k) for q, part in enumerate(self.parts)]
            near = lazy(affinities, candidates, self.searched, n)
        votes = [lazy(part_of_vote, near, part) for part in self.parts]
        return lazy(whole_vote, votes, self.prior, block, evidence)

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
        if self.searched is None:
            return Induction, (None, *told)
        vertices, found, partitions = zip(*self.cluster.fetched(self.parts), strict=True)
        order = np.argsort(np.concatenate(vertices))
        points = np.concatenate([partition.points for partition in partitions])[order]
        scales = np.concatenate([partition.scales for partition in partitions])[order]
        votes = np.concatenate([each.votes for each in found])[order]
        _, _, counts, features, n_features, evidence = self.searched
        origin = Origin(features, build_search(points, max(counts)), scales, n_features, *counts)
        return Induction, (origin, *told, evidence, votes if votes.shape[1] else None)


def queries(raw: Any, searched: Searched, n_partitions: int) -> list[PartitionQuery]:
    """Questions of new rows to each partition."""
    rows = searched.features(read_features(raw, at_least=1))
    return searched.cells.queries(rows, n_partitions, max(searched.counts))


def candidates_of(asked: Sequence[PartitionQuery], number: int, part: Part, k: int) -> Answer:
    """Answer what new rows ask of one partition."""
    return cast(Partition, part.partition).answer(asked[number], k)


def affinities(candidates: Sequence[Answer], searched: Searched, n: int) -> Any:
    """Affinities of new rows to `n` fitted ones, from the candidates of all partitions."""
    (width, scale_neighbor), k = searched.counts, max(searched.counts)
    n_rows = 1 + max(int(answer.places.max(initial=-1)) for answer in candidates)
    _, neighbors, distances, scales = merged(candidates, n_rows, k)
    tau = np.maximum(distances[:, scale_neighbor - 1], searched.floor)
    weights = nearer(kernel(distances[:, :width], tau[:, None], cast(FloatArray, scales)[:, :width]))
    pointers = np.arange(0, n_rows * width + 1, width)
    return sparse.csr_array((weights.ravel(), neighbors[:, :width].ravel(), pointers), shape=(n_rows, n))


def part_of_vote(X: Any, part: Part) -> FloatArray:
    """Votes of fitted rows for new ones: scores, sum of affinities, and that to rows in reach of a label."""
    found = part.found
    votes = found.votes if found.votes.shape[1] else found.distributions
    said = np.column_stack([votes, np.ones(len(votes)), found.reachable])
    return np.asarray(X[:, part.vertices] @ said)


def whole_vote(parts: Sequence[FloatArray], prior: FloatArray, raw: Any, evidence: Any) -> FloatArray:
    """Scores of new rows, and in a last column how much reached rows had a say."""
    total = np.sum(parts, axis=0)
    scores, support, reached = total[:, :-2], total[:, -2:-1], total[:, -1:]
    scores = np.where(support > 0, scores, prior)
    scores /= scores.sum(axis=1, keepdims=True)
    if evidence is not None:
        scores = (1 - evidence.weight) * scores + evidence(raw)
    return np.hstack([scores, reached])
