"""Answers so far: class numbers of rows, and the names of the classes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell._unknown import is_known
from graphwell.errors import OptionError
from graphwell.estimators.labels import NoKnownLabelError, read_labels


@dataclass(frozen=True, eq=False)
class Answers:
    """What is known of the rows.

    Attributes
    ----------
    codes : array of shape (n,)
        Index into `classes`, or -1 where the label is unknown.
    classes : array of shape (n_classes,)
        The classes that have a label, sorted.
    """

    codes: IntArray
    classes: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The classes as text."""
        return tuple(str(name) for name in self.classes)

    def called(self, names: Mapping[Any, str]) -> "Answers":
        """The same answers with other names of the classes.

        Examples
        --------
        >>> Answers(np.array([0, -1]), np.array([7])).called({7: "cat"}).names
        ('cat',)
        """
        return replace(self, classes=np.array([names.get(name, name) for name in self.classes.tolist()]))

    def by_row(self) -> dict[int, Any]:
        """The label of each row that has one."""
        rows = np.flatnonzero(self.codes >= 0)
        return dict(zip(rows.tolist(), self.classes[self.codes[rows]].tolist(), strict=True))


def read_answers(y: Any, n: int) -> Answers:
    """Labels of any kind, or none at all.

    Examples
    --------
    >>> read_answers(["cat", None], 2).names
    ('cat',)
    >>> read_answers(None, 2).codes
    array([-1, -1])
    """
    if y is None:
        return Answers(np.full(n, -1), np.empty(0, dtype=object))
    try:
        found = read_labels(y, n)
    except NoKnownLabelError:
        return read_answers(None, n)
    return Answers(found.codes, found.classes)


def is_unknown(label: Any) -> bool:
    """Whether an answer says that the label cannot be told.

    Examples
    --------
    >>> [is_unknown(label) for label in (None, float("nan"), -1, "?", "cat", 3)]
    [True, True, True, True, False, False]
    """
    return not is_known([label])[0]


def answers_of_fit(classifier: Any) -> Answers:
    """Labels that a classifier was given."""
    labels, classes = fetched(classifier.transduction_), classifier.classes_
    return Answers(np.where(classifier._given, np.searchsorted(classes, labels), -1), classes)


def scores_of_fit(classifier: Any) -> FloatArray:
    """Scores that a classifier found, zeros where no label reaches; fetched from where they lie."""
    reached = fetched(classifier.reachable_)
    return np.where(reached[:, None], fetched(classifier.label_distributions_), 0.0)


def fetched(array: Any) -> Any:
    """An array that may lie on a cluster or a GPU, as one of NumPy.

    Examples
    --------
    >>> fetched(np.arange(2))
    array([0, 1])
    """
    if hasattr(array, "compute"):
        return array.compute()
    if hasattr(array, "get"):  # CuPy
        return array.get()
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def row_numbers(rows: Iterable[int], n: int, field: str) -> IntArray:
    """Row numbers, checked.

    Examples
    --------
    >>> row_numbers([3, 1], 4, "exclude")
    array([3, 1])
    >>> row_numbers([4], 4, "exclude")
    Traceback (most recent call last):
    graphwell.errors.OptionError: exclude names row 4, but the rows are numbered from 0 to 3.
    """
    found = np.asarray(list(rows))
    if len(found) and (found.dtype.kind not in "iu" or found.ndim != 1):
        raise OptionError(field, "{field} must hold row numbers; got {!r}.", found.tolist()[0])
    wrong = found[(found < 0) | (found >= n)]
    if len(wrong):
        problem = "{field} names row {}, but the rows are numbered from 0 to {:,}."
        raise OptionError(field, problem, int(wrong[0]), n - 1)
    return found.astype(np.int64)
