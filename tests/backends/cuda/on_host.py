"""The kernels of the search as slow loops of NumPy, and NumPy in the place of CuPy.

Whoever has no GPU checks with these what surrounds the kernels; on a GPU the kernels are held to them.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from graphwell.backends.cuda import cells, groups, matrix, points, row_tiles, search
from graphwell.backends.cuda._cupy import Limits


class Lent(np.ndarray):
    """An array of the host that counts as one of the GPU."""

    def get(self) -> Any:
        return np.asarray(self)


class HostCupy:
    """NumPy under the names of CuPy."""

    ndarray = Lent
    cuda = SimpleNamespace(memory=SimpleNamespace(OutOfMemoryError=MemoryError))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def asnumpy(self, array: Any) -> Any:
        return np.asarray(array)

    def asarray(self, values: Any, dtype: Any = None) -> Any:
        return np.array(values, dtype=dtype).view(Lent)

    def ascontiguousarray(self, values: Any, dtype: Any = None) -> Any:
        return np.ascontiguousarray(values, dtype=dtype).view(Lent)

    def empty(self, shape: Any, dtype: Any = float) -> Any:
        return np.full(shape, -7, dtype=dtype).view(Lent)


def scan_cells(
    rows: Any, row_order: Any, tile_starts: Any, points: Any, order: Any, cell_starts: Any, visit_starts: Any,
    visits: Any, centres: Any, centre_of_tile: Any, scale: Any, dimension: int, kept: int, found: Any,
) -> None:  # fmt: skip
    """Of the points in the cells that a row's tile visits, the nearest by distance, then by number."""
    for tile in range(len(tile_starts) - 1):
        visited = visits[visit_starts[tile] : visit_starts[tile + 1]]
        members = np.concatenate([order[cell_starts[c] : cell_starts[c + 1]] for c in visited])
        assert len(np.unique(members)) == len(members)
        for row in row_order[tile_starts[tile] : tile_starts[tile + 1]]:
            apart = (((points[members] - rows[row]) * scale).astype(np.float32) ** 2).sum(axis=1)
            near = members[np.lexsort((members, apart))][:kept]
            found[row] = -1
            found[row, : len(near)] = near


def cell_means(rows: Any, order: Any, starts: Any, centres: Any, dimension: int) -> None:
    for cell in range(len(centres)):
        members = order[starts[cell] : starts[cell + 1]]
        if len(members):
            centres[cell] = rows[members].mean(axis=0, dtype=np.float64)


def keep_smallest(
    tile: Any, n_rows: int, n_columns: int, begin: int, distances: Any, indices: Any, kept: int, first: int
) -> None:
    for row in range(n_rows):
        old = (
            [] if first else [pair for pair in zip(distances[row], indices[row], strict=True) if pair[1] >= 0]
        )
        pairs = sorted(old + list(zip(tile[row], range(begin, begin + n_columns), strict=True)))[:kept]
        distances[row], indices[row] = np.inf, -1
        distances[row, : len(pairs)], indices[row, : len(pairs)] = np.transpose(pairs)


def nearest_of_candidates(
    rows: Any, points: Any, candidates: Any, own: Any, n_rows: int, dimension: int, kept: int, k: int,
    indices: Any, distances: Any,
) -> None:  # fmt: skip
    for row in range(n_rows):
        others = candidates[row][(candidates[row] != own[row]) & (candidates[row] >= 0)]
        apart = np.sqrt(((points[others].astype(float) - rows[row].astype(float)) ** 2).sum(axis=1))
        first = np.argsort(apart, kind="stable")[:k]
        indices[row, : len(first)], distances[row, : len(first)] = others[first], apart[first]


def column_bounds(
    rows: Any, n_rows: int, dimension: int, lanes: int, sums: Any, lows: Any, highs: Any
) -> None:
    sums[:], lows[:], highs[:] = 0, rows.min(axis=0), rows.max(axis=0)
    sums[-1] = rows.sum(axis=0, dtype=np.float64)


KERNELS = {
    kernel.__name__: kernel
    for kernel in (
        scan_cells,
        cell_means,
        keep_smallest,
        nearest_of_candidates,
        column_bounds,
    )
}


def stand_in(monkeypatch: pytest.MonkeyPatch) -> HostCupy:
    """Let the search run without a GPU; return what stands in for CuPy."""
    library = HostCupy()

    def kernel(file: str, name: str, **macros: Any) -> Any:
        def run(grid: Any, block: Any, arguments: Any, shared_mem: int = 0) -> None:
            KERNELS[name](*arguments)

        return run

    for module in (cells, groups, matrix, points, row_tiles, search):
        monkeypatch.setattr(module, "cupy", lambda: library)
    for module in (cells, search, points):
        monkeypatch.setattr(module, "cuda_kernel", kernel)
    for module in (cells, search):
        monkeypatch.setattr(module, "memory_in_words", lambda *said, **less: np.errstate())
    monkeypatch.setattr(cells, "gpu_limits", lambda: Limits(1, 1 << 18, True))
    for module in (search, points):
        monkeypatch.setattr(module, "free_memory", lambda: 1 << 34)
    return library
