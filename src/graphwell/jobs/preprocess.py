"""Features made ready for a graph: missing values, scales, and fewer dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphwell._checks import one_of
from graphwell._rows import by_columns, equal_rows
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.columns.encoders import WANT_A_SCALE
from graphwell.columns.scale import shift_and_factor
from graphwell.errors import OptionError, Sentence
from graphwell.graph.checks import LARGEST_FEATURE

if TYPE_CHECKING:
    from graphwell.estimators.tuning.metrics import Ruled

SCALES = ("auto", "none", "standard", "robust")
MISSING_RULES = ("fill", "error", "drop", "mean")
PCA_ABOVE = 100
PCA_DEFAULT = 50
DECIDES_ALONE = 0.99
"""Share of the variance from which on a note says that one feature decides the distances."""


@dataclass(frozen=True)
class Preprocessing:
    """What is done to features before rows are compared.

    Attributes
    ----------
    scale : {"auto", "none", "standard", "robust"}
        Leave it to the method, or to rules that look at the data; leave features as they are; bring each to
        mean 0 and variance 1, or to median 0 and interquartile range 1.
    pca : int, optional
        Number of principal components kept, 0 for all features. By default 50 when there are more than
        100 features.
    missing : {"fill", "error", "drop", "mean"}
        Put the median or the most frequent value in the place of missing values, with a further column that
        says where they were if they are many; refuse them; leave their rows out; or put the mean of the
        column in their place.
    """

    scale: str = "auto"
    pca: int | None = None
    missing: str = "fill"

    def __post_init__(self) -> None:
        one_of("scale", self.scale, SCALES)
        one_of("missing", self.missing, MISSING_RULES)
        if self.pca is not None and self.pca < 0:
            problem = "{field} must be a number of components, or 0 for none; got {}."
            raise OptionError("pca", problem, self.pca)


@dataclass(frozen=True)
class ReadyRows:
    """Features ready for a graph.

    Attributes
    ----------
    X : array
        The rows that are left.
    kept : array of bool
        Which rows those are.
    groups : array of int
        Equal numbers where the rows that are left are copies of each other.
    notes : tuple of Sentence
        What the user should know, but for the scale.
    scaled : Ruled, optional
        The scale of the rows, and why; None where they have their own.
    scale_notes : tuple of Sentence
        The same in a sentence, for those who do not say how rows are compared.
    """

    X: FloatArray = field(repr=False)
    kept: BoolArray = field(repr=False)
    groups: IntArray = field(repr=False)
    notes: tuple[Sentence, ...] = ()
    scaled: "Ruled | None" = None
    scale_notes: tuple[Sentence, ...] = ()


def preprocess(
    X: FloatArray, names: Sequence[str], how: Preprocessing, seed: int = 0, kinds: Sequence[str] | None = None
) -> ReadyRows:
    """Treat missing values, scale, and project.

    Parameters
    ----------
    X : array of shape (n, d)
        Features, NaN where missing. Means and scales are written into it, so that there is no second copy.
    names : sequence of str
        Names of the features, for messages.
    how : Preprocessing
    seed : int
        Seed of the projection.
    kinds : sequence of str, optional
        Kind of each feature, as in `graphwell.columns.TableEncoder`; "number" for all by default.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [3.0, np.nan], [5.0, 30.0]])
    >>> preprocess(X, ["a", "b"], Preprocessing(missing="drop")).kept
    array([ True, False,  True])
    >>> preprocess(X, ["a", "b"], Preprocessing(missing="mean", scale="none")).X
    array([[ 1., 10.],
           [ 3., 20.],
           [ 5., 30.]])
    """
    _refuse_extreme(X, names)
    X, kept, notes = _without_missing(X, names, how.missing)
    if len(X) < 2:
        raise ValueError(f"At least two rows with features are needed to compare, got {len(X)}.")
    groups = equal_rows([X])
    firsts = np.unique(groups, return_index=True)[1]
    if len(firsts) < len(X):
        copies = "{:,} of the {:,} rows are copies of another row; copies are held out together."
        notes.append(Sentence(copies, (len(X) - len(firsts), len(X))))
    components = _components(X, how.pca)
    scale_notes = _uneven(X, names) if how.scale == "none" else []
    kinds_of = np.array(kinds or ["number"] * len(names))
    numbers = np.isin(kinds_of, WANT_A_SCALE)
    scaled = _scale(X, numbers, how.scale) if numbers.any() and how.scale != "none" else None
    if scaled is not None:
        shift, factor = shift_and_factor(X, kinds_of, scaled.name)
        X -= shift
        X *= factor
        if how.scale == "auto":
            scale_notes = [Sentence("The features were scaled ({}), as {}.", (scaled.name, scaled.why))]
    _refuse_extreme(X, names)
    if components:
        from sklearn.decomposition import PCA

        X = PCA(components, random_state=seed).fit_transform(X)
        X = X[firsts[groups]] if len(firsts) < len(X) else X  # copies stay equal to the last bit
        notes.append(
            Sentence("The {} features were projected onto {} principal components.", (len(names), components))
        )
    return ReadyRows(np.ascontiguousarray(X), kept, groups, tuple(notes), scaled, tuple(scale_notes))


def _refuse_extreme(X: FloatArray, names: Sequence[str]) -> None:
    """Refuse values whose square is no number: no distance could be taken."""
    if not (by_columns(lambda columns: np.fmax.reduce(np.abs(columns), axis=0), X) > LARGEST_FEATURE).any():
        return
    row, column = np.argwhere(np.abs(X) > LARGEST_FEATURE)[0]
    value = X[row, column]
    what = "infinite" if np.isinf(value) else f"{value:.6g}, too large to take distances"
    problem = (
        "Row {}: the feature {!r} is {}; correct it, or empty the cell and "
        'give {missing="drop"} or {missing="mean"}.'
    )
    raise OptionError("missing", problem, row + 1, names[column], what)


def _without_missing(
    X: FloatArray, names: Sequence[str], missing: str
) -> tuple[FloatArray, BoolArray, list[Sentence]]:
    """The rows that are left, complete; which those are; and what was done."""
    everything = np.ones(len(X), dtype=bool)
    if not by_columns(lambda columns: np.isnan(columns).any(axis=0), X).any():
        return X, everything, []
    holes = np.isnan(X)
    if missing in ("error", "fill"):
        raise _refusal(holes, names)
    if missing == "drop":
        kept: BoolArray = np.logical_not(holes.any(axis=1))
        left_out = "{:,} rows were left out, since a feature is missing there."
        return X[kept], kept, [Sentence(left_out, (int((~kept).sum()),))]
    empty = np.flatnonzero(holes.all(axis=0))
    if len(empty):
        raise ValueError(f"The feature {names[empty[0]]!r} has no value in any row; leave it out.")
    means = by_columns(lambda columns: np.nanmean(columns, axis=0, dtype=np.float64), X)
    for column in np.flatnonzero(holes.any(axis=0)):
        X[holes[:, column], column] = means[column]
    filled = "{:,} missing values were replaced by the mean of their column."
    return X, everything, [Sentence(filled, (int(holes.sum()),))]


def _refusal(holes: BoolArray, names: Sequence[str]) -> OptionError:
    row, column = np.argwhere(holes)[0]
    many = int(holes.sum())
    others = f", one of {many:,} missing values; fill them in" if many > 1 else "; fill it in"
    problem = 'Row {}: the feature {!r} is missing{}, or give {missing="drop"} or {missing="mean"}.'
    return OptionError("missing", problem, row + 1, names[column], others)


def _scale(X: FloatArray, numbers: BoolArray, scale: str) -> "Ruled | None":
    """The scale that is asked for, or that columns of numbers ask for; beside others it is always one."""
    from graphwell.estimators.tuning.metrics import Ruled, by_the_data

    if scale != "auto":
        return Ruled(scale, "as asked")
    ruled = by_the_data(X if numbers.all() else X[:, numbers])
    if ruled.name != "plain":
        return ruled
    return None if numbers.all() else Ruled("standard", "other columns are no numbers")


def _uneven(X: FloatArray, names: Sequence[str]) -> list[Sentence]:
    variance = by_columns(lambda columns: columns.var(axis=0), X)
    widest = int(variance.argmax())
    share = variance[widest] / (variance.sum() or 1.0)
    if len(names) < 2 or not share > DECIDES_ALONE:
        return []
    note = (
        "The feature {!r} holds {:.1f} % of the variance and decides the distances nearly alone; "
        '{scale="standard"} evens the features out.'
    )
    return [Sentence(note, (names[widest], 100 * share))]


def _components(X: FloatArray, pca: int | None) -> int:
    """Number of principal components to keep; 0 to keep the features."""
    n, d = X.shape
    if pca is None:
        return min(PCA_DEFAULT, n) if d > PCA_ABOVE else 0
    if pca > min(n, d):
        problem = "{field} {}: {:,} rows of {} features have at most {} components."
        raise OptionError("pca", problem, pca, n, d, min(n, d))
    return pca
