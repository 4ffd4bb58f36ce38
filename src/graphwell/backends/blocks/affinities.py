"""Affinities that come in blocks of whole rows: checked, made symmetric, and rows of a graph in blocks."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.blocks.rows import BlockRows, narrow, renumbered
from graphwell.graph.checks import affinity_matrix, read_new_affinities

Range = tuple[int, int]


def checked_rows(block: Any, own: Range, *, n: int) -> Any:
    """Rows `own` of a matrix of affinities as a CSR array.

    Examples
    --------
    >>> checked_rows([[0, -1]], (4, 5), n=2)
    Traceback (most recent call last):
    ValueError: Rows 4 to 4: The affinity matrix holds negative values; affinities must be zero or positive.
    """
    first, stop = own
    try:
        W = affinity_matrix(block)
    except ValueError as error:
        raise ValueError(f"Rows {first} to {stop - 1}: {error}") from error
    _check_shape(W, (stop - first, n), f"Rows {first} to {stop - 1}")
    return W


def _check_shape(block: Any, said: tuple[int, int], name: str) -> None:
    if block.shape != said:
        raise ValueError(
            f"{name}: a block has the shape {block.shape} where the array says {said}; build the array anew."
        )


def stacked(blocks: Sequence[Any]) -> Any:
    """Blocks of rows that follow each other as one."""
    return blocks[0] if len(blocks) == 1 else sparse.vstack(blocks, format="csr")


def extent_of(W: Any) -> tuple[float, int]:
    """The largest affinity of some rows, and how many entries they have."""
    return float(W.data.max(initial=0.0)), int(W.nnz)


def turned(W: Any, *, starts: IntArray) -> list[Any]:
    """The columns of some rows, by the block that has them as rows: there they are rows too."""
    columns = W.tocsc()
    return [columns[:, first:stop].T for first, stop in pairwise(starts.tolist())]


def mirrored(received: Sequence[Any]) -> Any:
    """The columns of the matrix that have the numbers of a block's rows, as rows."""
    return sparse.hstack(received, format="csr")


def asymmetry_of(W: Any, mirror: Any) -> float:
    """How far some rows are from the columns of the same numbers."""
    return float(abs(W - mirror).data.max(initial=0.0))


def symmetric_rows(W: Any, mirror: Any, own: Range, *, n: int) -> BlockRows:
    """Rows of the symmetric matrix that `graphwell.graph.checks.symmetric_matrix` makes of the whole.

    Each affinity is the one above the diagonal, and the diagonal is empty.
    """
    first = own[0]
    rows = (sparse.triu(W, first + 1, format="csr") + sparse.tril(mirror, first - 1, format="csr")).tocsr()
    rows.eliminate_zeros()
    rows.sort_indices()
    numbers = np.unique(rows.indices)
    return renumbered(own_vertices(own, n), rows, numbers, numbers, own)


def own_vertices(own: Range, n: int) -> IntArray:
    """The numbers of the rows of a block, of `n` in all, in few bytes."""
    return narrow(np.arange(*own), n)


def new_rows(block: Any, length: int, *, n: int) -> Any:
    """Affinities of new rows to `n` fitted ones as a CSR array, checked."""
    X = read_new_affinities(block, n)
    _check_shape(X, (length, n), "X")
    return X


def part_of_vote(X: Any, own: Range, distributions: FloatArray, reachable: BoolArray) -> FloatArray:
    """What fitted rows `own` say of new rows: scores, how much they were asked, and how much reached ones."""
    near = X[:, slice(*own)]
    return near @ np.column_stack([distributions, np.ones(len(reachable)), reachable])


def whole_vote(parts: Sequence[FloatArray], prior: FloatArray) -> FloatArray:
    """Scores of new rows, and in a last column how much reached rows had a say."""
    total = np.sum(parts, axis=0)
    scores, support, heard = total[:, :-2], total[:, -2:-1], total[:, -1:]
    scores = np.where(support > 0, scores, prior)
    return np.hstack([scores / scores.sum(axis=1, keepdims=True), heard])
