"""Rows of a table to label next, as reports show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._random import Seed
from graphwell._types import BoolArray

if TYPE_CHECKING:
    from graphwell.active import Suggestions

ROWS_TO_LABEL = 10


@dataclass(frozen=True)
class RowToLabel:
    """A row worth a label, and why; rows are numbered from 1, the first below the header."""

    row: int
    id: str | None
    reason: str


def rows_to_label(found: "Suggestions", kept: BoolArray, ids: Any = None) -> tuple[RowToLabel, ...]:
    """Suggestions as rows of a table of which only some were compared.

    Examples
    --------
    >>> from graphwell.active import Question, Suggestions
    >>> found = Suggestions((Question(1, "border"),), "margin")
    >>> rows_to_label(found, np.array([True, False, True]))
    (RowToLabel(row=3, id=None, reason='border'),)
    """
    rows = np.flatnonzero(kept)[found.rows]
    return tuple(
        RowToLabel(int(row) + 1, None if ids is None else str(ids[row]), reason)
        for row, reason in zip(rows, found.reasons, strict=True)
    )


def next_rows(
    classifier: Any,
    classes: Sequence[str],
    given: Iterable[int],
    kept: BoolArray,
    ids: Any = None,
    seed: Seed = 0,
) -> tuple[RowToLabel, ...]:
    """The rows to label next after a fit, best first; none if every row has a label.

    Parameters
    ----------
    classifier : fitted classifier
        Of class numbers.
    classes : sequence of str
        Their names.
    given : array of shape (n_rows,)
        Class given to each row of the table, -1 for none.
    kept : array of shape (n_rows,)
        Which rows were fitted.
    ids : array of text, optional
        Names of the rows.
    seed : int
    """
    from graphwell.active import suggest

    left = int((np.asarray(given)[kept] < 0).sum())
    if left == 0:
        return ()
    names = dict(enumerate(classes))
    found = suggest(classifier, n=min(ROWS_TO_LABEL, left), random_state=seed, names=names)
    return rows_to_label(found, kept, ids)
