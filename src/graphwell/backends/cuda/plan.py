"""How sweeps with so many classes are launched: which kernels, on which tiles, in which buffers."""

from functools import lru_cache
from typing import Any

import numpy as np

from graphwell.backends.cpu.layout import Packing
from graphwell.backends.cuda._cupy import GpuArray, cuda_kernel, cupy, gpu_limits, launch
from graphwell.backends.cuda.layout import GpuRows, Neighborhood, Tiling

THREADS_AT_REST = 1024
THREADS_OF_A_SWEEP = 256
BLOCKS_PER_PROCESSOR = 6
"""Of one sweep over a large graph; as many as registers and shared memory allow."""
MOST_CLASSES_TO_VOTE_ALONE = 32
"""For which every thread has room of its own to count votes in, if they fit."""


class Plan:
    """Launches of the sweeps over one layout, for one number of classes. One caller at a time may use it.

    Parameters
    ----------
    rows : GpuRows
    n_classes : int
    """

    def __init__(self, rows: GpuRows, n_classes: int) -> None:
        cp = cupy()
        self.rows, self.n_classes = rows, n_classes
        self.packing = Packing.of(n_classes, rows.dtype)
        self.held: list[Any] = []
        self.at_rest = self._rest() or self._stream()
        self.words = cp.empty((2, rows.n_rows), dtype=self.packing.word)
        self.offsets = cp.empty(rows.n_rows, dtype=rows.dtype)
        # Energies of the blocks, blocks that arrived at a barrier, three masses of each class.
        self.counters = cp.zeros(self.blocks + 1 + 3 * n_classes, dtype=np.uint64)
        self.arrived, self.mass = self.counters[self.blocks :], self.counters[self.blocks + 1 :]
        self._functions = {name: self._function(name) for name in self._names()}

    def place(self, labels: GpuArray, offsets: GpuArray) -> GpuArray:
        """Bring a state into the order of the rows; return zeros for its energy and its class changes."""
        rows, totals = self.rows, cupy().empty(2, dtype=np.uint64)
        arguments = (
            rows.order, labels.astype(np.int32, copy=False), offsets.astype(rows.dtype, copy=False),
            self.words[0], self.offsets, self.packing.shift, rows.n_rows,
            self.counters, len(self.counters), totals,
        )  # fmt: skip
        launch(self._functions["place"], max(rows.n_rows, len(self.counters)), arguments)
        return totals

    def sweep(self, rows: Any, classes: Any, step: Any, count: int, balanced: bool, totals: GpuArray) -> None:
        """Do `count` sweeps and take the totals; nothing waits for them."""
        if self.at_rest:
            words, ends = (self.words[0], self.words[1]), (self.arrived, self.counters, totals)
            self._run("sweeps_at_rest", rows, classes, step, *words, self.offsets, *ends)
            return
        if balanced:
            self._run("first_masses", rows, classes, step, self.words[0], self.offsets)
        for sweep in range(count):
            words = (self.words[sweep % 2], self.words[1 - sweep % 2])
            self._run("one_sweep", rows, classes, step, *words, self.offsets, np.int32(sweep), totals)
        ends = (self.arrived, self.counters, totals)
        self._run("energy", rows, step, self.words[count % 2], self.offsets, *ends)

    def restored(self, count: int) -> tuple[GpuArray, GpuArray]:
        """Classes and offsets after so many sweeps, in the order of the vertices."""
        cp, rows = cupy(), self.rows
        labels = cp.empty(rows.n_vertices, dtype=np.int32)
        offsets = cp.empty(rows.n_vertices, dtype=rows.dtype)
        arguments = (rows.order, self.words[count % 2], self.offsets, labels, offsets, self.packing.shift)
        launch(self._functions["restore"], rows.n_rows, (*arguments, rows.n_rows))
        return labels, offsets

    def _rest(self) -> bool:
        """Give each processor of the GPU one tile, if it can hold it in its shared memory."""
        rows, limits = self.rows, gpu_limits()
        tiling = Tiling.equal(rows.host_starts, limits.n_processors)
        word, real = np.dtype(self.packing.word).itemsize, rows.dtype.itemsize
        if not limits.blocks_can_wait or tiling.most_entries * (real + 2) > limits.shared_memory:
            return False
        near = Neighborhood.of(rows, tiling)
        votes = self.n_classes if self.n_classes <= MOST_CLASSES_TO_VOTE_ALONE else 0
        if near.shared_bytes(tiling, word, real, votes * THREADS_AT_REST) > limits.shared_memory:
            votes = 0
        self.shared = near.shared_bytes(tiling, word, real, votes * THREADS_AT_REST)
        self.blocks, self.threads = tiling.n_tiles, THREADS_AT_REST
        self.tiles = self._tiles(tiling, near, votes)
        return self.shared <= limits.shared_memory

    def _stream(self) -> bool:
        """Let blocks go through small tiles, one after the other."""
        tiling = Tiling.small(self.rows.host_starts)
        self.shared = tiling.shared_bytes(np.dtype(self.packing.word).itemsize, self.rows.dtype.itemsize)
        self.blocks = min(tiling.n_tiles, BLOCKS_PER_PROCESSOR * gpu_limits().n_processors)
        self.threads = THREADS_OF_A_SWEEP
        self.tiles = self._tiles(tiling, None, 0)
        return False

    def _tiles(self, tiling: Tiling, near: Neighborhood | None, votes: int) -> Any:
        """The layout as kernels take it."""
        rows = self.rows
        self.held = [tiling, near]
        return struct(
            first_slice=tiling.first_slice.data.ptr,
            starts=rows.starts.data.ptr,
            edges=rows.edges.data.ptr,
            long_starts=rows.long_starts.data.ptr,
            n_tiles=np.int32(tiling.n_tiles),
            most_entries=np.int32(tiling.most_entries),
            most_rows=np.int32(tiling.most_rows),
            n_long=np.int32(rows.n_long),
            first_long=np.int32(rows.n_rows - rows.n_long),
            columns=near.columns.data.ptr if near else 0,
            first_column=near.first_column.data.ptr if near else 0,
            local=near.local.data.ptr if near else 0,
            most_columns=np.int32(near.most_columns if near else 0),
            n_votes=np.int32(votes),
        )

    def _names(self) -> tuple[str, ...]:
        sweeps = ("sweeps_at_rest",) if self.at_rest else ("first_masses", "one_sweep", "energy")
        return ("place", "restore", *sweeps)

    def _function(self, name: str) -> Any:
        word = "int" if self.packing.word is np.int32 else "int64"
        function = cuda_kernel("sweep.cu", name, REAL=self.rows.real, WORD=word)
        if name not in ("place", "restore"):
            most = max(self.shared, function.max_dynamic_shared_size_bytes)
            function.max_dynamic_shared_size_bytes = most
        return function

    def _run(self, name: str, *arguments: Any) -> None:
        function = self._functions[name]
        function((self.blocks,), (self.threads,), (self.tiles, *arguments), shared_mem=self.shared)


def struct(**fields: Any) -> Any:
    """A C structure of these fields in their order; Python integers stand for pointers."""
    kinds = tuple(
        (name, np.dtype(np.uint64) if isinstance(value, int) else value.dtype)
        for name, value in fields.items()
    )
    filled = np.array(tuple(fields.values()), dtype=_layout(kinds))
    return filled.view(f"V{filled.itemsize}")  # CuPy asks for a description of fields, which takes its time


@lru_cache(maxsize=32)
def _layout(kinds: tuple[tuple[str, np.dtype[Any]], ...]) -> np.dtype[Any]:
    return np.dtype(list(kinds), align=True)
