"""What a fit on a cluster is given, checked: one sentence for whatever is wrong."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.checks import checked_block, inspect
from graphwell.backends.dask.handles import Handle, blocks_of
from graphwell.backends.dask.tasks import Tasks
from graphwell.graph.checks import check_points
from graphwell.graph.knn import Change, FeatureMap, check_metric


@dataclass(frozen=True)
class RowBlocks:
    """The blocks of a Dask array that hold any rows.

    Attributes
    ----------
    blocks : list of handles
    lengths : tuple of int
    """

    blocks: list[Handle]
    lengths: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self.lengths)

    @property
    def starts(self) -> IntArray:
        """Number of the first row of each block, and the number of all."""
        return np.concatenate([[0], np.cumsum(self.lengths)])


@dataclass(frozen=True)
class Input(RowBlocks):
    """Blocks of features as rows are compared, and what is known of them.

    Attributes
    ----------
    n_features : int
    features : FeatureMap
    low, high, center : arrays
        Range and mean of each feature, as rows are compared.
    """

    n_features: int
    features: FeatureMap
    low: FloatArray
    high: FloatArray
    center: FloatArray


def check_chunks(X: Any) -> tuple[int, ...]:
    """Return the lengths of the blocks of a Dask array that can be worked on."""
    if type(X).__name__ != "Array":
        raise ValueError(
            f"X must be a Dask array, got a Dask {type(X).__name__}; "
            "a data frame becomes one by X.to_dask_array(lengths=True)."
        )
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, got a Dask array of {X.ndim}; give rows.")
    if any(np.isnan(length) for length in X.chunks[0] + X.chunks[1]):
        raise ValueError(
            "X has chunks of unknown size; call X.compute_chunk_sizes() or to_dask_array(lengths=True) first."
        )
    if len(X.chunks[1]) != 1:
        raise ValueError(
            f"X is cut into {len(X.chunks[1])} chunks along its columns; a block must hold whole rows: "
            'X.rechunk({0: "auto", 1: -1}).'
        )
    if not (np.issubdtype(X.dtype, np.number) or X.dtype == bool) or np.iscomplexobj(X):
        raise ValueError(f"X must hold real numbers, got the type {X.dtype}.")
    return tuple(int(length) for length in X.chunks[0])


def read_input(tasks: Tasks, X: Any, metric: str, change: Change | None = None) -> Input:
    """Look at every block once; NaN, infinity and features without variation are refused."""
    check_metric(metric)
    lengths = check_chunks(X)
    if X.shape[0] < 2 or X.shape[1] < 1:
        raise ValueError(f"X must have at least 2 rows and 1 feature, got an array of shape {X.shape}.")
    raw = [block for block, length in zip(blocks_of(X), lengths, strict=True) if length]
    lengths = tuple(length for length in lengths if length)
    features = FeatureMap(metric, change=change)
    checked = tasks.each("check", checked_block, raw, lengths, n_features=int(X.shape[1]))
    blocks = tasks.each("features", features, checked)
    found = tasks.results(tasks.each("inspect", inspect, blocks))
    _check_blocks(found, lengths)
    _, low, high, sums = zip(*found, strict=True)
    low, high = np.min(low, axis=0), np.max(high, axis=0)
    check_points(float(high.max()), float(low.min()), bool((low != high).any()))
    return Input(blocks, lengths, int(X.shape[1]), features, low, high, np.sum(sums, axis=0) / sum(lengths))


def _check_blocks(found: list[Any], lengths: tuple[int, ...]) -> None:
    for number, (bad, *_) in enumerate(found):
        if bad:
            first = sum(lengths[:number])
            raise ValueError(
                f"X holds {bad} NaN or infinite value{'s' if bad > 1 else ''} in block {number} "
                f"(rows {first} to {first + lengths[number] - 1}); fill or remove them first."
            )
