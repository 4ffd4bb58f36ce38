"""The loops of the CPU engine, compiled by numba: arrays in, arrays out, no objects.

Work is cut into chunks that the graph alone decides, and each chunk is summed by itself: nothing depends on
the number of threads.
"""

from typing import Any

import numba
import numpy as np
from numba import njit, prange

from graphwell._types import FloatArray, IntArray
from graphwell.engines.gather import add_row, sum_neighbors
from graphwell.engines.layout import LANES

SLICES_PER_CHUNK = 64
ROWS_PER_CHUNK = 1024
MASS_UNIT = 2.0**-46
"""Masses of classes are added up as whole multiples of this: such a sum does not depend on the order."""


@njit(inline="always")
def _majority(
    columns: IntArray,
    values: FloatArray,
    words: IntArray,
    first: int,
    stop: int,
    shift: int,
    own: int,
    phi: float,
    pressure: FloatArray,
    votes: FloatArray,
) -> np.int64:
    """Class with the largest ``sum_j S_ij r_j`` among the neighbours; the first met wins a tie.

    What presses on a class is taken from its votes.
    """
    mask = (1 << shift) - 1
    for entry in range(first, stop, LANES):
        word = np.int64(words[columns[entry]])
        votes[word >> shift] += values[entry] * votes.dtype.type(word & mask)
    best, most = np.int64(own), votes.dtype.type(-np.inf)
    for entry in range(first, stop, LANES):
        candidate = np.int64(words[columns[entry]]) >> shift
        support = votes[candidate] - phi * pressure[candidate]
        if values[entry] > 0 and support > most:
            best, most = candidate, support
    for entry in range(first, stop, LANES):
        votes[np.int64(words[columns[entry]]) >> shift] = 0
    return best


@njit(parallel=True, cache=True)
def sweeps(
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    row_sums: FloatArray,
    known: FloatArray,
    fidelity: FloatArray,
    phi: FloatArray,
    strength: float,
    shares: FloatArray,
    pressure: FloatArray,
    words: IntArray,
    offsets: FloatArray,
    votes: FloatArray,
    epsilon: float,
    step_size: float,
    implicit: bool,
    count: int,
    shift: int,
) -> tuple[IntArray, int]:
    """Sweep `count` times; return the packed states and the number of class changes.

    Each position is written by its own row alone, so the states do not depend on the number of threads.
    `pressure` on the classes is written anew before each sweep if `strength` is positive, and used as it is
    otherwise. `words` may go on beyond the rows with the states of neighbours that others move.
    """
    real, word = offsets.dtype.type, words.dtype.type
    half, one, two = real(0.5), real(1), real(2)
    scale, class_mask = real(1 << shift), ~word((1 << shift) - 1)
    n_slices = len(starts) - 1
    n_chunks = -(-n_slices // SLICES_PER_CHUNK)
    changes = np.zeros(n_chunks, dtype=np.int64)
    following = words.copy()
    for _ in range(count):
        if strength > 0:
            press(masses(words, offsets, phi, shift, len(shares)), strength, shares, pressure)
        for chunk in prange(n_chunks):
            sums = np.empty(2 * LANES, dtype=offsets.dtype)
            moved = np.empty(LANES, dtype=offsets.dtype)
            for s in range(chunk * SLICES_PER_CHUNK, min(n_slices, (chunk + 1) * SLICES_PER_CHUNK)):
                row = s * LANES
                sum_neighbors(columns, values, words, starts[s], starts[s + 1], row, shift, sums)
                own_offsets, own_words = offsets[row : row + LANES], words[row : row + LANES]
                own_sums, own_known = row_sums[row : row + LANES], known[row : row + LANES]
                own_fidelity, own_following = fidelity[row : row + LANES], following[row : row + LANES]
                own_phi = phi[row : row + LANES]
                for lane in range(LANES):
                    d = own_offsets[lane]
                    size = abs(d)
                    side = one if d >= 0 else -one
                    own = own_words[lane] >> shift
                    pull = own_sums[lane] * (half - size) + (sums[lane] - two * sums[LANES + lane])
                    pull += two * own_phi[lane] * pressure[own]
                    slope = side * size * (one - size) * (one - two * size)
                    force = epsilon * side * pull - slope / epsilon
                    away = real(own) - own_known[lane]
                    if implicit:
                        away = d if away == 0 else -side * (one - size)
                        pin = step_size * own_fidelity[lane]
                        moved[lane] = d + (step_size * force - pin * away) / (one + pin)
                    else:
                        moved[lane] = d + step_size * (force - own_fidelity[lane] * (away + d))
                for lane in range(LANES):
                    d = moved[lane]
                    own_offsets[lane] = d
                    own_following[lane] = (own_words[lane] & class_mask) | word((half - abs(d)) * scale)
                for lane in range(LANES):
                    d = moved[lane]
                    if d < -half or d >= half:
                        d -= np.floor(d + half)
                        own = np.int64(own_words[lane]) >> shift
                        chosen = _majority(
                            columns, values, words, starts[s] + lane, starts[s + 1], shift, own,
                            own_phi[lane], pressure, votes[numba.get_thread_id()],
                        )  # fmt: skip
                        changes[chunk] += chosen != own
                        own_offsets[lane] = d
                        own_following[lane] = word(chosen << shift) | word((half - abs(d)) * scale)
        words, following = following, words
    return words, _in_order(changes)


@njit(cache=True)
def masses(words: IntArray, offsets: FloatArray, phi: FloatArray, shift: int, n_classes: int) -> IntArray:
    """Mass of each class, the sum of ``phi r`` over its vertices, as a multiple of `MASS_UNIT`."""
    found = np.zeros(n_classes, dtype=np.int64)
    for i in range(len(offsets)):
        found[words[i] >> shift] += np.int64(phi[i] * (0.5 - abs(offsets[i])) * (1 / MASS_UNIT))
    return found


@njit(cache=True)
def press(found: IntArray, strength: float, shares: FloatArray, pressure: FloatArray) -> None:
    """Pressure on each class: how far its mass lies above its share."""
    total = found.sum() * MASS_UNIT
    for k in range(len(shares)):
        pressure[k] = strength * (found[k] * MASS_UNIT - shares[k] * total)


@njit(parallel=True, cache=True)
def product(
    indptr: IntArray, indices: IntArray, data: FloatArray, block: FloatArray, out: FloatArray
) -> None:
    """Write a sparse matrix times a block into `out`; its width is a multiple of `COLUMNS_AT_ONCE`."""
    n, width = block.shape
    n_chunks = -(-n // ROWS_PER_CHUNK)
    for chunk in prange(n_chunks):
        sums = np.empty(width, dtype=block.dtype)
        for i in range(chunk * ROWS_PER_CHUNK, min(n, (chunk + 1) * ROWS_PER_CHUNK)):
            sums[:] = 0
            for entry in range(indptr[i], indptr[i + 1]):
                add_row(sums, data[entry], block, np.int64(indices[entry]) * width, width)
            for column in range(width):
                out[i, column] = sums[column]


@njit(parallel=True, cache=True)
def vector_product(
    indptr: IntArray, indices: IntArray, data: FloatArray, vector: FloatArray, out: FloatArray
) -> None:
    """Write a sparse matrix times a vector into `out`."""
    for i in prange(len(out)):
        total = vector.dtype.type(0)
        for entry in range(indptr[i], indptr[i + 1]):
            total += data[entry] * vector[indices[entry]]
        out[i] = total


@njit(parallel=True, cache=True)
def energy(
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    row_sums: FloatArray,
    known: FloatArray,
    fidelity: FloatArray,
    words: IntArray,
    offsets: FloatArray,
    epsilon: float,
    shift: int,
) -> float:
    """Energy of equation (13), each edge once: the smoothing term of a vertex is ``r_i`` times its pull."""
    n_slices = len(starts) - 1
    n_chunks = -(-n_slices // SLICES_PER_CHUNK)
    energies = np.zeros(n_chunks)
    for chunk in prange(n_chunks):
        sums = np.empty(2 * LANES, dtype=offsets.dtype)
        energy = 0.0
        for s in range(chunk * SLICES_PER_CHUNK, min(n_slices, (chunk + 1) * SLICES_PER_CHUNK)):
            row = s * LANES
            sum_neighbors(columns, values, words, starts[s], starts[s + 1], row, shift, sums)
            for lane in range(LANES):
                i = row + lane
                size = abs(offsets[i])
                r, well = 0.5 - size, size * (1 - size)
                pull = row_sums[i] * r + (sums[lane] - 2 * sums[LANES + lane])
                away = (words[i] >> shift) - known[i] + offsets[i]
                energy += epsilon / 2 * r * pull + well * well / (2 * epsilon) + fidelity[i] / 2 * away * away
        energies[chunk] = energy
    return _in_order(energies)


@njit(inline="always")
def _in_order(parts: Any) -> Any:
    """Sum from first to last; numba would split `sum` among its threads."""
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total
