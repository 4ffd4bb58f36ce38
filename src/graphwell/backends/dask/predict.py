"""New rows after a fit on a cluster: each block of them asks the partitions that hold its nearest cells."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell._warnings import UnreachableWarning, warn_user
from graphwell.backends.base import RowEvidence
from graphwell.backends.blocks.votes import candidates_of, checked_queries, heard_besides, vote
from graphwell.backends.dask.handles import Handle, array_of, as_dask_array, blocks_of
from graphwell.backends.dask.inputs import check_chunks
from graphwell.backends.dask.search import Search
from graphwell.backends.dask.tasks import Tasks
from graphwell.backends.induction import Induction, lost_rows, two_highest_apart
from graphwell.graph.neighbors import build_search
from graphwell.graph.origin import Origin


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
        return np.asarray(np.where(self.reachable, apart, -1.0))

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
