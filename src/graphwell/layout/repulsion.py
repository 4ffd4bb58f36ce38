"""The push of all points on each: their potential on a grid, by one Fourier transform there and back.

The potential of a point at distance r is ``1 / (1 + r^2)``. Its gradient is the push of t-SNE, and its sum
over all pairs is what the push is divided by. Points are spread on the grid by quadratic splines, and read
back by them; the transform of the kernel is divided by theirs twice, so that the potential is right at the
knots.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import fft

from graphwell._thread_pool import ThreadPool
from graphwell._types import FloatArray
from graphwell.graph.compiled import compiled

CELL = 0.5
"""Width of a cell, a fraction of the reach of the potential: the push is right to two percent."""
MOST_CELLS = 512
"""Cells along a side; larger maps have wider cells."""
MARGIN = 2
"""Cells around the points, for the splines."""
LEAST_CLOSENESS = 0.05
"""Where points have fewer others near them than this, there is room enough, and the push fades."""
SIZES = 32
"""Sides of the grid are multiples of this, so that few kernels are made."""


def repulsion(places: FloatArray, threads: ThreadPool) -> FloatArray:
    """Push of all points on each, divided by the closeness of the others to a point, summed, in the mean.

    Parameters
    ----------
    places : array of shape (n, 2)
    threads : ThreadPool
        The result does not depend on their number.

    Examples
    --------
    >>> push = repulsion(np.array([[-1.0, 0.0], [1.0, 0.0]]), ThreadPool(1))
    >>> bool(np.allclose(push, [[-0.4, 0.0], [0.4, 0.0]], atol=0.02))
    True
    """
    n = len(places)
    low = places.min(axis=0).astype(np.float64)
    side = float((places.max(axis=0) - low).max())
    cell = _cell(side)
    size = _size(int(side / cell) + 1 + 2 * MARGIN)
    low -= MARGIN * cell
    grid = np.zeros((size, size), dtype=np.float32)
    _spread(places, low, cell, grid)
    potential = fft.irfft2(fft.rfft2(grid) * _kernel(size, cell), s=(size, size))
    closeness, push = np.empty(n), np.empty((n, 2))
    threads.share(n, lambda *some: _read(*some, places, low, cell, potential, closeness, push))
    push -= push.mean(axis=0)  # what two do to each other is opposite; the rest is the grid's
    return np.asarray(push / max(float(closeness.mean()) - 1.0, LEAST_CLOSENESS))


def _cell(side: float) -> float:
    """Width of the cells, of few different values, so that few kernels are made."""
    return float(CELL * 2.0 ** (np.ceil(4 * max(0.0, np.log2(max(side, CELL) / CELL / MOST_CELLS))) / 4))


def _size(cells: int) -> int:
    """Side of the grid: twice the cells, so that nothing wraps around."""
    return -(-2 * cells // SIZES) * SIZES


@lru_cache(maxsize=8)
def _kernel(size: int, cell: float) -> Any:
    """Transform of the potential of one point, divided by that of the splines twice."""
    steps = np.minimum(np.arange(size), size - np.arange(size)) * cell
    transformed = fft.rfft2(1.0 / (1.0 + steps[:, None] ** 2 + steps**2)).real
    along, half = (0.75 + 0.25 * np.cos(2 * np.pi * f(size)) for f in (fft.fftfreq, fft.rfftfreq))
    return (transformed / (along[:, None] * half) ** 2).astype(np.float32)


@compiled(nogil=True)
def _weights(t: float, weights: FloatArray, slopes: FloatArray) -> None:
    """Quadratic spline at the three knots around a place that lies `t` beyond the middle one."""
    weights[0], weights[1], weights[2] = 0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2
    slopes[0], slopes[1], slopes[2] = t - 0.5, -2.0 * t, t + 0.5


@compiled(nogil=True)
def _spread(places: FloatArray, low: FloatArray, cell: float, grid: FloatArray) -> None:
    across, down, slopes = np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(places)):
        x, y = (places[i, 0] - low[0]) / cell, (places[i, 1] - low[1]) / cell
        column, row = int(np.floor(x + 0.5)), int(np.floor(y + 0.5))
        _weights(x - column, across, slopes)
        _weights(y - row, down, slopes)
        for a in range(3):
            for b in range(3):
                grid[column + a - 1, row + b - 1] += across[a] * down[b]


@compiled(nogil=True)
def _read(
    first: int,
    last: int,
    places: FloatArray,
    low: FloatArray,
    cell: float,
    potential: FloatArray,
    closeness: FloatArray,
    push: FloatArray,
) -> None:
    """Potential at each place, and half its descent."""
    across, down, slope_x, slope_y = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(first, last):
        x, y = (places[i, 0] - low[0]) / cell, (places[i, 1] - low[1]) / cell
        column, row = int(np.floor(x + 0.5)), int(np.floor(y + 0.5))
        _weights(x - column, across, slope_x)
        _weights(y - row, down, slope_y)
        value, dx, dy = 0.0, 0.0, 0.0
        for a in range(3):
            for b in range(3):
                here = potential[column + a - 1, row + b - 1]
                value += across[a] * down[b] * here
                dx += slope_x[a] * down[b] * here
                dy += across[a] * slope_y[b] * here
        closeness[i] = value
        push[i, 0], push[i, 1] = -0.5 * dx / cell, -0.5 * dy / cell
