"""New rows after a fit on a cluster: each block of them asks the partitions that hold its nearest cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import RowEvidence
from graphwell.backends.blocks.affinities import new_rows, part_of_vote, whole_vote
from graphwell.backends.blocks.votes import candidates_of, checked_queries, heard_besides, vote
from graphwell.backends.dask.handles import Handle, array_of, as_dask_array, blocks_of
from graphwell.backends.dask.inputs import check_chunks
from graphwell.backends.dask.search import Search
from graphwell.backends.dask.tasks import Tasks, given
from graphwell.backends.induction import Induction, least_certain, lost_rows
from graphwell.backends.registry import backend_of_rows
from graphwell.errors import UnreachableWarning, warn_user
from graphwell.graph.graph import Origin
from graphwell.graph.knn import build_search


@dataclass(frozen=True)
class FittedRows:
    """What is known of fitted rows that lie on the workers.

    Attributes
    ----------
    tasks : Tasks
    distributions, reachable : Dask arrays
    classes, prior : arrays of shape (n_classes,)
    """

    tasks: Tasks
    distributions: Any
    reachable: Any
    classes: Any
    prior: FloatArray

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
        known = [blocks_of(column) for column in (self.distributions, self.reachable, bridged)]
        asked: list[Any] = [*known, np.split(given, self.starts[1:-1])]
        found = self.tasks.results(self.tasks.each("least-certain", least_certain, *asked, k=k))
        pairs = zip(found, self.starts, strict=False)
        rows = np.concatenate([places + first for (places, _), first in pairs])
        certain = np.concatenate([certain for _, certain in found])
        return np.asarray(rows[np.lexsort((rows, certain))[:k]])

    def _votes(self, found: list[Handle], lengths: Sequence[int], *, lazily: bool) -> Any:
        """The votes on new rows as a Dask array, or at once."""
        votes = array_of(found, lengths, len(self.classes) + 1, np.float64)
        return votes[:, :-1] if lazily else _computed(votes)


@dataclass(frozen=True)
class DaskInduction(FittedRows):
    """Scores of new rows from fitted ones that lie on the workers.

    Pickled, it becomes the `Induction` of one machine: the fitted rows are fetched, and must fit into memory.

    Attributes
    ----------
    search : Search
    told : list of handles
        Answers for the rows of each partition.
    evidence : RowEvidence, optional
        Heard besides the vote.
    """

    search: Search
    told: list[Handle]
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
        return self._votes(found, lengths, lazily=rows is X)

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


@dataclass(frozen=True)
class AffinityInduction(FittedRows):
    """Scores of new rows from their affinities to fitted ones, where the graph was given.

    Pickled, it becomes the `Induction` of one machine.
    """

    takes_features = False

    def scores(self, X: Any) -> Any:
        """Return the scores of each new row: lazily for a Dask array, at once for any other."""
        tasks, lazily = self.tasks, backend_of_rows(X) is not None
        lengths = check_chunks(X) if lazily else (np.shape(X)[0],)
        blocks = blocks_of(X) if lazily else [tasks.lazy("given", given, X)]
        told = (blocks_of(self.distributions), blocks_of(self.reachable))
        fitted, found = list(zip(pairwise(self.starts.tolist()), *told, strict=True)), []
        for block, length in zip(blocks, lengths, strict=True):
            near = tasks.lazy("ask", partial(new_rows, n=int(self.starts[-1])), block, length)
            parts = [tasks.lazy("ask-piece", part_of_vote, near, *part) for part in fitted]
            found.append(tasks.lazy("vote", whole_vote, parts, self.prior))
        return self._votes(found, lengths, lazily=lazily)

    def __reduce__(self) -> Any:
        told = (self.distributions.compute(), self.reachable.compute())
        return Induction, (None, self.classes, *told, self.prior)


def _computed(votes: Any) -> FloatArray:
    """The votes at once, with a warning where no label speaks for some rows."""
    found = np.asarray(votes.compute())
    lost = int((found[:, -1] == 0).sum())
    if lost:
        warn_user(lost_rows(lost, len(found)), UnreachableWarning)
    return found[:, :-1]
