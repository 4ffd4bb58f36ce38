"""The sweep on the CPU, compiled by numba, and the barrier at which its threads wait for each other.

Work is cut into parts that the layout alone decides; a call does a range of them, and threads share the
ranges. Each position is written by its own row alone, sums are of whole numbers or kept by part: nothing
depends on the number of threads.

Leaving compiled code after every sweep costs more than a sweep of a small graph, the more so the more
threads there are, so threads wait inside it. Who waits spins for a moment, then sleeps: a busy machine is
not made busier. A barrier that is broken, because one of the threads failed, lets everybody through.
"""

import os
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.gather import move_rows, sum_neighbors
from graphwell.backends.cpu.layout import LANES
from graphwell.graph.compiled import compiled, inner

# Of the layout, `edges`: starts, columns, values, the rest of long rows, sums of rows; or `acting`: known,
# fidelity, phi.
Arrays: TypeAlias = tuple[Any, ...]
# Epsilon, size of a step, whether labels pull implicitly, and the bits of a word below the class.
Steps: TypeAlias = tuple[float, float, bool, int]
# Places in a barrier, each in a cache line of its own.
ARRIVED, ROUND, BROKEN, SIZE = 0, 8, 16, 24
# Looks at the barrier, some 100 microseconds, before sleeping; and microseconds of a sleep.
SPINS, NAP = 50_000, 20


def new_barrier() -> IntArray:
    """Return an open barrier."""
    return np.zeros(SIZE, dtype=np.int64)


def break_barrier(barrier: IntArray) -> None:
    """Let everybody through, now and later."""
    barrier[BROKEN] = 1


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


@intrinsic
def _add(typing_context: Any, barrier: Any, place: Any, value: Any) -> Any:
    """Add to a place at once, for all threads to see; return what was there before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(barrier, types.int64, types.int64), codegen


@intrinsic
def _look(typing_context: Any, barrier: Any, place: Any) -> Any:
    """Read a place as other threads left it."""
    # A plain read would be hoisted out of the loop that waits: LLVM sees nobody else write there.

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature, args)
        return builder.load_atomic(pointer, "seq_cst", align=8, typ=ir.IntType(64))

    return types.int64(barrier, types.int64), codegen


if os.name == "posix":
    _sleep = types.ExternalFunction("usleep", types.int32(types.uint32))

    @inner
    def _rest() -> None:
        _sleep(np.uint32(NAP))

else:

    @inner
    def _rest() -> None:
        """Nothing: such a system has no call to sleep for so short a time."""


@inner
def pass_barrier(barrier: IntArray, n_threads: int) -> bool:
    """Wait until so many threads are here; return whether the barrier is whole."""
    turn = _look(barrier, ROUND)
    if _add(barrier, ARRIVED, 1) == n_threads - 1:
        # The count goes back to zero before the round opens: a fast thread may be at the next barrier while
        # a slow one has not left this one.
        _add(barrier, ARRIVED, -n_threads)
        _add(barrier, ROUND, 1)
        return _look(barrier, BROKEN) == 0
    looks = 0
    while _look(barrier, ROUND) == turn:
        if _look(barrier, BROKEN):
            return False
        looks += 1
        if looks > SPINS:
            _rest()
    return _look(barrier, BROKEN) == 0


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


def room(n_classes: int, dtype: npt.DTypeLike) -> tuple[FloatArray, FloatArray]:
    """Arrays that one thread counts in: votes for each class, and sums over neighbours."""
    return np.zeros(n_classes, dtype=dtype), np.empty(2 * LANES, dtype=dtype)


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
) -> int:
    """Move the rows of some parts once, from `words` to `following`; return how many changed class.

    `words` may go on beyond the rows with the states of neighbours that others move. `votes` and `sums` are
    from `room`, for one thread alone.
    """
    (starts, columns, values, rest, row_sums), (known, fidelity, phi) = edges, acting
    epsilon, step_size, implicit, shift = steps
    real, word = offsets.dtype.type, words.dtype.type
    half, scale = real(0.5), real(1 << shift)
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
        i = row
        while left:
            if left & 1:
                d = offsets[i] - np.floor(offsets[i] + half)  # keep the offset
                if not abs(d) <= half:  # no number: its word would name a class that there is not
                    d = real(0)
                own = np.int64(words[i]) >> shift
                first = starts[s] + i - row
                # k <- argmin of the smoothing term
                chosen = _majority(
                    columns, values, words, first, starts[s + 1], shift, own, phi[i], pressure, votes, rest, i
                )
                changes += chosen != own
                offsets[i] = d
                following[i] = word(chosen << shift) | word((half - abs(d)) * scale)
            left >>= 1
            i += 1
    return changes


@compiled(nogil=True)
def masses(
    first_part: int,
    last_part: int,
    parts: IntArray,
    words: IntArray,
    offsets: FloatArray,
    phi: FloatArray,
    shift: int,
    found: IntArray,
) -> None:
    """Add to `found` the mass of each class in some parts: the sum of ``phi r``, in units of `MASS_UNIT`."""
    for i in range(parts[first_part] * LANES, parts[last_part] * LANES):
        found[words[i] >> shift] += np.int64(phi[i] * (0.5 - abs(offsets[i])) * (1 / MASS_UNIT))


@compiled(nogil=True)
def sweeps(
    thread: int,
    cuts: IntArray,
    barrier: IntArray,
    weights: IntArray,
    count: int,
    strength: float,
    shares: FloatArray,
    heft: FloatArray,
    parts: IntArray,
    edges: Arrays,
    acting: Arrays,
    words: IntArray,
    following: IntArray,
    offsets: FloatArray,
    steps: Steps,
    votes: FloatArray,
    sums: FloatArray,
    pressure: FloatArray,
) -> int:
    """One thread's part of `count` sweeps; return how often a class changed in it.

    Thread `t` moves the parts from ``cuts[t]`` to ``cuts[t + 1]``. All wait for each other after every sweep.
    `weights`, of shape (threads, classes), is where they leave the masses of the classes for each other, to
    which a position adds its `heft` times ``r``;
    `pressure` begins at zero, and is for one thread alone like `votes` and `sums`.
    """
    n_threads, first, last, shift = len(cuts) - 1, cuts[thread], cuts[thread + 1], steps[3]
    changes = 0
    for _ in range(count):
        if strength > 0:
            weights[thread] = 0
            masses(first, last, parts, words, offsets, heft, shift, weights[thread])
            if not pass_barrier(barrier, n_threads):
                break
            press(weights, strength, shares, pressure)
        moving = (words, following, offsets)
        changes += sweep(first, last, parts, edges, acting, pressure, *moving, steps, votes, sums)
        words, following = following, words
        if not pass_barrier(barrier, n_threads):
            break
    return changes


@compiled(nogil=True)
def press(weights: IntArray, strength: float, shares: FloatArray, pressure: FloatArray) -> None:
    """Write how hard each class is pressed: by how far its mass, a column's sum, lies above its share."""
    whole = 0
    for thread in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            whole += weights[thread, k]
    total = whole * MASS_UNIT
    for k in range(len(shares)):
        own = 0
        for thread in range(weights.shape[0]):
            own += weights[thread, k]
        pressure[k] = strength * (own * MASS_UNIT - shares[k] * total)


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
    `room` has a row of 2 x 16 values for each part.
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
