"""The rows that a page shows of a table on a cluster: too few to fill a process, enough for pictures."""

from typing import Any

import numpy as np

from graphwell._types import BoolArray, IntArray
from graphwell.jobs.reports import RowDetails
from graphwell.jobs.summary import in_memory

ROWS_SHOWN = 20_000
LABELLED_ROWS_SHOWN = 5_000


def rows_shown(
    X: Any, given: IntArray, assigned: IntArray, reachable: BoolArray, classifier: Any, *, every: bool
) -> RowDetails:
    """What is known of some rows, those with a given label among them.

    Parameters
    ----------
    X : array of shape (n, d)
        Of NumPy or of Dask.
    given, assigned : arrays of shape (n,)
        Class given and class found, -1 for none.
    reachable : array of shape (n,)
        Whether a label reached the row.
    classifier : fitted classifier
        Its arrays may lie on a cluster.
    every : bool
        Show all rows, and their graph: where this process holds them.
    """
    rows = np.arange(len(given)) if every else _some_rows(given)
    some = in_memory(classifier.label_distributions_[rows]).max(axis=1)
    return RowDetails(
        given=given[rows].astype(np.int32),
        assigned=assigned[rows].astype(np.int32),
        score=np.where(reachable[rows], some, np.nan),
        reachable=reachable[rows],
        bridged=in_memory(classifier.bridged_[rows]),
        kept=np.ones(len(rows), dtype=bool),
        points=in_memory(X[rows]),
        result=getattr(classifier, "result_", None),
        graph=classifier.graph_ if every else None,
    )


def _some_rows(given: IntArray) -> IntArray:
    """Numbers of the rows, rising; the same ones whatever the blocks."""
    rng = np.random.default_rng(0)
    parts = []
    for among, most in ((given >= 0, LABELLED_ROWS_SHOWN), (given < 0, ROWS_SHOWN)):
        places = np.flatnonzero(among)
        parts.append(places if len(places) <= most else rng.choice(places, most, replace=False))
    return np.sort(np.concatenate(parts))
