"""Judging a fit by labels that were hidden from it, with the tools of scikit-learn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._random import Seed, stream
from graphwell._rows import dealt_together, one_of_each
from graphwell._types import IntArray
from graphwell._unknown import is_known
from graphwell.errors import in_short
from graphwell.graph.canonical import equal_rows


class HiddenLabelsSplit:
    """Split rows for `cross_val_score` and `GridSearchCV` where only some labels are known.

    In each split some of the known labels are the test set: their rows are taken away, and the classifier
    predicts them as new rows. All other rows are the training set, those without a label among them. Every
    known label is in one test set, except that a class never loses its last label.

    A row that is taken away no longer links its neighbours, so predictions are a little worse than the
    labels that `fit` gives to rows it has seen. `graphwell classify` can hide the labels alone.

    Parameters
    ----------
    n_splits : int
        At least 2, and at most as many as the largest class has labels.
    unknown : object, or several in a list
        Labels that mean unknown, besides -1, None and NaN.
    random_state : int, Generator or RandomState, optional
        Seed of the order in which labels are hidden.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from graphwell import DiffuseInterfaceClassifier, datasets
    >>> X, truth = datasets.make_three_moons(n_per_class=100, dim=10, random_state=0)
    >>> y = datasets.sample_labels(truth, 10, random_state=0)
    >>> clf = DiffuseInterfaceClassifier(models=None, random_state=0)
    >>> scores = cross_val_score(clf, X, y, cv=HiddenLabelsSplit(5, random_state=0))
    >>> len(scores), bool(scores.mean() > 0.8)
    (5, True)
    """

    def __init__(self, n_splits: int = 5, *, unknown: Any = None, random_state: Seed = None) -> None:
        self.n_splits = n_splits
        self.unknown = unknown
        self.random_state = random_state

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the rows of each training set and of each test set.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d), or None
            Rows; where they are equal, they are in one group. Others, a `Graph` say, are not looked at.
        y : array-like of shape (n,)
            Labels, some of them unknown.
        groups : array-like of shape (n,), optional
            Labels of one group are in the same test set; those of equal rows of `X` by default.
        """
        if y is None:
            raise ValueError("HiddenLabelsSplit hides known labels, so it needs y.")
        groups = _groups_of(X) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
        hidden_in = self._hidden_in(y, groups)
        rows = np.arange(len(hidden_in))
        for number in range(self.n_splits):
            yield rows[hidden_in != number], rows[hidden_in == number]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_splits

    def _hidden_in(self, y: Any, groups: IntArray | None) -> IntArray:
        """In which split each row is hidden; -1 for none."""
        if isinstance(self.n_splits, bool) or not isinstance(self.n_splits, int) or self.n_splits < 2:
            raise ValueError(f"n_splits must be a whole number, 2 or more; got {in_short(self.n_splits)}.")
        known = np.flatnonzero(is_known(y, self.unknown))
        numbers: dict[Any, int] = {}
        codes = np.full(len(y), -1)
        codes[known] = [
            numbers.setdefault(label, len(numbers)) for label in np.asarray(y, dtype=object).ravel()[known]
        ]
        alone = one_of_each(codes, groups)
        counts = np.bincount(alone[alone >= 0])
        n_labels = int(counts[counts > 1].sum())
        if n_labels < self.n_splits:
            raise ValueError(
                f"{self.n_splits} splits need as many labels of classes that have two or more; "
                f"there are {n_labels}. Give fewer splits, or label more rows."
            )
        rng = stream(self.random_state, "hidden labels")

        def deal(codes: IntArray) -> IntArray:
            hidden_in, following = np.full(len(codes), -1), 0
            for c in np.flatnonzero(counts > 1):  # each class goes on where the one before ended
                rows = np.flatnonzero(codes == c)
                hidden_in[rng.permutation(rows)] = (following + np.arange(len(rows))) % self.n_splits
                following += len(rows)
            return hidden_in

        return dealt_together(codes, groups, deal)


def _groups_of(X: Any) -> IntArray | None:
    """Groups of equal rows of an array or a data frame; None for anything else."""
    if isinstance(X, list | tuple) or (hasattr(X, "columns") and not hasattr(X, "compute")):
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind not in "biuf":
        X = np.column_stack([np.unique(column.astype(str), return_inverse=True)[1] for column in X.T])
    rows = sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2)
    return equal_rows(X) if rows else None
