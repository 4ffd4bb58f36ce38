"""The sweep on the CPU, compiled by numba.

Work is cut into parts that the layout alone decides; a call does a range of them, and threads share the
ranges. Each position is written by its own row alone, sums are of whole numbers or kept by part: nothing
depends on the number of threads.
"""

from typing import Any, TypeAlias

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.gather import move_rows, sum_neighbors
from graphwell.backends.cpu.layout import LANES
from graphwell.graph.compiled import compiled, inner

# Of the layout, `edges`: starts, columns, values, the rest of long rows, sums of rows; or `acting`: known,
# fidelity, phi, heft.
Arrays: TypeAlias = tuple[Any, ...]
# Epsilon, size of a step, whether labels pull implicitly, and the bits of a word below the class.
Steps: TypeAlias = tuple[float, float, bool, int]
# Masses of classes are added up as whole multiples of this: such a sum does not depend on the order.
MASS_UNIT = 2.0**-46


@inner
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
    rest: Arrays,
    row: int,
) -> np.int64:
    """Class with the largest ``sum_j S_ij r_j`` among the neighbours; the first met wins a tie."""
    # What presses on a class is taken from its votes.
    mask = (1 << shift) - 1
    rest_starts, rest_columns, rest_values = rest
    for entry in range(first, stop, LANES):
        word = np.int64(words[columns[entry]])
        votes[word >> shift] += values[entry] * votes.dtype.type(word & mask)
    for entry in range(rest_starts[row], rest_starts[row + 1]):
        word = np.int64(words[rest_columns[entry]])
        votes[word >> shift] += rest_values[entry] * votes.dtype.type(word & mask)
    best, most = np.int64(own), votes.dtype.type(-np.inf)
    for entry in range(first, stop, LANES):
        candidate = np.int64(words[columns[entry]]) >> shift
        support = votes[candidate] - phi * pressure[candidate]
        if values[entry] > 0 and support > most:
            best, most = candidate, support
    for entry in range(rest_starts[row], rest_starts[row + 1]):
        candidate = np.int64(words[rest_columns[entry]]) >> shift
        support = votes[candidate] - phi * pressure[candidate]
        if rest_values[entry] > 0 and support > most:
            best, most = candidate, support
    for entry in range(first, stop, LANES):
        votes[np.int64(words[columns[entry]]) >> shift] = 0
    for entry in range(rest_starts[row], rest_starts[row + 1]):
        votes[np.int64(words[rest_columns[entry]]) >> shift] = 0
    return best


# Rows of so many entries lie far apart, so those of a slice are counted side by side. In a complete graph of
# 1,000 with random weights nearly all are at a border: a sweep takes 1.9 ms, and one by one took 6.3.
LONG_ROW = 256


@inner
def _leaders(
    columns: IntArray,
    values: FloatArray,
    words: IntArray,
    first: int,
    stop: int,
    row: int,
    shift: int,
    phi: FloatArray,
    pressure: FloatArray,
    ballots: FloatArray,
    leaders: IntArray,
) -> None:
    """Write the class that alone leads in each row of a slice, as in `_majority`; -1 where none does."""
    mask = (1 << shift) - 1
    ballots[:] = 0
    for entry in range(first, stop, LANES):
        for lane in range(LANES):
            word = np.int64(words[columns[entry + lane]])
            ballots[word >> shift, lane] += values[entry + lane] * ballots.dtype.type(word & mask)
    for lane in range(LANES):
        most, leaders[lane] = ballots.dtype.type(-np.inf), -1
        for k in range(len(ballots)):
            support = ballots[k, lane] - phi[row + lane] * pressure[k]
            if support >= most:  # of a class without votes it is not known whether a neighbour has it
                leaders[lane] = k if support > most and ballots[k, lane] > 0 else -1
                most = support


@inner
def _add_rest(rest: Arrays, words: IntArray, row: int, shift: int, sums: FloatArray) -> None:
    """Add what is left of long rows to the sums of `sum_neighbors`, in stored order as there."""
    starts, columns, values = rest
    mask = (1 << shift) - 1
    for lane in range(LANES):
        own = np.int64(words[row + lane]) >> shift
        for entry in range(starts[row + lane], starts[row + lane + 1]):
            word = np.int64(words[columns[entry]])
            part = values[entry] * sums.dtype.type(word & mask)
            sums[lane] += part
            if word >> shift == own:
                sums[LANES + lane] += part


@compiled(nogil=True)
def sweep(
    first_part: int,
    last_part: int,
    parts: IntArray,
    edges: Arrays,
    acting: Arrays,
    pressure: FloatArray,
    words: IntArray,
    following: IntArray,
    offsets: FloatArray,
    steps: Steps,
    votes: FloatArray,
    sums: FloatArray,
    mass: IntArray,
) -> int:
    """Move the rows of some parts once, from `words` to `following`; return how many changed class.

    `words` may go on beyond the rows with the states of neighbours that others move. `votes` for each class,
    all 0, and `sums` of 2 x 16 numbers are room for one thread. To `mass` is added that of each class after
    it, the sum of ``heft r`` in units of `MASS_UNIT`; an empty array asks for none.
    """
    (starts, columns, values, rest, row_sums), (known, fidelity, phi, heft) = edges, acting
    epsilon, step_size, implicit, shift = steps
    real, word = offsets.dtype.type, words.dtype.type
    half, scale = real(0.5), real(1 << shift)
    ballots, leaders = np.empty((len(votes), LANES), votes.dtype), np.full(LANES, -1)
    changes = 0
    for s in range(parts[first_part], parts[last_part]):
        row = s * LANES
        sum_neighbors(columns, values, words, starts[s], starts[s + 1], row, shift, sums)
        if rest[0][row] < rest[0][row + LANES]:
            _add_rest(rest, words, row, shift, sums)
        # Algorithm 1: u_i <- u_i - dt (...), and a bit for each vertex whose label changes
        left = move_rows(
            row, sums, offsets, words, following, row_sums, known, fidelity, phi, pressure,
            epsilon, step_size, implicit, shift,
        )  # fmt: skip
        i, long = row, starts[s + 1] - starts[s] >= LANES * max(LONG_ROW, len(votes))
        if left & (left - 1) and long and rest[0][row] == rest[0][row + LANES]:
            _leaders(
                columns, values, words, starts[s], starts[s + 1], row, shift, phi, pressure, ballots, leaders
            )
        else:
            leaders[:] = -1
        while left:
            if left & 1:
                d = offsets[i] - np.floor(offsets[i] + half)  # keep the offset
                if not abs(d) <= half:  # no number: its word would name a class that there is not
                    d = real(0)
                own = np.int64(words[i]) >> shift
                first = starts[s] + i - row
                chosen = leaders[i - row]  # k <- argmin of the smoothing term
                if chosen < 0:
                    stop = starts[s + 1]
                    chosen = _majority(
                        columns, values, words, first, stop, shift, own, phi[i], pressure, votes, rest, i
                    )
                changes += chosen != own
                offsets[i] = d
                following[i] = word(chosen << shift) | word((half - abs(d)) * scale)
            left >>= 1
            i += 1
        if len(mass):
            for i in range(row, row + LANES):
                mass[following[i] >> shift] += np.int64(heft[i] * (0.5 - abs(offsets[i])) * (1 / MASS_UNIT))
    return changes


@compiled(nogil=True)
def energy(
    first_part: int,
    last_part: int,
    parts: IntArray,
    edges: Arrays,
    known: FloatArray,
    fidelity: FloatArray,
    counts: FloatArray,
    words: IntArray,
    offsets: FloatArray,
    epsilon: float,
    shift: int,
    room: FloatArray,
    energies: FloatArray,
) -> None:
    """Write the energy of some parts: equation (13), each edge once.

    The smoothing term of a vertex is ``r_i`` times its pull; each counts as many rows as it stands for.
    `room` has 2 x 16 numbers for each part.
    """
    starts, columns, values, rest, row_sums = edges
    for part in range(first_part, last_part):
        energy, sums = 0.0, room[part]
        for s in range(parts[part], parts[part + 1]):
            row = s * LANES
            sum_neighbors(columns, values, words, starts[s], starts[s + 1], row, shift, sums)
            if rest[0][row] < rest[0][row + LANES]:
                _add_rest(rest, words, row, shift, sums)
            for lane in range(LANES):
                i = row + lane
                size = abs(offsets[i])
                r, well = 0.5 - size, size * (1 - size)
                pull = row_sums[i] * r + (sums[lane] - 2 * sums[LANES + lane])
                away = (words[i] >> shift) - known[i] + offsets[i]
                own = epsilon / 2 * r * pull + well * well / (2 * epsilon) + fidelity[i] / 2 * away * away
                energy += counts[i] * own
        energies[part] = energy
