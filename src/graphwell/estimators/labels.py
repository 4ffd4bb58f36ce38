"""Reading labels: which are known, and which classes there are."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date
from difflib import get_close_matches
from numbers import Number
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from graphwell._checks import as_readable
from graphwell._types import FloatArray, IntArray
from graphwell._unknown import (
    SPELLINGS,
    UNKNOWN,
    as_numpy_reads_them,
    is_marked,
    is_spelled,
    says_nothing,
)
from graphwell.errors import LabelWarning, OptionError, Sentence, counted, in_short, warn_user

# Every row has a label, most of them 0: from so many rows on, does 0 mean unlabelled?
MOSTLY, ROWS_TO_JUDGE = 0.8, 10
# A name of so many letters that one row alone has is pointed out if a usual class is called nearly so.
LETTERS_OF_A_NAME, LABELS_OF_A_USUAL_CLASS, MOST_COMPARED = 5, 3, 200


class NoKnownLabelError(ValueError):
    """Every label is unknown."""


@dataclass(frozen=True)
class Labels:
    """Labels as class numbers.

    Attributes
    ----------
    codes : array of shape (n,)
        Index into `classes`, or -1 where the label is unknown.
    classes : array of shape (n_classes,)
        The classes found among the known labels, and further ones that were named, sorted.
    groups : array of shape (n,), optional
        Equal numbers where labelled rows are copies of each other; None if no two are.
    strengths : array of shape (n,), optional
        How often each label was given; None if once.
    """

    codes: IntArray
    classes: Any
    groups: IntArray | None = field(default=None, repr=False)
    strengths: FloatArray | None = field(default=None, repr=False)

    @property
    def counts(self) -> IntArray:
        """Number of labels of each class, each as often as it was given."""
        known = self.codes >= 0
        weights = None if self.strengths is None else self.strengths[known]
        return np.bincount(self.codes[known], weights, minlength=len(self.classes))


def read_labels(y: Any, n: int, unknown: Any = None) -> Labels:
    """Find the known labels and their classes.

    Integers are unknown where they are -1; anything else where it is None, NaN or pandas' NA. Whole
    numbers stored as floats count as integers, unless NaN already marks the unknown ones. So are the masked
    entries of a masked array, and the markers that the user names. Text is unknown where it is "?", "n/a" or
    another of `graphwell._unknown.SPELLINGS`, with a warning; empty text alone where markers are named.

    Parameters
    ----------
    y : array-like of shape (n,), or Labels
        Labels that were read before are returned as they are.
    n : int
        Number of labels there should be.
    unknown : object, or several in a list
        Further markers of unknown labels.

    Examples
    --------
    >>> read_labels([20, -1, 10], 3)
    Labels(codes=array([ 1, -1,  0], dtype=int32), classes=array([10, 20]))
    >>> read_labels(["cat", None, "dog"], 3).codes
    array([ 0, -1,  1], dtype=int32)
    """
    if isinstance(y, Labels):
        return y
    values = _one_column(y, n)
    if values.dtype == object:
        nothing = np.fromiter(map(says_nothing, values), bool, n)
    else:
        nothing = np.isnan(values) if values.dtype.kind in "fMm" else np.zeros(n, dtype=bool)
    nothing |= np.ma.getmaskarray(y).ravel() if isinstance(y, np.ma.MaskedArray) else False
    spelled = is_spelled(values, unknown)
    spellings = Counter(map(str.strip, values[spelled].tolist()))
    named = [f"{name!r} ({counted(count, 'row')})" for name, count in spellings.items() if name]
    if named:
        told = 'Taken for unknown labels: {}; {unknown=""} makes classes of all but empty ones.'
        warn_user(Sentence(told, (", ".join(named),)), LabelWarning)
    marked = is_marked(values, unknown) | spelled
    known = values[~(nothing | marked)]
    if known.dtype.kind in "cV" and len(known):
        raise _odd_labels(known)
    if known.dtype == object and len(known):
        known = _plain(known)
    if known.dtype.kind == "S":
        raise ValueError("y holds bytes, which are no names; give text, y.astype(str) say.")
    if np.issubdtype(known.dtype, np.number):
        minus_one = known == UNKNOWN
        whole_floats = np.issubdtype(known.dtype, np.floating)
        if minus_one.any() and whole_floats and nothing.any():
            raise OptionError(
                "unknown",
                "y holds both NaN and -1.0, so it is not clear which of them means unknown; "
                "mark unknown labels in one way and give the class another name, "
                "or give {unknown=-1} if both do.",
            )
        if whole_floats and np.isinf(known).any():
            raise ValueError(
                "Input y contains infinity; labels must be finite, and NaN where they are unknown."
            )
        marked[np.flatnonzero(~(nothing | marked))[minus_one]] = True
        if minus_one.any() and (known[~minus_one] == 1).all() and not minus_one.all():
            warn_user(
                "y holds -1 and 1 alone, and -1 means unknown, so there is one class only; "
                "if -1 is a class, give it another number: np.where(y == -1, 2, y).",
                LabelWarning,
            )
        known = known[~minus_one]
    if len(known) == 0:
        raise NoKnownLabelError(
            "y holds no known label; give at least one (unknown labels are -1, None, NaN or such as '?')."
        )
    if known.dtype.kind == "f" and (known != np.rint(known)).any():
        raise ValueError(
            f"Unknown label type: continuous. y holds numbers such as {known[known != np.rint(known)][0]:g}, "
            "and classes are names or whole numbers; cut them into classes first."
        )
    classes, positions = np.unique(known, return_inverse=True)
    codes = np.full(n, UNKNOWN, dtype=np.int32)
    codes[~(nothing | marked)] = positions
    counts = np.bincount(positions)
    _warn_of_odd_names(classes.tolist(), counts)
    all_known, zeros = len(known) == n >= ROWS_TO_JUDGE, int(counts[0])
    if all_known and classes.dtype.kind in "iuf" and classes[0] == 0 and zeros >= MOSTLY * n:
        told = "Every row has a label, and {:,} of {:,} are 0; if 0 means unlabelled, give {unknown=0}."
        warn_user(Sentence(told, (zeros, n)), LabelWarning)
    return Labels(codes, classes)


def _warn_of_odd_names(classes: list[Any], counts: IntArray) -> None:
    """Point at names that hardly mean a class, and at classes that may be one."""
    names = {name: int(count) for name, count in zip(classes, counts, strict=True) if isinstance(name, str)}
    alike: dict[str, list[str]] = {}
    for name in names:
        if name.strip().casefold() in {*SPELLINGS, "-1"}:
            told = "{!r} is taken for a class; if it means unknown, give {unknown=" + repr(name) + "}."
            warn_user(Sentence(told, (name,)))
        alike.setdefault(" ".join(name.split()).casefold(), []).append(name)
    same = next((group for group in alike.values() if len(group) > 1), None)
    if same is not None:
        warn_user(
            f"The classes {' and '.join(map(repr, same))} differ only in case or blanks; "
            "if they are one class, write them in one way."
        )
    names = {name: count for name, count in names.items() if name.replace(" ", "").isalpha()}
    usual = [name for name, count in names.items() if count >= LABELS_OF_A_USUAL_CLASS]
    for rare in names if len(names) <= MOST_COMPARED else ():
        like = [name for name in usual if sorted(name) == sorted(rare) and len(name) > 2]  # letters swapped
        if len(rare) >= LETTERS_OF_A_NAME:
            like += get_close_matches(rare, usual, cutoff=1 - 1 / len(rare))
        if names[rare] == 1 and like:
            told = "The class {!r} has one label and differs from {!r} in one letter; are they one class?"
            warn_user(Sentence(told, (rare, like[0])), LabelWarning)


def with_classes(labels: Labels, named: Any) -> Labels:
    """Add classes that were named but may have no label yet.

    Examples
    --------
    >>> with_classes(read_labels(["b", None], 2), ["a", "b"])
    Labels(codes=array([ 1, -1], dtype=int32), classes=array(['a', 'b'], dtype='<U1'))
    """
    if named is None:
        return labels
    further = np.asarray(list(named))
    if len(further) == 0:
        return labels
    kinds = {"text" if values.dtype.kind in "UST" else "numbers" for values in (further, labels.classes)}
    if len(kinds) > 1 or further.dtype == object:
        problem = "{field} must be of the kind of the given labels, such as {!r}; got {!r}."
        raise OptionError("classes", problem, labels.classes.tolist()[0], named)
    if further.dtype.kind in "iuf" and (further == UNKNOWN).any():
        raise OptionError("classes", "{field} names -1, which stands for an unknown label.")
    classes = np.unique(np.concatenate([labels.classes, further]))
    places = np.searchsorted(classes, labels.classes).astype(np.int32)
    return Labels(np.where(labels.codes >= 0, places[labels.codes], UNKNOWN), classes)


def _one_column(y: Any, n: int) -> Any:
    y = as_numpy_reads_them(y)
    if hasattr(y, "__dlpack_device__"):
        y = as_readable(y, "y")
    dtype = getattr(y, "dtype", None)
    # Columns of pandas, and lists, that NumPy alone would not convert faithfully.
    as_they_are = isinstance(y, list | tuple) or not (dtype is None or isinstance(dtype, np.dtype))
    values = np.asarray(y, dtype=object) if as_they_are else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected; it was flattened.",
            DataConversionWarning,
        )
        values = values.ravel()
    if values.dtype.kind == "T":  # NumPy's own text, which scikit-learn and pandas hardly know
        values = values.astype(object)
    if values.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {values.shape} instead; give one label per row."
        )
    if len(values) != n:
        raise ValueError(f"y has {len(values)} labels but X has {n} rows; give one label per row.")
    return values


def _plain(known: Any) -> Any:
    """Objects as an array of their own type, refusing a mixture that has no order."""
    odd = next((v for v in known if isinstance(v, tuple | list | dict | set | np.ndarray)), None)
    if odd is not None:
        raise ValueError(
            f"y holds a {type(odd).__name__}, {odd!r}; each row has one label, a string or a number: "
            "join several to one name."
        )
    if all(isinstance(v, date) for v in known):  # those of pandas too
        zones = {getattr(v, "tzinfo", None) is not None for v in known}
        if len(zones) > 1:
            raise ValueError("y mixes times with and without a time zone; give all of them one, or none.")
        if zones == {True}:
            known = np.array([v.astimezone(UTC).replace(tzinfo=None) for v in known], dtype=object)
        return known.astype("datetime64[us]")
    kinds = {
        str if isinstance(v, str) else bool if isinstance(v, bool | np.bool_) else "number" for v in known
    }
    if kinds == {str} and any(v.endswith("\0") for v in known):
        return known  # text of NumPy has no blank characters of this kind at its end
    try:
        plain = np.array(known.tolist())
    except ValueError as error:  # sequences of different lengths
        raise _odd_labels(known) from error
    if plain.ndim != 1 or plain.dtype.kind not in "OUSbiufMm":
        raise _odd_labels(known)
    if plain.dtype == object and all(isinstance(v, Number) for v in known):
        raise ValueError(
            f"y holds numbers that no array of NumPy holds, {in_short(known[0])} say; give text."
        )
    if plain.dtype.kind == "f" and any(
        isinstance(v, int) and int(p) != v for v, p in zip(known, plain, strict=True)
    ):
        raise ValueError(
            "y holds integers that a floating point number cannot tell apart; give text, or integers alone."
        )
    if len(kinds) > 1 or plain.dtype == object:
        raise ValueError("y mixes labels of different kinds; make them all strings or all numbers.")
    return plain


def _odd_labels(known: Any) -> ValueError:
    kind = type(known[0]).__name__
    return ValueError(f"y holds labels of the type {kind}; make them all strings or all numbers.")
