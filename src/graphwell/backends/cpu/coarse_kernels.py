"""The compiled loops of `graphwell.solve.coarse`: communities choose their class, some noise allowed."""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.group_kernels import merged_rows
from graphwell.graph.compiled import compiled

MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
"""Of Knuth's linear congruential generator; its upper bits are used."""


@compiled(nogil=True)
def choose_classes(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    noise: FloatArray,
    seed: int,
    labels: IntArray,
) -> float:
    """Let each community in turn take the class with the largest gain plus Gumbel noise; return the energy.

    `labels` is changed in place. There is one round for each value of `noise`, then rounds without noise
    until nothing changes. The gain of a class is twice the weight to it, less what the `pressure` on
    its volume rises by, plus the evidence.
    """
    n, n_classes = evidence.shape
    total = volumes.sum()
    class_volumes = np.zeros(n_classes)
    for c in range(n):
        class_volumes[labels[c]] += volumes[c]
    press = 2 / total if total > 0 else 0.0
    links = np.zeros(n_classes)
    state = np.uint64(seed) * MULTIPLIER + INCREMENT
    for turn in range(len(noise) + 100):
        width = noise[turn] if turn < len(noise) else 0.0
        changed = False
        for c in range(n):
            links[:] = 0.0
            for at in range(indptr[c], indptr[c + 1]):
                if indices[at] != c:
                    links[labels[indices[at]]] += weights[at]
            own = labels[c]
            class_volumes[own] -= volumes[c]
            best, best_gain = own, -np.inf
            for k in range(n_classes):
                force = press * pressure[k] * (class_volumes[k] + volumes[c] / 2)
                gain = 2 * links[k] - force * volumes[c] + evidence[c, k]
                if width > 0:
                    state = state * MULTIPLIER + INCREMENT
                    uniform = (np.float64(state >> np.uint64(12)) + 0.5) / 4503599627370496.0
                    if gain + width * largest_noise(uniform) < best_gain:
                        continue
                    gain -= width * np.log(-np.log(uniform))
                if gain > best_gain or (gain == best_gain and k == own):
                    best, best_gain = k, gain
            class_volumes[best] += volumes[c]
            if best != own:
                labels[c] = best
                changed = True
        if turn >= len(noise) and not changed:
            break
    return energy(indptr, indices, weights, volumes, evidence, pressure, labels)


@compiled(nogil=True)
def largest_noise(uniform: float) -> float:
    """What the Gumbel noise of a number below 1 is at most: a bound without logarithms, which take long."""
    if uniform < 15 / 16:
        return 2.8
    return 5.6 if uniform < 255 / 256 else 37.0


@compiled(nogil=True)
def energy(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
) -> float:
    """Weight of the cut, plus the pressure on class volumes, minus the evidence; as shares of all weight."""
    n, n_classes = evidence.shape
    class_volumes = np.zeros(n_classes)
    cut, spoken = 0.0, 0.0
    for c in range(n):
        class_volumes[labels[c]] += volumes[c]
        spoken += evidence[c, labels[c]]
        for at in range(indptr[c], indptr[c + 1]):
            if labels[indices[at]] != labels[c]:
                cut += weights[at]
    total = volumes.sum()
    if total == 0:
        return 0.0
    return (cut - spoken) / total + (pressure * class_volumes**2).sum() / total**2


@compiled(nogil=True)
def add_rows(groups: IntArray, values: FloatArray, sums: FloatArray) -> None:
    """Add each row of the values to the row of its group, one after the other."""
    for i in range(len(groups)):
        for c in range(sums.shape[1]):
            sums[groups[i], c] += values[i, c]


@compiled(nogil=True)
def move_parts(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    unit: float,
    parts: IntArray,
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
) -> IntArray:
    """Classes after what lies in one class of each part moved as a whole until no move gains anything.

    `unit` is that of sums of the weights, see `graphwell.backends.cpu.group_kernels.unit_of`.
    """
    blocks, n_blocks = _numbered(parts * evidence.shape[1] + labels)
    above = merged_rows(indptr, indices, weights, blocks, n_blocks, unit)
    volumes, found = np.zeros(n_blocks), np.empty(n_blocks, np.int64)
    for block in range(n_blocks):
        for at in range(above[0][block], above[0][block + 1]):
            volumes[block] += above[2][at]
    gains = np.zeros((n_blocks, evidence.shape[1]))
    add_rows(blocks, evidence, gains)
    for i in range(len(labels)):
        found[blocks[i]] = labels[i]
    choose_classes(above[0], above[1], above[2], volumes, gains, pressure, np.zeros(0), 0, found)
    return found[blocks]


@compiled(nogil=True)
def _numbered(codes: IntArray) -> tuple[IntArray, int]:
    """Rank of each code among those that occur, and how many do."""
    rank = np.full(codes.max() + 1, -1, np.int64)
    for code in codes:
        rank[code] = 0
    count = 0
    for code in range(len(rank)):
        if rank[code] == 0:
            rank[code] = count
            count += 1
    return rank[codes], count
