"""The compiled loops of `graphwell.solve.coarse`: communities choose their class, some noise allowed."""

from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.compiled import compiled, inner, seen, unsigned

MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
"""Of Knuth's linear congruential generator; its upper bits are used."""
NO_NOISE = np.zeros(0)
LINKS_KEPT = 256
"""Classes up to which the links of all communities are kept; of more, they would take much memory."""
HIGHEST = np.append(-np.log(-np.log(np.arange(1, 32) / 32)) + 1e-9, 37.0)
"""Gumbel noise is at most so much, by the five highest bits of what the generator drew."""


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
    (n, n_classes), found = evidence.shape, labels.astype(np.uint32)
    graph = (unsigned(W.indptr), unsigned(W.indices), seen(W.data), volumes, evidence, pressure)
    links = np.empty((n if n_classes <= LINKS_KEPT else 1, n_classes)), np.zeros(n, np.bool_)
    room = np.zeros((3, n_classes)), np.empty((2, n_classes + 1), np.uint64)
    _choose(*graph, noise, seed, found, *links, room[0][:2], room[1])
    labels[:] = found
    return float(energy(*graph, found, room[0][2]))


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
    jumps: IntArray,
) -> None:
    """`links` is room for the weight to each class, of all communities or of one at a time.

    That of all is known until a neighbour changes. `room` is room for two numbers for each class, all zero.
    `jumps` is room for what carries the generator on by no number to as many as there are classes.
    """
    n, n_classes = evidence.shape
    keeps, class_volumes, gains = len(links) == n, room[0], room[1]
    jumps[0, 0], jumps[1, 0] = 1, 0
    for k in range(n_classes):
        jumps[0, k + 1] = jumps[0, k] * MULTIPLIER
        jumps[1, k + 1] = jumps[1, k] * MULTIPLIER + INCREMENT
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
            place = c if keeps else 0
            if not is_known[c]:
                is_known[c] = keeps
                for k in range(n_classes):
                    links[place, k] = 0.0
                for at in range(indptr[c], indptr[c + 1]):
                    if indices[at] != c:
                        links[place, labels[indices[at]]] += weights[at]
            own = labels[c]
            class_volumes[own] -= volumes[c]
            for k in range(n_classes):
                force = press * pressure[k] * (class_volumes[k] + volumes[c] / 2)
                gains[k] = 2 * links[place, k] - force * volumes[c] + evidence[c, k]
            best, best_gain = own, gains[own]
            if width > 0:
                best_gain += width * noise_of(state * jumps[0, own + 1] + jumps[1, own + 1])
            for k in range(n_classes):
                gain = gains[k]
                if width > 0:
                    drawn = state * jumps[0, k + 1] + jumps[1, k + 1]
                    if gain + width * HIGHEST[drawn >> np.uint64(59)] <= best_gain:
                        continue  # logarithms take long
                    gain += width * noise_of(drawn)
                if gain > best_gain:
                    best, best_gain = k, gain
            if width > 0:
                state = state * jumps[0, n_classes] + jumps[1, n_classes]
            class_volumes[best] += volumes[c]
            if best != own:
                labels[c] = best
                changed = True
                for at in range(indptr[c], indptr[c + 1]):
                    is_known[indices[at]] = False
        if turn >= len(noise) and not changed:
            break


@inner
def noise_of(drawn: int) -> float:
    """Gumbel noise of what the generator drew."""
    uniform = (np.float64(drawn >> np.uint64(12)) + 0.5) / 4503599627370496.0
    return -np.log(-np.log(uniform))


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
