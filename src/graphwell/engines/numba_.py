"""The CPU engine: Jacobi sweeps compiled by numba, on all cores, the same bits on any number of them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt
from numba import njit, prange

from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.engines.base import State, Swept
from graphwell.engines.gather import sum_neighbors
from graphwell.engines.layout import LANES, SlicedRows

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem

SLICES_PER_CHUNK = 64
_POOL = threading.Lock()


@dataclass(frozen=True)
class _Placed:
    """A problem in the order of the layout, with the packing of its states."""

    problem: "Problem"
    known: FloatArray
    fidelity: FloatArray
    values: FloatArray
    shift: int
    word: npt.DTypeLike

    def packed(self, labels: IntArray, offsets: FloatArray) -> IntArray:
        """One word per vertex: the class above `shift` bits, ``r`` in fixed point below."""
        r = 0.5 - np.abs(offsets)
        return (labels.astype(np.int64) << self.shift | (r * 2.0**self.shift).astype(np.int64)).astype(
            self.word
        )


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Hold numba's thread pool, with this many threads: two callers must not enter it at once."""
    with _POOL:
        before = numba.get_num_threads()
        numba.set_num_threads(number)
        try:
            yield
        finally:
            numba.set_num_threads(before)


class NumbaEngine:
    """Sweeps over a graph on the CPU.

    Parameters
    ----------
    graph : Graph
        The graph; its normalised affinity is laid out once.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    dtype : {float32, float64}
        Precision of weights and offsets.
    """

    def __init__(self, graph: "Graph", n_jobs: int | None = None, dtype: npt.DTypeLike = np.float32) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.n_threads = min(thread_count(n_jobs), int(numba.config.NUMBA_NUM_THREADS))
        self.rows = SlicedRows.from_csr(graph.S, self.dtype)
        self.row_sums = self._placed(np.asarray(graph.S.sum(axis=1)).ravel())
        self._last: _Placed | None = None

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        placed = self._place(problem)
        offsets = self._placed(state.offsets)
        words = placed.packed(self._placed(state.labels), offsets)
        votes = np.zeros((self.n_threads, problem.n_classes), dtype=self.dtype)
        edges = (self.rows.starts, self.rows.columns, placed.values, self.row_sums)
        forces = (placed.known, placed.fidelity)
        epsilon_, step_size_ = self.dtype.type(epsilon), self.dtype.type(step_size)
        with _threads(self.n_threads):
            words, changes = _sweeps(
                *edges, *forces, words, offsets, votes, epsilon_, step_size_, count, placed.shift
            )
            energy = _energy(*edges, *forces, words, offsets, float(epsilon), placed.shift)
        labels = self._restored((words >> placed.shift).astype(np.int32))
        return Swept(State(labels, self._restored(offsets)), float(energy), int(changes))

    def _place(self, problem: "Problem") -> _Placed:
        if self._last is None or self._last.problem is not problem:
            word, shift = _packing(problem.n_classes, self.dtype)
            self._last = _Placed(
                problem,
                self._placed(problem.known.astype(self.dtype)),
                self._placed(problem.fidelities),
                self.rows.values / self.dtype.type(2.0**shift),
                shift,
                word,
            )
        return self._last

    def _placed(self, by_vertex: Any) -> Any:
        placed = np.zeros(self.rows.n_positions, dtype=np.result_type(by_vertex, np.int32))
        placed[: len(by_vertex)] = by_vertex[self.rows.order]
        return placed.astype(self.dtype) if np.issubdtype(placed.dtype, np.floating) else placed

    def _restored(self, placed: Any) -> Any:
        by_vertex = np.empty(len(self.rows.order), dtype=placed.dtype)
        by_vertex[self.rows.order] = placed[: len(self.rows.order)]
        return by_vertex


def _packing(n_classes: int, dtype: np.dtype[Any]) -> tuple[type[np.signedinteger[Any]], int]:
    """Word type and number of bits for ``r`` in it.

    ``r = 1/2 - |d|`` is a multiple of 2^-25 in single and of 2^-54 in double precision: with that many
    bits it is stored exactly. A word that also has to hold very many classes keeps fewer.
    """
    class_bits = max(1, (n_classes - 1).bit_length())
    word, bits, exact = (np.int32, 31, 25) if dtype == np.float32 and class_bits <= 16 else (np.int64, 63, 54)
    return word, min(exact, bits - class_bits)


@njit(inline="always")
def _majority(
    columns: IntArray,
    values: FloatArray,
    words: IntArray,
    first: int,
    stop: int,
    shift: int,
    own: int,
    votes: FloatArray,
) -> np.int64:
    """Class with the largest ``sum_j S_ij r_j`` among the neighbours; the first met wins a tie."""
    mask = (1 << shift) - 1
    for entry in range(first, stop, LANES):
        word = np.int64(words[columns[entry]])
        votes[word >> shift] += values[entry] * votes.dtype.type(word & mask)
    best, most = np.int64(own), votes.dtype.type(-1)
    for entry in range(first, stop, LANES):
        candidate = np.int64(words[columns[entry]]) >> shift
        if values[entry] > 0 and votes[candidate] > most:
            best, most = candidate, votes[candidate]
    for entry in range(first, stop, LANES):
        votes[np.int64(words[columns[entry]]) >> shift] = 0
    return best


@njit(parallel=True, cache=True)
def _sweeps(
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    row_sums: FloatArray,
    known: FloatArray,
    fidelity: FloatArray,
    words: IntArray,
    offsets: FloatArray,
    votes: FloatArray,
    epsilon: float,
    step_size: float,
    count: int,
    shift: int,
) -> tuple[IntArray, int]:
    """Sweep `count` times; return the packed states and the number of class changes.

    Each position is written by its own row alone, so the states do not depend on the number of threads.
    """
    real, word = offsets.dtype.type, words.dtype.type
    half, one, two = real(0.5), real(1), real(2)
    scale, class_mask = real(1 << shift), ~word((1 << shift) - 1)
    n_slices = len(starts) - 1
    n_chunks = -(-n_slices // SLICES_PER_CHUNK)
    changes = np.zeros(n_chunks, dtype=np.int64)
    following = words.copy()
    for _ in range(count):
        for chunk in prange(n_chunks):
            sums = np.empty(2 * LANES, dtype=offsets.dtype)
            moved = np.empty(LANES, dtype=offsets.dtype)
            for s in range(chunk * SLICES_PER_CHUNK, min(n_slices, (chunk + 1) * SLICES_PER_CHUNK)):
                row = s * LANES
                sum_neighbors(columns, values, words, starts[s], starts[s + 1], row, shift, sums)
                own_offsets, own_words = offsets[row : row + LANES], words[row : row + LANES]
                own_sums, own_known = row_sums[row : row + LANES], known[row : row + LANES]
                own_fidelity, own_following = fidelity[row : row + LANES], following[row : row + LANES]
                for lane in range(LANES):
                    d = own_offsets[lane]
                    size = abs(d)
                    side = one if d >= 0 else -one
                    pull = own_sums[lane] * (half - size) + (sums[lane] - two * sums[LANES + lane])
                    slope = side * size * (one - size) * (one - two * size)
                    away = real(own_words[lane] >> shift) - own_known[lane] + d
                    force = epsilon * side * pull - slope / epsilon - own_fidelity[lane] * away
                    moved[lane] = d + step_size * force
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
                            votes[numba.get_thread_id()],
                        )  # fmt: skip
                        changes[chunk] += chosen != own
                        own_offsets[lane] = d
                        own_following[lane] = word(chosen << shift) | word((half - abs(d)) * scale)
        words, following = following, words
    return words, _in_order(changes)


@njit(parallel=True, cache=True)
def _energy(
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
