"""The engine on one card: all sweeps of an epsilon without a word from the host, the same on every run."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphwell.engines.base import State, Swept
from graphwell.engines.cuda._cupy import CardArray, cupy, kernel, launch, memory_in_words
from graphwell.engines.cuda.graph import CudaGraph
from graphwell.engines.cuda.layout import CardRows, Tiling
from graphwell.engines.packing import Packing

if TYPE_CHECKING:
    from graphwell.graph import Graph
    from graphwell.solve.problem import Problem

COLUMNS_AT_ONCE = 4
RESERVED_SHARED_MEMORY = 2048
"""What the kernels declare themselves, and the card keeps for its own use."""
THREADS_AT_REST = 1024
THREADS_OF_A_SWEEP = 256
BLOCKS_PER_PROCESSOR = 5
"""Of one sweep over a large graph; as many as its registers allow."""


@dataclass(frozen=True, eq=False)
class _Forces:
    """What acts on each row besides its neighbours, as the kernels take it."""

    rows: Any
    classes: Any
    held: tuple[Any, ...]
    """The arrays that the two point to."""


class CudaEngine:
    """Sweeps and products over a graph on a card.

    Parameters
    ----------
    graph : Graph
        Of the host or of the card; states and blocks come back where those of the graph lie.
    dtype : {float32, float64}
        Precision of weights and offsets.
    """

    def __init__(self, graph: "Graph", n_jobs: int | None = None, dtype: npt.DTypeLike = np.float32) -> None:
        attributes = cupy().cuda.Device().attributes  # hundreds of them: asked for once
        self.n_processors = int(attributes["MultiProcessorCount"])
        self._shared_memory = int(attributes["MaxSharedMemoryPerBlockOptin"]) - RESERVED_SHARED_MEMORY
        self._can_wait = bool(attributes["CooperativeLaunch"])
        self.graph = graph
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._on_host = not isinstance(graph, CudaGraph)
        self._card = CudaGraph.of(graph)
        entries = len(self._card.matrix.data)
        with memory_in_words("the graph", entries * (8 + 2 * self.dtype.itemsize)):
            self.rows = CardRows.of(self._card.normalised, self.dtype)
            self.row_sums = self.rows.placed(self._card.normalised.row_sums, self.dtype)
        self._last: tuple[Any, _Forces] | None = None
        self._tiles: dict[Tiling, Any] = {}

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        cp = cupy()
        packing = Packing.of(problem.n_classes, self.dtype)
        run = _Run(self, packing, self._forces(problem), problem, epsilon, step_size, count)
        run.place(cp.asarray(state.labels), cp.asarray(state.offsets))
        tiling = self._at_rest(packing)
        if tiling is not None:
            energy, changes = run.at_rest(tiling)
        else:
            energy, changes = run.one_by_one(self._small_tiles)
        labels, offsets = run.restored(self.graph.n_vertices)
        if self._on_host:
            labels, offsets = labels.get(), offsets.get()
        return Swept(State(labels, offsets), energy, changes)

    def product(self, block: CardArray) -> CardArray:
        """Return ``S @ block`` for a block of columns, in the precision of the engine."""
        cp = cupy()
        block = cp.ascontiguousarray(cp.asarray(block), dtype=self.dtype)
        n, width = block.shape
        at_once = 1 if width == 1 else COLUMNS_AT_ONCE
        if width % at_once:
            block = cp.pad(block, ((0, 0), (0, -width % at_once)))
        out = cp.empty_like(block)
        matrix, groups = self._card.normalised, block.shape[1] // at_once
        function = kernel("products.cu", "product", POINTER=matrix.pointer, REAL=self.real, WIDE=at_once)
        launch(function, n * groups, (matrix.indptr, matrix.indices, self._data, block, out, groups, n))
        out = out[:, :width]
        return out.get() if self._on_host else out

    @property
    def real(self) -> str:
        """The precision as kernels call it."""
        return "float" if self.dtype == np.float32 else "double"

    @cached_property
    def _data(self) -> CardArray:
        return self._card.normalised.data.astype(self.dtype)

    def _forces(self, problem: "Problem") -> _Forces:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, self._place(problem)
        return self._last[1]

    def _place(self, problem: "Problem") -> _Forces:
        cp = cupy()
        degrees, balance = self._card.degrees, problem.balance
        total = float(degrees.sum()) or 1.0
        phi = cp.sqrt(degrees / total) if balance else cp.zeros(len(degrees))
        known = self.rows.placed(cp.asarray(problem.known), self.dtype)
        fidelity = self.rows.placed(cp.asarray(problem.fidelities), self.dtype)
        placed_phi = self.rows.placed(phi, self.dtype)
        shares = balance.shares if balance else np.zeros(problem.n_classes)
        shares = cp.asarray(shares, dtype=self.dtype)
        mass = cp.zeros(3 * problem.n_classes, dtype=np.uint64)
        pointers = [array.data.ptr for array in (self.row_sums, known, fidelity, placed_phi)]
        rows = _struct(
            row_sums=pointers[0], known=pointers[1], fidelity=pointers[2], phi=pointers[3], origin=np.int32(0)
        )
        classes = _struct(
            shares=shares.data.ptr,
            mass=mass.data.ptr,
            strength=self.dtype.type(balance.strength if balance else 0.0),
            n_classes=np.int32(problem.n_classes),
        )
        return _Forces(rows, classes, (known, fidelity, placed_phi, shares, mass))

    def _at_rest(self, packing: Packing) -> Tiling | None:
        """One tile for each processor of the card, if it can hold it in its shared memory."""
        tiling = self._equal_tiles
        size = tiling.shared_bytes(np.dtype(packing.word).itemsize, self.dtype.itemsize, at_rest=True)
        return tiling if size <= self._shared_memory and self._can_wait else None

    @cached_property
    def _equal_tiles(self) -> Tiling:
        return Tiling.equal(self.rows.host_starts, self.n_processors)

    @cached_property
    def _small_tiles(self) -> Tiling:
        return Tiling.small(self.rows.host_starts)

    def tiles(self, tiling: Tiling) -> Any:
        """The layout as kernels take it."""
        if tiling not in self._tiles:
            rows = self.rows
            self._tiles[tiling] = _struct(
                first_slice=tiling.first_slice.data.ptr,
                starts=rows.starts.data.ptr,
                edges=rows.edges.data.ptr,
                long_starts=rows.long_starts.data.ptr,
                n_tiles=np.int32(tiling.n_tiles),
                most_entries=np.int32(tiling.most_entries),
                most_rows=np.int32(tiling.most_rows),
                n_long=np.int32(rows.n_long),
                first_long=np.int32(rows.n_rows - rows.n_long),
            )
        return self._tiles[tiling]


class _Run:
    """The sweeps of one epsilon: their buffers and launches."""

    def __init__(
        self,
        engine: CudaEngine,
        packing: Packing,
        forces: _Forces,
        problem: "Problem",
        epsilon: float,
        step_size: float,
        count: int,
    ) -> None:
        cp = cupy()
        self.engine, self.packing, self.forces, self.count = engine, packing, forces, count
        real, n_rows = engine.dtype.type, engine.rows.n_rows
        self.step = _struct(
            epsilon=real(epsilon),
            step_size=real(step_size),
            implicit=np.int32(problem.implicit),
            shift=np.int32(packing.shift),
            count=np.int32(count),
        )
        self.words = cp.empty((2, n_rows), dtype=packing.word)
        self.offsets = cp.empty(n_rows, dtype=engine.dtype)
        if problem.balance is not None:
            forces.held[-1].fill(0)

    def place(self, labels: Any, offsets: Any) -> None:
        """Bring a state into the order of the rows."""
        rows = self.engine.rows
        labels, offsets = labels.astype(np.int32, copy=False), offsets.astype(self.engine.dtype, copy=False)
        arguments = (rows.order, labels, offsets, self.words[0], self.offsets, self.packing.shift)
        launch(self._kernel("place"), rows.n_rows, (*arguments, rows.n_rows))

    def restored(self, n: int) -> tuple[Any, Any]:
        """The state in the order of the vertices."""
        cp, rows = cupy(), self.engine.rows
        labels, offsets = cp.empty(n, dtype=np.int32), cp.empty(n, dtype=self.engine.dtype)
        last = self.words[self.count % 2]
        arguments = (rows.order, last, self.offsets, labels, offsets, self.packing.shift)
        launch(self._kernel("restore"), rows.n_rows, (*arguments, rows.n_rows))
        return labels, offsets

    def at_rest(self, tiling: Tiling) -> tuple[float, int]:
        """All sweeps in one launch, every tile at rest in the memory of its processor."""
        cp, blocks = cupy(), tiling.n_tiles
        numbers = cp.zeros(blocks + 2, dtype=np.float64)  # energies, class changes, blocks that arrived
        shared = tiling.shared_bytes(self.words.itemsize, self.engine.dtype.itemsize, at_rest=True)
        function = self._kernel("sweeps_at_rest")
        function.max_dynamic_shared_size_bytes = shared
        changes, arrived = numbers[blocks:], numbers[blocks + 1 :]
        arguments = (
            self.engine.tiles(tiling), self.forces.rows, self.forces.classes, self.step,
            self.words[0], self.words[1], self.offsets, arrived, changes, numbers,
        )  # fmt: skip
        function((blocks,), (THREADS_AT_REST,), arguments, shared_mem=shared)
        return _totals(numbers.get(), blocks)

    def one_by_one(self, tiling: Tiling) -> tuple[float, int]:
        """One launch for each sweep, for graphs of any size; the host does not wait for any of them."""
        cp = cupy()
        blocks = min(tiling.n_tiles, BLOCKS_PER_PROCESSOR * self.engine.n_processors)
        numbers = cp.zeros(blocks + 1, dtype=np.float64)
        shared = tiling.shared_bytes(self.words.itemsize, self.engine.dtype.itemsize, at_rest=False)
        tiles, rows, classes = self.engine.tiles(tiling), self.forces.rows, self.forces.classes
        grid, block = (blocks,), (THREADS_OF_A_SWEEP,)

        def run(name: str, *arguments: Any) -> None:
            function = self._kernel(name)
            function.max_dynamic_shared_size_bytes = shared
            function(grid, block, (tiles, rows, *arguments), shared_mem=shared)

        if classes["strength"] > 0:
            run("first_masses", classes, self.step, self.words[0], self.offsets)
        for sweep in range(self.count):
            words, spare = self.words[sweep % 2], self.words[1 - sweep % 2]
            run(
                "one_sweep", classes, self.step, words, spare, self.offsets, np.int32(sweep), numbers[blocks:]
            )
        run("energy", self.step, self.words[self.count % 2], self.offsets, numbers)
        return _totals(numbers.get(), blocks)

    def _kernel(self, name: str) -> Any:
        word = "int" if self.packing.word is np.int32 else "int64"
        return kernel("sweep.cu", name, REAL=self.engine.real, WORD=word)


def _totals(numbers: Any, blocks: int) -> tuple[float, int]:
    """Energy and class changes of what the blocks wrote."""
    return float(numbers[:blocks].sum()), int(numbers[blocks : blocks + 1].view(np.int64)[0])


def _struct(**fields: Any) -> Any:
    """A C structure of these fields in their order; Python integers stand for pointers."""
    kinds = tuple(
        (name, np.dtype(np.uint64) if isinstance(value, int) else value.dtype)
        for name, value in fields.items()
    )
    return np.array(tuple(fields.values()), dtype=_layout(kinds))


@lru_cache(maxsize=32)
def _layout(kinds: tuple[tuple[str, np.dtype[Any]], ...]) -> np.dtype[Any]:
    return np.dtype(list(kinds), align=True)
