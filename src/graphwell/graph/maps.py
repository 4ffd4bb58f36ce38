"""A map of the rows: principal components at once, or a layout of the graph that is there anyway.

The layout follows the model of t-SNE: neighbours attract each other along the edges of the graph, all points
repel each other. The repulsion is found on a grid, by one Fourier transform there and back.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import fft, sparse
from sklearn.utils.extmath import randomized_svd

from graphwell._random import stream
from graphwell._threads import ThreadPool, one_blas_thread, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled
from graphwell.progress import Progress, heartbeat, silent

# So often is the block made orthogonal again, after so many steps of a walk.
ROUNDS, STEPS = 12, 8
SMOOTH_WIDTH = 4
# Steps with little push, in which neighbours find each other, and those after.
GATHERING, SPREADING = 50, 250
LITTLE_PUSH = 1 / 12
STEP = 1.0
MOMENTUM = 0.9
# A point moves no further in one step.
LONGEST_MOVE = 5.0
# Points that start in one place must be told apart; a share of the width of the start.
JITTER = 1e-3
# Width of a cell, a fraction of the reach of the potential: the push is right to two percent.
CELL = 0.5
# Cells along a side; larger maps have wider cells.
MOST_CELLS = 512
# Cells around the points, for the splines.
MARGIN = 2
# Where points have fewer others near them than this, there is room enough, and the push fades.
LEAST_CLOSENESS = 0.05
# Sides of the grid are multiples of this, so that few kernels are made.
SIZES = 32


def principal_map(points: Any) -> FloatArray:
    """The first two principal components of rows, of shape (n, 2), in single precision.

    The same bits for any number of threads. Values that are not finite count as 0.
    """
    rows = np.nan_to_num(np.asarray(points, dtype=np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    found = np.zeros((len(rows), 2), dtype=np.float32)
    if rows.size == 0:
        return found
    largest = float(np.abs(rows).max()) or 1.0
    rows = rows / np.float32(largest)  # squares of huge values would overflow
    rows -= rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    width = min(2, *rows.shape)
    with one_blas_thread():
        vectors, values, _ = randomized_svd(rows, width, n_oversamples=6, n_iter=6, random_state=0)
    found[:, :width] = largest * (vectors * values)
    return found


def graph_map(
    graph: Any, start: Any = None, *, n_jobs: int | None = None, progress: Progress = silent
) -> FloatArray:
    """Place the vertices of a graph in the plane, neighbours near each other, in single precision.

    The model is that of t-SNE, with the affinities of the graph; the unit is the reach of the push. It begins
    with `start`, or with principal components of the rows, or on a graph that was made from affinities with
    functions that vary slowly. The same bits for any number of threads.
    """
    W, threads = graph.W, ThreadPool(thread_count(n_jobs))
    places = _beginning(graph, start)
    if len(places) < 2:
        return places
    # Share of each neighbour in a vertex: affinities to a power, divided by the sum of their row.
    weights, degrees = W.data ** (1.0 / graph.sharpness), np.diff(W.indptr)
    sums = np.bincount(np.repeat(np.arange(len(degrees)), degrees), weights, minlength=len(degrees))
    shares = np.asarray(weights / np.repeat(sums, degrees)).astype(np.float32)
    velocity = np.zeros_like(places)
    for number in range(GATHERING + SPREADING):
        heartbeat()
        progress("map", number / (GATHERING + SPREADING))
        push = LITTLE_PUSH if number < GATHERING else 1.0
        force = attraction(places, W, shares, threads) + push * repulsion(places, threads)
        velocity = MOMENTUM * velocity + STEP * force
        lengths = np.linalg.norm(velocity, axis=1, keepdims=True)
        velocity *= np.minimum(1.0, LONGEST_MOVE / np.maximum(lengths, LONGEST_MOVE))
        places = (places + velocity).astype(np.float32)
        places -= places.mean(axis=0)
    progress("map", 1.0)
    return places


def _beginning(graph: Any, start: Any) -> FloatArray:
    """The start in the plane, centred, of width 1, no two points in one place."""
    if start is None:
        origin = getattr(graph, "origin", None)
        start = smooth_map(graph) if origin is None else principal_map(origin.points)
    places = np.array(start, dtype=np.float64)
    if places.shape != (graph.W.shape[0], 2) or not np.isfinite(places).all():
        raise ValueError(f"start must hold {graph.W.shape[0]} finite rows of two numbers.")
    places -= places.mean(axis=0)
    places /= float(places.std(axis=0).max()) or 1.0
    places += JITTER * stream(0, "map").standard_normal(places.shape)
    return np.asarray(places.astype(np.float32))


def smooth_map(graph: Any) -> FloatArray:
    """Two functions on the vertices that vary slowly along the edges, orthogonal and of mean zero.

    They need not be eigenvectors: they are a start.
    """
    W = graph.W
    n = W.shape[0]
    found = np.zeros((n, 2))
    if n < 2:
        return found
    sums = np.asarray(W.sum(axis=1)).ravel()
    inverse = np.divide(1.0, sums, out=np.zeros(n), where=sums > 0)
    walk = sparse.diags_array(inverse) @ W
    block = stream(0, "map").standard_normal((n, min(SMOOTH_WIDTH, n - 1)))
    with one_blas_thread():  # the same bits for any number of threads
        for _ in range(ROUNDS):
            for _ in range(STEPS):
                block = 0.5 * (block + walk @ block)
            block = np.linalg.qr(block - block.mean(axis=0))[0]
        turn = np.linalg.svd(0.5 * (block + walk @ block), full_matrices=False)[2]
        found[:, : min(2, n - 1)] = (block @ turn.T)[:, :2]
    return np.asarray(found - found.mean(axis=0))


def attraction(places: FloatArray, W: Any, shares: FloatArray, threads: ThreadPool) -> FloatArray:
    """Pull on each point: of each neighbour its share, and the less the further it is."""
    pull = np.empty((len(places), 2))
    threads.share(len(places), lambda *some: _pull(*some, W.indptr, W.indices, shares, places, pull))
    return pull


@compiled(nogil=True)
def _pull(
    first: int,
    last: int,
    starts: IntArray,
    neighbors: IntArray,
    shares: FloatArray,
    places: FloatArray,
    pull: FloatArray,
) -> None:
    for i in range(first, last):
        x, y = places[i, 0], places[i, 1]
        pull_x, pull_y = 0.0, 0.0
        for edge in range(starts[i], starts[i + 1]):
            dx, dy = places[neighbors[edge], 0] - x, places[neighbors[edge], 1] - y
            closeness = shares[edge] / (1.0 + dx * dx + dy * dy)
            pull_x += closeness * dx
            pull_y += closeness * dy
        pull[i, 0], pull[i, 1] = pull_x, pull_y


def repulsion(places: FloatArray, threads: ThreadPool) -> FloatArray:
    """Push of all points on each, divided by the closeness of the others to a point, summed, in the mean.

    The potential of a point at distance r is ``1 / (1 + r^2)``. Its gradient is the push of t-SNE, and its
    sum over all pairs is what the push is divided by. Points are spread on the grid by quadratic splines,
    and read back by them; the transform of the kernel is divided by theirs twice, so that the potential is
    right at the knots.
    """
    n = len(places)
    low = places.min(axis=0).astype(np.float64)
    side = float((places.max(axis=0) - low).max())
    # Cells of few different widths and grids of few different sizes, so that few kernels are made.
    wider = np.ceil(4 * max(0.0, np.log2(max(side, CELL) / CELL / MOST_CELLS))) / 4
    cell = float(CELL * 2.0**wider)
    cells = int(side / cell) + 1 + 2 * MARGIN
    size = -(-2 * cells // SIZES) * SIZES  # twice the cells, so that nothing wraps around
    low -= MARGIN * cell
    grid = np.zeros((size, size), dtype=np.float32)
    _spread(places, low, cell, grid)
    potential = fft.irfft2(fft.rfft2(grid) * _kernel(size, cell), s=(size, size))
    closeness, push = np.empty(n), np.empty((n, 2))
    threads.share(n, lambda *some: _read(*some, places, low, cell, potential, closeness, push))
    push -= push.mean(axis=0)  # what two do to each other is opposite; the rest is the grid's
    return np.asarray(push / max(float(closeness.mean()) - 1.0, LEAST_CLOSENESS))


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
