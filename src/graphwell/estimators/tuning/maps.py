"""Fitted maps from rows to the rows that a graph is built on.

Each is a small value made of arrays: it can be pickled, and it maps rows of NumPy, of CuPy and of single
blocks of a cluster, whichever it is given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray

Map = Callable[[Any], Any]
"""Maps rows to rows, each by itself."""


@dataclass(frozen=True, eq=False)
class Identity:
    """Rows as they are."""

    def __call__(self, X: Any) -> Any:
        """Return the rows themselves."""
        return X


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns in another order."""

    places: IntArray

    def __call__(self, X: Any) -> Any:
        """Return the columns."""
        return X[:, self.places]


@dataclass(frozen=True, eq=False)
class Scale:
    """Columns shifted and multiplied; both of shape (d,)."""

    shift: FloatArray
    factor: FloatArray

    def __call__(self, X: Any) -> Any:
        """Return the scaled rows, dense."""
        X = dense(X)
        return (X - like(X, self.shift)) * like(X, self.factor)


@dataclass(frozen=True, eq=False)
class Linear:
    """Rows minus `shift` (d,), times `matrix` (d, m); a hidden layer plus `bias` (m,), cut off below 0."""

    shift: FloatArray
    matrix: FloatArray
    bias: FloatArray | None = None

    def __call__(self, X: Any) -> Any:
        """Return the product with the matrix."""
        if sparse.issparse(X):
            found = X @ self.matrix - self.shift @ self.matrix
        else:
            found = (X - like(X, self.shift)) @ like(X, self.matrix)
        return found if self.bias is None else np.maximum(found + like(found, self.bias), 0.0)


@dataclass(frozen=True, eq=False)
class Chain:
    """One map after the other."""

    maps: Sequence[Map]

    def __call__(self, X: Any) -> Any:
        """Return the rows after the last map."""
        for each in self.maps:
            X = each(X)
        return X


@dataclass(frozen=True, eq=False)
class Beside:
    """The rows of several maps side by side, each times a factor."""

    maps: Sequence[Map]
    factors: Sequence[float]

    def __call__(self, X: Any) -> Any:
        """Return the joined rows."""
        blocks = [dense(each(X)) * factor for each, factor in zip(self.maps, self.factors, strict=True)]
        return np.concatenate(blocks, axis=1)


def beside(maps: Sequence[Map], X: Any) -> Beside:
    """Join maps so that the distances within each have the same mean square on these rows."""
    return Beside(tuple(maps), tuple(1 / spread_of(dense(each(X))) for each in maps))


def spread_of(X: FloatArray) -> float:
    """Root of the total variance of the rows; 1 if they are all alike."""
    return float(np.sqrt(X.var(axis=0).sum())) or 1.0


def dense(X: Any) -> Any:
    """Sparse rows as an array; others as they are."""
    return X.toarray() if sparse.issparse(X) else X


def like(X: Any, values: FloatArray) -> Any:
    """Values in the library and the precision of the rows."""
    return np.asarray(values, dtype=X.dtype if X.dtype.kind == "f" else None, like=X)
