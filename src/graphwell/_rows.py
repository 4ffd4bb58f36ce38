"""Rows: copies of each other, held out together; wide tables some columns at a time; hashes of arrays."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import Sentence

ROWS_AT_ONCE = 4096
# Groups of equal rows that a sentence names, and labels of each.
MOST_NAMED = 3


def one_of_each(labels: IntArray, groups: IntArray | None) -> IntArray:
    """The labels without those of further copies: -1 there."""
    if groups is None:
        return labels
    known = np.flatnonzero(labels >= 0)
    firsts = known[np.unique(groups[known], return_index=True)[1]]
    alone = np.full_like(labels, -1)
    alone[firsts] = labels[firsts]
    return alone


def dealt_together(
    labels: IntArray, groups: IntArray | None, deal: Callable[[IntArray], IntArray]
) -> IntArray:
    """Deal labels into folds, -1 for none: copies into the same, and never all labels of a class into one."""
    fold = deal(one_of_each(labels, groups))
    if groups is None:
        return fold
    known = np.flatnonzero(labels >= 0)
    _, first, group = np.unique(groups[known], return_index=True, return_inverse=True)
    fold[known] = fold[known[first]][group]
    for c in np.unique(labels[known]):  # its copies may have another label, and be dealt by that
        of_class = known[labels[known] == c]
        if len(np.unique(fold[of_class])) == 1:
            fold[known[np.isin(groups[known], groups[of_class])]] = -1
    return fold


def labels_that_differ(
    groups: IntArray, codes: IntArray, names: Sequence[Any], rows: IntArray
) -> Sentence | None:
    """Say which equal rows have different labels, by the numbers that the user knows them by."""
    known = np.flatnonzero(codes >= 0)
    pairs, first = np.unique(np.stack([groups[known], codes[known]]), axis=1, return_index=True)
    shared, counts = np.unique(pairs[0], return_counts=True)
    odd = shared[counts > 1]
    if len(odd) == 0:
        return None
    named = []
    for group in odd[:MOST_NAMED]:
        places = known[np.sort(first[pairs[0] == group])[:MOST_NAMED]]
        named.append(", ".join(f"row {rows[place]} {names[codes[place]]!r}" for place in places))
    told = "1 group of equal rows has" if len(odd) == 1 else f"{len(odd):,} groups of equal rows have"
    more = "; …" if len(odd) > MOST_NAMED else ""
    return Sentence("{} different labels: ({}){}.", (told, "); (".join(named), more))


# So many numbers in double precision are a line of the processor's cache.
COLUMNS_AT_ONCE = 8


def by_columns(function: Callable[[Any], Any], X: Any) -> Any:
    """Apply a function to some columns at a time: its temporary arrays stay small."""
    groups = range(0, X.shape[1], COLUMNS_AT_ONCE)
    return np.concatenate([function(X[:, first : first + COLUMNS_AT_ONCE]) for first in groups], axis=-1)


def hash_of(*arrays: Any) -> str:
    """Hash of the types, shapes and values of some arrays."""
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def narrow(numbers: IntArray, count: int) -> IntArray:
    """Numbers below `count`, or -1, in the fewest bytes: they travel by the million."""
    return numbers.astype(np.min_scalar_type(-count))


def fetched(array: Any) -> Any:
    """An array that may lie on a cluster or a GPU, as one of NumPy."""
    if hasattr(array, "compute"):
        return array.compute()
    if hasattr(array, "get"):  # CuPy
        return array.get()
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)
