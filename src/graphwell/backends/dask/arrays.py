"""Dask arrays: their blocks, checked, and arrays made of blocks. The only module that imports `dask`."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.checks import affinity_matrix, check_points, check_square
from graphwell.graph.knn import FeatureMap

# Dask would warn of a graph of tasks of 10 MB.
LARGE_GRAPH = "1 GiB"
# Of each connection of a scheduler, for whoever looks for an error of Dask; it would keep a thousand.
MESSAGES_KEPT = 10


@contextmanager
def settings() -> Iterator[None]:
    """Let large graphs of tasks pass without a warning; a cluster that starts here keeps few messages."""
    import dask

    chosen = {
        "distributed.admin.large-graph-warning-threshold": LARGE_GRAPH,
        "distributed.admin.low-level-log-length": MESSAGES_KEPT,
    }
    with dask.config.set(chosen):
        yield


def setting(name: str, otherwise: Any) -> Any:
    """A setting of Dask under ``graphwell``."""
    import dask

    return dask.config.get(f"graphwell.{name}", otherwise)


def lazy(function: Callable[..., Any], *arguments: Any) -> Any:
    """A task that runs once something asks for it, on any worker."""
    import dask

    return dask.delayed(function, pure=False)(*arguments)


def blocks_of(X: Any) -> list[Any]:
    """The blocks of rows of a Dask array, as tasks."""
    return list(X.to_delayed().ravel())


def array_of(blocks: Sequence[Any], lengths: Sequence[int], width: int | None, dtype: Any) -> Any:
    """A Dask array from tasks that return its blocks of rows; one value per row if `width` is None."""
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    name, columns = f"graphwell-{secrets.token_hex(8)}", () if width is None else (0,)
    keys = {(name, number, *columns): block.key for number, block in enumerate(blocks)}
    graph = HighLevelGraph.from_collections(
        name, keys, dependencies=blocks
    )  # da.concatenate drops empty blocks
    chunks = (tuple(lengths),) if width is None else (tuple(lengths), (width,))
    return da.Array(graph, name, chunks, meta=np.empty((0,) * len(chunks), dtype))


def as_dask_array(X: Any) -> Any:
    """Rows as a Dask array."""
    import dask.array as da

    return X if isinstance(X, da.Array) else da.from_array(np.asarray(X))


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


@dataclass(frozen=True)
class RowBlocks:
    """The blocks of a Dask array that hold any rows, and how each is read."""

    blocks: list[Any]  # a task for each
    lengths: tuple[int, ...]
    readers: Sequence[Callable[[Any], Any]]  # each checks its block, on the worker that will hold it
    affinities: bool = False  # whether the rows are those of a matrix of affinities

    @classmethod
    def of(cls, X: Any, lengths: Sequence[int], read: Callable[..., Any], *, affinities: bool) -> "RowBlocks":
        """The blocks of an array; `read` is told which rows they are, and the shape of all."""
        blocks = [block for block, length in zip(blocks_of(X), lengths, strict=True) if length]
        lengths = tuple(filter(None, lengths))
        ranges = pairwise(np.cumsum([0, *lengths]).tolist())
        readers = [partial(read, own=own, shape=tuple(map(int, X.shape))) for own in ranges]
        return cls(blocks, lengths, readers, affinities)

    @property
    def starts(self) -> IntArray:
        """Number of the first row of each block, and the number of all."""
        return np.concatenate([[0], np.cumsum(self.lengths)])


def row_blocks(X: Any) -> RowBlocks:
    """The blocks of an array of features."""
    lengths = check_chunks(X)
    if X.shape[0] < 2 or X.shape[1] < 1:
        raise ValueError(f"X must have at least 2 rows and 1 feature, got an array of shape {X.shape}.")
    return RowBlocks.of(X, lengths, checked_block, affinities=False)


def affinity_blocks(X: Any) -> RowBlocks:
    """The blocks of a matrix of affinities."""
    lengths = check_chunks(X)
    check_square(X.shape)
    return RowBlocks.of(X, lengths, checked_affinities, affinities=True)


def checked_block(rows: Any, own: tuple[int, int], shape: tuple[int, int]) -> Any:
    """A block that is what its array says of it; compiled code would read beyond a smaller one."""
    if not isinstance(rows, np.ndarray):
        rows = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    said = (own[1] - own[0], shape[1])
    if rows.shape != said:
        raise ValueError(
            f"A block of X has the shape {rows.shape} where the array says {said}; "
            "correct the chunks, by X.compute_chunk_sizes() say."
        )
    if rows.dtype.kind not in "biuf":
        raise ValueError(f"A block of X must hold real numbers, got the type {rows.dtype}.")
    return rows


def checked_affinities(block: Any, own: tuple[int, int], shape: tuple[int, int]) -> Any:
    """Rows `own` of a matrix of affinities as a CSR array.

    Examples
    --------
    >>> checked_affinities([[0, -1]], (4, 5), (2, 2))
    Traceback (most recent call last):
    ValueError: Rows 4 to 4: The affinity matrix holds negative values; affinities must be zero or positive.
    """
    name = f"Rows {own[0]} to {own[1] - 1}"
    try:
        W = affinity_matrix(block)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    check_shape(W, (own[1] - own[0], shape[1]), name)
    return W


def check_shape(block: Any, expected: tuple[int, int], name: str) -> None:
    """Refuse a block of affinities that is not what its array says."""
    if block.shape != expected:
        raise ValueError(
            f"{name}: a block has the shape {block.shape} where the array says {expected}; "
            "build the array anew."
        )


def inspect(block: Any, read: Callable[[Any], Any], metric: str) -> tuple[int, FloatArray, FloatArray]:
    """Number of values that are not finite, and range of each feature as rows are compared."""
    rows = read(block)
    bad = int(rows.size - np.isfinite(rows).sum())
    if bad:
        return bad, np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    rows = FeatureMap(metric)(rows)
    return bad, rows.min(axis=0), rows.max(axis=0)


def check_inspected(found: Sequence[Any], starts: IntArray) -> None:
    """Refuse NaN, infinity and features without variation."""
    for number, (bad, *_) in enumerate(found):
        if bad:
            raise ValueError(
                f"X holds {bad} NaN or infinite value{'s' if bad > 1 else ''} in block {number} "
                f"(rows {starts[number]} to {starts[number + 1] - 1}); fill or remove them first."
            )
    _, low, high = zip(*found, strict=True)
    low, high = np.min(low, axis=0), np.max(high, axis=0)
    check_points(float(high.max()), float(low.min()), bool((low != high).any()))
