"""Pictures on the CPU: loops over a grid whose neighbours are fixed steps, so no index is ever read.

Planes are flat arrays of a padded grid, so that every step from an inner point stays inside. Steps point
forward, and the weight of a link is kept at its first end, as a whole number of `UNIT`. A call does some
parts of the grid, cut where `CHUNK` says. A point is written by its own part alone and sums are kept by
part, so nothing depends on the number of threads.

Sweeps of Algorithm 1 move some points alone; the others stand still. The links of a point lie side by side
there: first those that point forward, then their mirror images. Besides its neighbours a point has its
evidence, as if it were linked to a vertex of each class, in its middle, whose weights add up to `trust`. All
terms of a point count by the sum of its weights, so that a pixel unlike its neighbours moves as fast as any
other.
"""

from typing import Any, TypeAlias

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled

# Where the picture begins and ends, and the steps to neighbours that come later.
Grid: TypeAlias = tuple[int, int, IntArray]
# Stored weights are multiples of this.
UNIT = np.float32(1 / 65535)
# Points of a part: what a part needs stays in the nearest cache.
CHUNK = 1024


@compiled(nogil=True)
def link(
    first: int, last: int, grid: Grid, links: Any, values: FloatArray, limits: Any, weights: IntArray
) -> None:
    """Write the weights ``max(exp(-|c_i - c_j|² sharpness), weakest) nearness`` of all links.

    Points are linked to those of the same piece; 0 is no piece.
    """
    (begin, end, steps), (pieces, nearness) = grid, links
    distance = np.empty(CHUNK, dtype=np.float32)
    sharp, least = np.float32(limits[0]), np.float32(limits[1])
    for part in range(first, last):
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
    first: int, last: int, grid: Grid, weights: IntArray, planes: FloatArray, out: FloatArray
) -> None:
    """Write the weights times each plane into `out`."""
    begin, end, steps = grid
    for part in range(first, last):
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
    first: int, last: int, grid: Grid, matrix: Any, p: FloatArray, image: FloatArray, dots: FloatArray
) -> None:
    """Write the Laplacian of the free points times `p` into `image`, and the sums of ``p image``."""
    (begin, end, steps), (weights, degrees, free) = grid, matrix
    for part in range(first, last):
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
    first: int,
    last: int,
    grid: Grid,
    inverse: FloatArray,
    vectors: Any,
    lengths: FloatArray,
    dots: FloatArray,
) -> None:
    """Add ``lengths p`` to `x`, take ``lengths image`` from `r`; write the sums of ``r r inverse``."""
    (begin, end, _), (x, r, p, image) = grid, vectors
    for part in range(first, last):
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
    first: int, last: int, grid: Grid, inverse: FloatArray, r: FloatArray, p: FloatArray, ratios: FloatArray
) -> None:
    """Replace `p` by ``inverse r + ratios p``."""
    begin, end, _ = grid
    for part in range(first, last):
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


# Points of a part.
POINTS = 2048
TINY = np.finfo(np.float32).tiny


@compiled(nogil=True)
def link_some(
    first: int,
    last: int,
    points: IntArray,
    values: FloatArray,
    links: Any,
    limits: Any,
    weights: IntArray,
    sums: FloatArray,
) -> None:
    """Write the weights of all links of some points, those in front of a point first, and their sums."""
    steps, pieces, nearness = links
    n_steps = len(steps)
    sharp, least = np.float32(limits[0]), np.float32(limits[1])
    for place in range(first * POINTS, min(last * POINTS, len(points))):
        i = points[place]
        sums[place] = 0
        for t in range(2 * n_steps):
            s = t % n_steps
            j = i + steps[s] if t < n_steps else i - steps[s]
            distance = np.float32(0)
            for c in range(len(values)):
                difference = values[c, i] - values[c, j]
                distance += difference * difference
            color = max(np.exp(-distance * sharp), least)
            linked = np.float32(pieces[i] > 0 and pieces[i] == pieces[j])
            weights[place, t] = np.uint16(color * nearness[s] * linked / UNIT + np.float32(0.5))
            sums[place] += np.float32(weights[place, t])


@compiled(nogil=True)
def sweep_some(
    first: int,
    last: int,
    steps: IntArray,
    movers: Any,
    trust: float,
    now: Any,
    after: Any,
    epsilon: float,
    step_size: float,
    changes: IntArray,
    energies: FloatArray,
) -> None:
    """Move some points once, from the labels and ``r`` of `now` to those of `after`.

    Per part, it writes how many changed class, and the energy before.
    """
    (points, weights, sums, evidence), (labels, r), (next_labels, next_r) = movers, now, after
    half, one, two = np.float32(0.5), np.float32(1), np.float32(2)
    eps, dt, lam = np.float32(epsilon), np.float32(step_size), np.float32(trust)
    n_steps, n_classes = len(steps), evidence.shape[1]
    votes = np.zeros(n_classes, dtype=np.float32)
    for part in range(first, last):
        changed, energy = 0, 0.0
        for place in range(part * POINTS, min((part + 1) * POINTS, len(points))):
            i = points[place]
            own, here = labels[i], r[i]
            unit = one / max(sums[place], one)
            total = same = np.float32(0)
            for s in range(n_steps):
                a, b = i + steps[s], i - steps[s]
                ahead, behind = np.float32(weights[place, s]), np.float32(weights[place, n_steps + s])
                pa, pb = ahead * r[a], behind * r[b]
                total += pa + pb
                same += (pa if labels[a] == own else np.float32(0)) + (
                    pb if labels[b] == own else np.float32(0)
                )
            # Equations (16), (17) and (15), as in `sweep.py`; a link to the evidence has r = 1/2 at its far
            # end.
            pull = here + unit * (total - two * same) + lam * (here + half - evidence[place, own])
            f = half - here  # the offset without its side: |d|
            well = f * (one - f)
            energy += sums[place] * (epsilon / 2 * here * pull + well * well / (2 * epsilon))
            f = abs(f + dt * (eps * pull - well * (one - two * f) / eps))
            if f >= half:  # the label changes: the class of most support, the offset kept
                for k in range(n_classes):
                    votes[k] = lam * evidence[place, k] * half
                for s in range(n_steps):
                    a, b = i + steps[s], i - steps[s]
                    votes[labels[a]] += unit * np.float32(weights[place, s]) * r[a]
                    votes[labels[b]] += unit * np.float32(weights[place, n_steps + s]) * r[b]
                best = own
                for k in range(n_classes):
                    if votes[k] > votes[best]:
                        best = k
                changed += best != own
                next_labels[i] = best
                f = min(max(one - f, np.float32(0)), half)
            else:
                next_labels[i] = own
            next_r[i] = half - f
        changes[part], energies[part] = changed, energy * UNIT


@compiled(nogil=True)
def shares_of_some(
    first: int, last: int, points: IntArray, steps: IntArray, weights: IntArray, now: Any, out: FloatArray
) -> None:
    """Write the share of the class of each point among its neighbours and itself."""
    labels, r = now
    n_steps = len(steps)
    for place in range(first * POINTS, min(last * POINTS, len(points))):
        i = points[place]
        own, same = labels[i], r[i] / UNIT
        total = same
        for t in range(2 * n_steps):
            j = i + steps[t] if t < n_steps else i - steps[t - n_steps]
            part = np.float32(weights[place, t]) * r[j]
            total += part
            same += part if labels[j] == own else np.float32(0)
        out[place] = same / max(total, TINY)
