"""The search on a GPU where memory is short, and where cuVS helps."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.cuda.search import CudaSearch


def test_tiles_shrink_when_memory_is_short(gpu, monkeypatch):
    sizes, by_tiles = [], CudaSearch._by_tiles

    def short_of_memory(self, rows, kept, tile_bytes):
        sizes.append(tile_bytes)
        if tile_bytes > 1 << 24:
            raise gpu.cuda.memory.OutOfMemoryError(tile_bytes, 0, 0)
        return by_tiles(self, rows, kept, tile_bytes)

    X = np.random.default_rng(0).normal(size=(3000, 10))
    expected = Graph.from_features(X, device="cuda").W
    monkeypatch.setattr(CudaSearch, "_by_tiles", short_of_memory)
    assert abs(Graph.from_features(X, device="cuda").W - expected).nnz == 0
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1 << 24 < sizes[0]


def test_cuvs_finds_the_candidates_of_large_sets(gpu, monkeypatch):
    # Stands in for the library: true candidates, with the last of each row lost.
    def by_cuvs(points, kept):
        found = CudaSearch(points)._by_tiles(points, kept, 1 << 24)
        found[:, -1] = found[:, 0]
        return found

    monkeypatch.setattr("graphwell.backends.cuda.search.CUVS_FROM", 1000)
    monkeypatch.setattr("graphwell.backends.cuda.search._by_cuvs", by_cuvs)
    X = np.random.default_rng(0).normal(size=(2000, 10))
    graph = Graph.from_features(X, device="cuda")
    assert graph.recall_ == pytest.approx(14 / 15)
    expected = Graph.from_features(X)
    assert (abs(graph.W - expected.W) > 1e-6).nnz == 0  # spare candidates make up for it
