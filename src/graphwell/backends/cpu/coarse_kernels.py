"""The compiled loops of `graphwell.solve.coarse`: communities choose their class, some noise allowed."""

from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.compiled import compiled, inner, seen, unsigned

MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
"""Of Knuth's linear congruential generator; its upper bits are used."""
NO_NOISE = np.zeros(0)
HIGHEST = np.append(-np.log(-np.log(np.arange(1, 32) / 32)) + 1e-9, 37.0)
"""Gumbel noise of numbers from 0 to 1 in as many steps, rounded up."""


def choose_classes(
    W: Any,
    labels: IntArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    noise: FloatArray = NO_NOISE,
    seed: int = 0,
) -> float:
    """Let each community in turn take the class with the largest gain plus Gumbel noise; return the energy.

    `labels` is changed in place. There is one round for each value of `noise`, then rounds without noise
    until nothing changes. The gain of a class is twice the weight to it, less what the `pressure` on
    its volume rises by, plus the evidence.
    """
    found, room = labels.astype(np.uint32), np.zeros((4, len(pressure)))
    graph = (unsigned(W.indptr), unsigned(W.indices), seen(W.data), volumes, evidence, pressure)
    links, is_known = np.empty(evidence.shape), np.zeros(len(labels), np.bool_)
    _choose(*graph, noise, seed, found, links, is_known, room[:3])
    labels[:] = found
    return float(energy(*graph, found, room[3]))


@compiled(nogil=True)
def _choose(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    noise: FloatArray,
    seed: int,
    labels: IntArray,
    links: FloatArray,
    is_known: BoolArray,
    room: FloatArray,
) -> None:
    """`links` is room for the weight of each community to each class, known until a neighbour changes.

    `room` is room for three numbers for each class, all zero.
    """
    n, n_classes = evidence.shape
    class_volumes, gains, uniforms = room[0], room[1], room[2]
    total = 0.0
    for c in range(n):
        total += volumes[c]
        class_volumes[labels[c]] += volumes[c]
    press = 2 / total if total > 0 else 0.0
    state = np.uint64(seed) * MULTIPLIER + INCREMENT
    for turn in range(len(noise) + 100):
        width = noise[turn] if turn < len(noise) else 0.0
        changed = False
        for c in range(n):
            if not is_known[c]:
                is_known[c] = True
                for k in range(n_classes):
                    links[c, k] = 0.0
                for at in range(indptr[c], indptr[c + 1]):
                    if indices[at] != c:
                        links[c, labels[indices[at]]] += weights[at]
            own = labels[c]
            class_volumes[own] -= volumes[c]
            for k in range(n_classes):
                force = press * pressure[k] * (class_volumes[k] + volumes[c] / 2)
                gains[k] = 2 * links[c, k] - force * volumes[c] + evidence[c, k]
            best, best_gain = own, gains[own]
            if width > 0:
                for k in range(n_classes):
                    state = state * MULTIPLIER + INCREMENT
                    uniforms[k] = (np.float64(state >> np.uint64(12)) + 0.5) / 4503599627370496.0
                best_gain -= width * np.log(-np.log(uniforms[own]))
            for k in range(n_classes):
                gain = gains[k]
                if width > 0 and k != own:
                    if gain + width * largest_noise(uniforms[k]) <= best_gain:
                        continue
                    gain -= width * np.log(-np.log(uniforms[k]))
                if k != own and gain > best_gain:
                    best, best_gain = k, gain
            class_volumes[best] += volumes[c]
            if best != own:
                labels[c] = best
                changed = True
                for at in range(indptr[c], indptr[c + 1]):
                    is_known[indices[at]] = False
        if turn >= len(noise) and not changed:
            break


@inner
def largest_noise(uniform: float) -> float:
    """What the Gumbel noise of a number below 1 is at most: a bound without logarithms, which take long."""
    return HIGHEST[int(uniform * len(HIGHEST))]


@compiled(nogil=True)
def energy(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
    class_volumes: FloatArray,
) -> float:
    """Weight of the cut, plus the pressure on class volumes, minus the evidence; as shares of all weight.

    `class_volumes` is room for a number for each class, all zero.
    """
    total, cut, spoken = 0.0, 0.0, 0.0
    for c in range(len(volumes)):
        total += volumes[c]
        class_volumes[labels[c]] += volumes[c]
        spoken += evidence[c, labels[c]]
        for at in range(indptr[c], indptr[c + 1]):
            if labels[indices[at]] != labels[c]:
                cut += weights[at]
    if total == 0:
        return 0.0
    pressed = 0.0
    for k in range(len(pressure)):
        pressed += pressure[k] * (class_volumes[k] * class_volumes[k])
    return (cut - spoken) / total + pressed / (total * total)


@compiled(nogil=True)
def add_rows(groups: IntArray, values: FloatArray, sums: FloatArray) -> None:
    """Add each row of the values to the row of its group, one after the other."""
    for i in range(len(groups)):
        for c in range(sums.shape[1]):
            sums[groups[i], c] += values[i, c]


@compiled(nogil=True)
def number_codes(codes: IntArray, rank: IntArray) -> int:
    """Replace each code by its rank among those that occur; return how many do.

    `rank` is room for a number for each code there may be, all -1.
    """
    for i in range(len(codes)):
        rank[codes[i]] = 0
    count = 0
    for code in range(len(rank)):
        if rank[code] == 0:
            rank[code] = count
            count += 1
    for i in range(len(codes)):
        codes[i] = rank[codes[i]]
    return count
