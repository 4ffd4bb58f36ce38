"""Loops over a grid whose neighbours are fixed steps, compiled by numba: no column index is ever read.

Planes are flat arrays of a padded grid, so that every step from an inner point stays inside. Steps point
forward, and the weight of a link is kept at its first end, as a whole number of `UNIT`. A call does some
parts of the grid, cut where `CHUNK` says. A point is written by its own part alone and sums are kept by part,
so nothing depends on the number of threads.
"""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.pixels import UNIT
from graphwell.graph.compiled import compiled

CHUNK = 1024
"""Points of a part: what a part needs stays in the nearest cache."""


@compiled(nogil=True)
def link(
    first_part: int,
    last_part: int,
    begin: int,
    end: int,
    values: FloatArray,
    pieces: FloatArray,
    steps: IntArray,
    nearness: FloatArray,
    sharpness: float,
    weakest: float,
    weights: IntArray,
) -> None:
    """Write the weights ``max(exp(-|c_i - c_j|² sharpness), weakest) nearness`` of all links.

    Points are linked to those of the same piece; 0 is no piece.
    """
    distance = np.empty(CHUNK, dtype=np.float32)
    sharp, least = np.float32(sharpness), np.float32(weakest)
    for part in range(first_part, last_part):
        low = begin + part * CHUNK
        high = min(low + CHUNK, end)
        n = high - low
        for s in range(len(steps)):
            step = steps[s]
            for i in range(n):
                distance[i] = 0
            for c in range(len(values)):
                here, there = values[c, low:high], values[c, low + step : high + step]
                for i in range(n):
                    difference = here[i] - there[i]
                    distance[i] += difference * difference
            near, far = pieces[low:high], pieces[low + step : high + step]
            out = weights[s, low:high]
            for i in range(n):
                color = max(np.exp(-distance[i] * sharp), least)
                linked = np.float32(near[i] > 0 and near[i] == far[i])
                out[i] = np.uint16(color * nearness[s] * linked / UNIT + np.float32(0.5))


@compiled(nogil=True)
def multiply(
    first_part: int,
    last_part: int,
    begin: int,
    end: int,
    steps: IntArray,
    weights: IntArray,
    planes: FloatArray,
    out: FloatArray,
) -> None:
    """Write the weights times each plane into `out`."""
    for part in range(first_part, last_part):
        low = begin + part * CHUNK
        high = min(low + CHUNK, end)
        for k in range(len(planes)):
            total = out[k, low:high]
            _sum_links(low, high, steps, weights, planes[k], total)


@compiled(nogil=True)
def _sum_links(
    low: int, high: int, steps: IntArray, weights: IntArray, plane: FloatArray, total: FloatArray
) -> None:
    n = high - low
    for i in range(n):
        total[i] = 0
    for s in range(len(steps)):
        step = steps[s]
        ahead, behind = weights[s, low:high], weights[s, low - step : high - step]
        after, before = plane[low + step : high + step], plane[low - step : high - step]
        for i in range(n):
            total[i] += np.float32(ahead[i]) * after[i] + np.float32(behind[i]) * before[i]
    for i in range(n):
        total[i] *= UNIT


@compiled(nogil=True)
def apply(
    first_part: int,
    last_part: int,
    begin: int,
    end: int,
    steps: IntArray,
    weights: IntArray,
    degrees: FloatArray,
    free: FloatArray,
    p: FloatArray,
    image: FloatArray,
    dots: FloatArray,
) -> None:
    """Write the Laplacian of the free points times `p` into `image`, and the sums of ``p image``."""
    for part in range(first_part, last_part):
        low = begin + part * CHUNK
        high = min(low + CHUNK, end)
        mask, degree = free[low:high], degrees[low:high]
        for k in range(len(p)):
            here, there = p[k, low:high], image[k, low:high]
            _sum_links(low, high, steps, weights, p[k], there)
            dot = np.float32(0)
            for i in range(high - low):
                there[i] = mask[i] * (degree[i] * here[i] - there[i])
                dot += here[i] * there[i]
            dots[part, k] = dot


@compiled(nogil=True)
def advance(
    first_part: int,
    last_part: int,
    begin: int,
    end: int,
    inverse: FloatArray,
    x: FloatArray,
    r: FloatArray,
    p: FloatArray,
    image: FloatArray,
    lengths: FloatArray,
    dots: FloatArray,
) -> None:
    """Add ``lengths p`` to `x`, take ``lengths image`` from `r`; write the sums of ``r r inverse``."""
    for part in range(first_part, last_part):
        low = begin + part * CHUNK
        high = min(low + CHUNK, end)
        scale = inverse[low:high]
        for k in range(len(x)):
            length, dot = np.float32(lengths[k]), np.float32(0)
            xk, rk, pk, ik = x[k, low:high], r[k, low:high], p[k, low:high], image[k, low:high]
            for i in range(high - low):
                xk[i] += length * pk[i]
                rk[i] -= length * ik[i]
                dot += rk[i] * rk[i] * scale[i]
            dots[part, k] = dot


@compiled(nogil=True)
def turn(
    first_part: int,
    last_part: int,
    begin: int,
    end: int,
    inverse: FloatArray,
    r: FloatArray,
    p: FloatArray,
    ratios: FloatArray,
) -> None:
    """Replace `p` by ``inverse r + ratios p``."""
    for part in range(first_part, last_part):
        low = begin + part * CHUNK
        high = min(low + CHUNK, end)
        scale = inverse[low:high]
        for k in range(len(p)):
            ratio, rk, pk = np.float32(ratios[k]), r[k, low:high], p[k, low:high]
            for i in range(high - low):
                pk[i] = scale[i] * rk[i] + ratio * pk[i]


@compiled(nogil=True)
def join(
    begin: int, end: int, steps: IntArray, weights: IntArray, weakest: IntArray, parents: IntArray
) -> None:
    """Let the parents of all points that links above the weakest join lead to the same root."""
    for s in range(len(steps)):
        for i in range(begin, end):
            if weights[s, i] > weakest[s]:
                a, b = _root(parents, i), _root(parents, i + steps[s])
                if a < b:
                    parents[b] = a
                elif b < a:
                    parents[a] = b
    for i in range(begin, end):
        parents[i] = _root(parents, i)


@compiled(nogil=True)
def _root(parents: IntArray, i: int) -> int:
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i
