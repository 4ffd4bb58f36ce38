"""Reading labels: which are known, and which classes there are."""

import warnings
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from numbers import Number
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from graphwell._checks import as_readable
from graphwell._types import FloatArray, IntArray
from graphwell._unknown import (
    UNKNOWN,
    hardly_classes,
    is_marked,
    is_spelled,
    same_but_for_case,
    says_nothing,
    told_of_spellings,
)
from graphwell.errors import LabelWarning, OptionError, Sentence, in_short, warn_user

MOSTLY, ROWS_TO_JUDGE = 0.8, 10
LETTERS_OF_A_NAME, LABELS_OF_A_USUAL_CLASS, MOST_COMPARED = 5, 3, 200
"""A class that is written as another one but for a letter is pointed out if it has one label only."""


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
    nothing = np.fromiter(map(says_nothing, values), bool, n) if values.dtype == object else _nan(values)
    nothing |= np.ma.getmaskarray(y).ravel() if isinstance(y, np.ma.MaskedArray) else False
    spelled = is_spelled(values, unknown)
    told = told_of_spellings(Counter(map(str.strip, values[spelled].tolist())))
    if told is not None:
        warn_user(told, LabelWarning)
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
    _check_classes(known)
    classes, positions = np.unique(known, return_inverse=True)
    codes = np.full(n, UNKNOWN, dtype=np.int32)
    codes[~(nothing | marked)] = positions
    _warn_of_odd_names(classes.tolist(), np.bincount(positions))
    if len(known) == n:
        _warn_of_zeros(classes, np.bincount(positions))
    return Labels(codes, classes)


def _check_classes(known: Any) -> None:
    """Refuse what is no class, continuous numbers above all."""
    if np.issubdtype(known.dtype, np.floating) and (known != np.rint(known)).any():
        raise ValueError(
            f"Unknown label type: continuous. y holds numbers such as {known[known != np.rint(known)][0]:g}, "
            "and classes are names or whole numbers; cut them into classes first."
        )
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="The number of unique classes"
        )  # one label each is no mistake
        check_classification_targets(known)


def _warn_of_zeros(classes: Any, counts: IntArray) -> None:
    """Ask whether 0 means unlabelled where every row has a label and most of these are 0."""
    n = int(counts.sum())
    if classes.dtype.kind in "iuf" and classes[0] == 0 and counts[0] >= MOSTLY * n and n >= ROWS_TO_JUDGE:
        told = "Every row has a label, and {:,} of {:,} are 0; if 0 means unlabelled, give {unknown=0}."
        warn_user(Sentence(told, (int(counts[0]), n)), LabelWarning)


def _may_be_a_slip(rare: str, usual: str) -> bool:
    """Whether two letters are swapped ("dgo"), or one is changed, added or left out of five or more."""
    if abs(len(rare) - len(usual)) > 1:
        return False
    if not (rare.replace(" ", "").isalpha() and usual.replace(" ", "").isalpha()):
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(rare, usual, strict=False)) if a != b), min(len(rare), len(usual))
    )
    one, other = rare[start:], usual[start:]
    if one[:2] == other[:2][::-1] and one[2:] == other[2:] and len(one) > 1:
        return len(rare) > 2
    one_letter = one[1:] == other[1:] or one[1:] == other or one == other[1:]
    return one_letter and min(len(rare), len(usual)) >= LETTERS_OF_A_NAME


def _warn_of_odd_names(classes: list[Any], counts: IntArray) -> None:
    """Point at names that hardly mean a class, and at classes that may be one."""
    for name in hardly_classes(classes):
        told = "{!r} is taken for a class; if it means unknown, give {unknown=" + repr(name) + "}."
        warn_user(
            Sentence(told, (name,)) if not set("{}!:") & set(name) else f"{name!r} is taken for a class."
        )
    same = same_but_for_case(classes)
    if same:
        warn_user(
            f"The classes {' and '.join(map(repr, same))} differ only in case or blanks; "
            "if they are one class, write them in one way."
        )
    words = [(name, int(count)) for name, count in zip(classes, counts, strict=True) if isinstance(name, str)]
    usual = [name for name, count in words if count >= LABELS_OF_A_USUAL_CLASS]
    for rare, count in words if len(words) <= MOST_COMPARED else ():
        like = next((name for name in usual if name != rare and _may_be_a_slip(rare, name)), None)
        if count == 1 and like is not None:
            told = "The class {!r} has one label and differs from {!r} in one letter; are they one class?"
            warn_user(Sentence(told, (rare, like)), LabelWarning)


def with_classes(labels: Labels, named: Any) -> Labels:
    """Add classes that were named but may have no label yet.

    Examples
    --------
    >>> with_classes(read_labels(["b", None], 2), ["a", "b"])
    Labels(codes=array([ 1, -1], dtype=int32), classes=array(['a', 'b'], dtype='<U1'))
    """
    if named is None:
        return labels
    if isinstance(named, str) or np.ndim(named) != 1:
        raise OptionError("classes", "{field} must be a list of classes, got {!r}.", named)
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
    if hasattr(y, "__dlpack_device__"):
        y = as_readable(y, "y")
    if str(getattr(y, "dtype", "")).endswith("Int128"):  # of polars; NumPy has no such integers
        y = y.to_list()
    values = np.asarray(y, dtype=object) if _is_extension(y) or isinstance(y, list | tuple) else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected; it was flattened.",
            DataConversionWarning,
        )
        values = values.ravel()
    if values.dtype.kind == "T":  # scikit-learn does not know NumPy's own text yet
        values = values.astype(object)
    if values.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {values.shape} instead; give one label per row."
        )
    if len(values) != n:
        raise ValueError(f"y has {len(values)} labels but X has {n} rows; give one label per row.")
    return values


def _is_extension(y: Any) -> bool:
    """Whether `y` is a pandas column that NumPy alone would not convert faithfully."""
    return hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype)


def _nan(values: Any) -> Any:
    return np.isnan(values) if values.dtype.kind in "fMm" else np.zeros(len(values), dtype=bool)


def _plain(known: Any) -> Any:
    """Objects as an array of their own type, refusing a mixture that has no order."""
    odd = next((v for v in known if isinstance(v, tuple | list | dict | set | np.ndarray)), None)
    if odd is not None:
        raise ValueError(
            f"y holds a {type(odd).__name__}, {odd!r}; each row has one label, a string or a number: "
            "join several to one name."
        )
    if all(isinstance(v, date) for v in known):  # those of pandas too
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
