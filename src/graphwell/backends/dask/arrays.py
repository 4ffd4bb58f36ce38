"""Dask arrays: their blocks, checked, and arrays made of blocks. The only module that imports `dask`."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.graph.checks import check_range


def config() -> Any:
    """Dask's settings; those of graphwell are under ``graphwell``."""
    import dask

    return dask.config


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
    # da.concatenate would drop empty blocks
    graph = HighLevelGraph.from_collections(name, keys, dependencies=blocks)
    chunks = (tuple(lengths),) if width is None else (tuple(lengths), (width,))
    return da.Array(graph, name, chunks, meta=np.empty((0,) * len(chunks), dtype))


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
    readers: Sequence[Callable[[Any], Any]]  # each checks its block, wherever it is read
    starts: IntArray  # number of the first row of each block, and the number of all

    @classmethod
    def of(cls, X: Any) -> "RowBlocks":
        """The blocks of an array."""
        lengths, shape = check_chunks(X), tuple(map(int, X.shape))
        if shape[0] < 2 or shape[1] < 1:
            raise ValueError(f"X must have at least 2 rows and 1 feature, got an array of shape {shape}.")
        blocks = [block for block, length in zip(blocks_of(X), lengths, strict=True) if length]
        starts = np.cumsum([0, *filter(None, lengths)])
        readers = [partial(read_rows, own=own, width=shape[1]) for own in pairwise(starts.tolist())]
        return cls(blocks, readers, starts)

    def picked(self, places: IntArray) -> list[Any]:
        """Tasks that return the rows at some places, rising."""
        cuts = zip(pairwise(np.searchsorted(places, self.starts)), self.starts, strict=False)
        parts = [places[a:b] - start for (a, b), start in cuts]
        each = zip(self.blocks, self.readers, parts, strict=True)
        return [lazy(_some_of, *few) for few in each if len(few[-1])]


def _some_of(block: Any, read: Callable[[Any], Any], places: IntArray) -> Any:
    return read(block)[places]


def read_rows(block: Any, own: tuple[int, int], width: int) -> Any:
    """Rows `own` of an array of features, checked: compiled code would read beyond a smaller block.

    Examples
    --------
    >>> read_rows([[1.0, float("nan")]], (4, 5), 2)
    Traceback (most recent call last):
    ValueError: X holds 1 NaN or infinite value in its rows 4 to 4; fill or remove them first.
    """
    rows = np.asarray(block.toarray() if hasattr(block, "toarray") else block)
    name, expected = f"Rows {own[0]} to {own[1] - 1}", (own[1] - own[0], width)
    if rows.shape != expected:
        raise ValueError(
            f"{name}: a block of X has the shape {rows.shape} where the array says {expected}; "
            "correct the chunks, by X.compute_chunk_sizes() say."
        )
    if rows.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got the type {rows.dtype}.")
    bad = int(rows.size - np.isfinite(rows).sum())
    if bad:
        raise ValueError(
            f"X holds {bad} NaN or infinite value{'s' if bad > 1 else ''} in its {name.lower()}; "
            "fill or remove them first."
        )
    check_range(float(rows.max()), float(rows.min()), alone=False)
    return rows
