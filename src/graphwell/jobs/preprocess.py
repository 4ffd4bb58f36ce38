"""Features made ready for a graph: missing values, scales, and fewer dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from graphwell._types import BoolArray, FloatArray

SCALES = ("none", "standard", "robust")
MISSING = ("error", "drop", "mean")
PCA_ABOVE = 100
PCA_DEFAULT = 50
LARGEST = 1e150
DECIDES_ALONE = 0.99
"""Share of the variance from which on a note says that one feature decides the distances."""


@dataclass(frozen=True)
class Preparation:
    """What is done to features before rows are compared.

    Attributes
    ----------
    scale : {"none", "standard", "robust"}
        Leave features as they are, bring each to mean 0 and variance 1, or to median 0 and
        interquartile range 1.
    pca : int, optional
        Number of principal components kept, 0 for all features. By default 50 when there are more than
        100 features.
    missing : {"error", "drop", "mean"}
        Refuse missing values, leave their rows out, or put the mean of the column in their place.
    """

    scale: str = "none"
    pca: int | None = None
    missing: str = "error"

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise ValueError(f"scale must be one of {', '.join(SCALES)}; got {self.scale!r}.")
        if self.missing not in MISSING:
            raise ValueError(f"missing must be one of {', '.join(MISSING)}; got {self.missing!r}.")
        if self.pca is not None and self.pca < 0:
            raise ValueError(f"pca must be a number of components, or 0 for none; got {self.pca}.")


@dataclass(frozen=True)
class Prepared:
    """Features ready for a graph.

    Attributes
    ----------
    X : array
        The rows that are left.
    kept : array of bool
        Which rows those are.
    notes : tuple of str
        What the user should know.
    """

    X: FloatArray = field(repr=False)
    kept: BoolArray = field(repr=False)
    notes: tuple[str, ...] = ()


def prepare(X: FloatArray, names: Sequence[str], how: Preparation, seed: int = 0) -> Prepared:
    """Treat missing values, scale, and project.

    Parameters
    ----------
    X : array of shape (n, d)
        Features, NaN where missing.
    names : sequence of str
        Names of the features, for messages.
    how : Preparation
    seed : int
        Seed of the projection.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [3.0, np.nan], [5.0, 30.0]])
    >>> prepare(X, ["a", "b"], Preparation(missing="drop")).kept
    array([ True, False,  True])
    >>> prepare(X, ["a", "b"], Preparation(missing="mean")).X
    array([[ 1., 10.],
           [ 3., 20.],
           [ 5., 30.]])
    """
    _refuse_extreme(X, names)
    X, kept, notes = _without_missing(X, names, how.missing)
    if len(X) < 2:
        raise ValueError(f"At least two rows with features are needed to compare, got {len(X)}.")
    if how.scale == "none":
        notes += _uneven(X, names)
    X = _scaled(X, how.scale)
    _refuse_extreme(X, names)
    components = _components(X, how.pca)
    if components:
        from sklearn.decomposition import PCA

        X = PCA(components, random_state=seed).fit_transform(X)
        notes.append(f"The {len(names)} features were projected onto {components} principal components.")
    return Prepared(np.ascontiguousarray(X), kept, tuple(notes))


def _refuse_extreme(X: FloatArray, names: Sequence[str]) -> None:
    """Refuse values whose square is no number: no distance could be taken."""
    extreme = np.abs(X) > LARGEST
    if extreme.any():
        row, column = np.argwhere(extreme)[0]
        value = X[row, column]
        what = "infinite" if np.isinf(value) else f"{value:.6g}, too large to take distances"
        raise ValueError(
            f"Row {row + 1}: the feature {names[column]!r} is {what}; correct it, or empty the cell and "
            "give --missing drop or --missing mean."
        )


def _without_missing(
    X: FloatArray, names: Sequence[str], missing: str
) -> tuple[FloatArray, BoolArray, list[str]]:
    holes = np.isnan(X)
    everything = np.ones(len(X), dtype=bool)
    if not holes.any():
        return X, everything, []
    row, column = np.argwhere(holes)[0]
    if missing == "error":
        others = (
            f", one of {holes.sum():,} missing values; fill them in" if holes.sum() > 1 else "; fill it in"
        )
        raise ValueError(
            f"Row {row + 1}: the feature {names[column]!r} is missing{others}, or give --missing drop or "
            "--missing mean."
        )
    if missing == "drop":
        kept: BoolArray = np.logical_not(holes.any(axis=1))
        return (
            X[kept],
            kept,
            [f"{int((~kept).sum()):,} rows were left out, since a feature is missing there."],
        )
    empty = np.flatnonzero(holes.all(axis=0))
    if len(empty):
        raise ValueError(f"The feature {names[empty[0]]!r} has no value in any row; leave it out.")
    from sklearn.impute import SimpleImputer

    filled = SimpleImputer().fit_transform(X)
    return (
        filled,
        everything,
        [f"{int(holes.sum()):,} missing values were replaced by the mean of their column."],
    )


def _scaled(X: FloatArray, scale: str) -> FloatArray:
    from sklearn.preprocessing import RobustScaler, StandardScaler

    scalers = {"standard": StandardScaler, "robust": RobustScaler}
    return X if scale == "none" else np.asarray(scalers[scale]().fit_transform(X))


def _uneven(X: FloatArray, names: Sequence[str]) -> list[str]:
    variance = X.var(axis=0)
    widest = int(variance.argmax())
    share = variance[widest] / (variance.sum() or 1.0)
    if len(names) < 2 or not share > DECIDES_ALONE:
        return []
    return [
        f"The feature {names[widest]!r} holds {100 * share:.1f} % of the variance and decides the distances "
        "nearly alone; --scale standard evens the features out."
    ]


def _components(X: FloatArray, pca: int | None) -> int:
    """Number of principal components to keep; 0 to keep the features."""
    n, d = X.shape
    if pca is None:
        return min(PCA_DEFAULT, n) if d > PCA_ABOVE else 0
    if pca > min(n, d):
        raise ValueError(f"--pca {pca}: {n:,} rows of {d} features have at most {min(n, d)} components.")
    return pca
