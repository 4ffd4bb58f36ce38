"""Sums over long arrays on a GPU, the same bits on every run."""

from functools import lru_cache
from typing import Any

import numpy as np

from graphwell.backends.cuda._cupy import cuda_kernel, cupy, kind_of, launch

BLOCKS = 264
MOST_FACTORS = 64
ROWS_PER_BLOCK = 256


def column_dots(a: Any, b: Any) -> Any:
    """Dot product of each column of `a` with that of `b`, in double precision, on the host."""
    cp = cupy()
    a, b = cp.ascontiguousarray(a), cp.ascontiguousarray(b, dtype=a.dtype)
    return _summed("column_dots", (a, b), a)


def advance(x: Any, r: Any, p: Any, image: Any, step: Any) -> Any:
    """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``, on the host.

    For contiguous blocks of at most `MOST_FACTORS` columns of one precision.
    """
    return _summed("advance", (_factors(x.dtype, step, -step), x, r, p, image), x)


def parts_of(block: Any) -> tuple[int, Any]:
    """How many blocks of threads share the sums over the columns of a block, and room for what each adds."""
    n, width = block.shape
    blocks = max(1, min(BLOCKS, -(-n // ROWS_PER_BLOCK)))
    return blocks, cupy().empty((blocks + 1, width))


def _summed(name: str, arguments: tuple[Any, ...], like: Any) -> Any:
    """Run a kernel that leaves a sum for each column of a block."""
    (n, width), (blocks, parts) = like.shape, parts_of(like)
    ends = (parts, parts[blocks], arrived(), np.int64(n), width)
    launch(cuda_kernel("reductions.cu", name, REAL=kind_of(like)), 256 * blocks, (*arguments, *ends))
    return parts[blocks].get()


@lru_cache(maxsize=1)
def arrived() -> Any:
    """The counter of blocks that are done; each kernel leaves it at zero for the next."""
    return cupy().zeros(1, dtype=np.uint32)


def combine(a: Any, x: Any, b: Any, y: Any) -> None:
    """Replace `x` by ``a x + b y``, column by column; the factors travel with the launch."""
    y = cupy().ascontiguousarray(y, dtype=x.dtype)
    for first in range(0, x.shape[1], MOST_FACTORS):
        columns = slice(first, first + MOST_FACTORS)
        arguments = (_factors(x.dtype, a[columns], b[columns]), x, y, np.int64(x.size), x.shape[1], first)
        launch(cuda_kernel("reductions.cu", "combine", REAL=kind_of(x)), x.size, arguments)


def _factors(dtype: Any, a: Any, b: Any) -> Any:
    """Two factors for each column, as kernels take them by value."""
    factors = np.zeros((2, MOST_FACTORS), dtype=dtype)
    factors[0, : len(a)], factors[1, : len(b)] = a, b
    return factors.ravel().view(f"V{factors.nbytes}")


def group_sums(groups: Any, values: Any, n_groups: int) -> Any:
    """Sum of the values of each group.

    Added in fixed point, with a unit so small that no sum of all values can overflow: integers add up to
    the same in any order.
    """
    cp = cupy()
    values = cp.ascontiguousarray(values, dtype=np.float64)
    groups = cp.ascontiguousarray(groups, dtype=np.int32)
    most = cp.maximum(cp.abs(values).max() * len(values), 1e-300)
    unit = cp.exp2(cp.floor(61.0 - cp.log2(most)))
    sums = cp.zeros(n_groups, dtype=np.int64)
    function = cuda_kernel("reductions.cu", "group_sums", REAL="double")
    launch(function, len(values), (groups, values, unit, sums, np.int64(len(values))))
    return sums / unit


def group_minima(groups: Any, values: Any, n_groups: int) -> Any:
    """Smallest value of each group."""
    cp = cupy()
    values = cp.ascontiguousarray(values, dtype=np.float64)
    groups = cp.ascontiguousarray(groups, dtype=np.int32)
    keys = cp.full(n_groups, np.iinfo(np.int64).max, dtype=np.int64)
    arguments = (groups, values, keys, np.int64(len(values)))
    launch(cuda_kernel("reductions.cu", "group_minima", REAL="double"), len(values), arguments)
    minima = cp.empty(n_groups)
    launch(cuda_kernel("reductions.cu", "keys_to_doubles", REAL="double"), n_groups, (keys, minima, n_groups))
    return minima
