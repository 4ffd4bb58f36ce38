"""A table of any columns as a matrix."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphwell._types import FloatArray
from graphwell.columns.cells import ColumnCells
from graphwell.columns.names import listed
from graphwell.columns.plain_encoder import PlainEncoder


class TableEncoder(PlainEncoder, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn a table of any columns into a matrix, and tell what became of each column.

    Numbers stay as they are. Categories become indicators, texts a few numbers each, dates days and seasons.
    Identifiers, row counters, constant columns, copies, and what looks like the truth are left out.

    Parameters
    ----------
    features : sequence of str, optional
        Columns to use, all of them whatever they look like; by default those that say something.
    drop : sequence of str
        Columns to leave out.
    as_number, as_category : sequence of str
        Columns whose kind is known.
    decimal : {".", ","}, optional
        Decimal mark of numbers in text; found in each column by default.
    missing : {"fill", "keep"}
        Fill missing cells with the median or the most frequent value, with a further column that says where
        they were if they are many; or keep them as NaN.
    standardise : bool
        Bring numbers to mean 0 and variance 1 where columns of other kinds stand beside them, whose scale
        presumes it. A table of numbers alone stays as it is.

    Attributes
    ----------
    fates_ : tuple of Fate
        What became of each column.
    kinds_ : tuple of str
        For each column of the matrix: "number" wants a scale, and so does "step" (few different numbers),
        which should count less; "indicator", "cycle" and "text" have their scale.

    Examples
    --------
    >>> table = {"size": ["1,5", "2", "4,25", "2"], "colour": ["red", "blue", "red", "blue"]}
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'colour=blue', 'colour=red']
    >>> encoder.transform(table)[:, 0]
    array([1.5 , 2.  , 4.25, 2.  ])
    """

    def transform(self, X: Any) -> FloatArray:
        """Return the matrix of a table with the same columns."""
        check_is_fitted(self)
        cells = ColumnCells(X)
        lost = [name for name in self.encoders_ if name not in cells]
        if lost:
            raise ValueError(f"X lacks the columns {listed(lost)}, which rows were compared by in the fit.")
        return self._scaled(self._encoded(cells))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns of the matrix."""
        check_is_fitted(self)
        return np.array(self.outputs_, dtype=object)
