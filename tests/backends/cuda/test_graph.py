"""The graph on a GPU is that of the CPU."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell import Graph
from graphwell.backends.cuda import CudaGraph
from graphwell.backends.cuda._cupy import cupy
from graphwell.backends.cuda.graph import FetchedGraph
from tests.conftest import why_no_gpu
from tests.helpers import chain, problems

needs_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU")


@needs_gpu
@settings(max_examples=30, deadline=None)
@given(problems())
def test_what_solvers_ask_of_a_graph(case):
    problem, _ = case
    graph, there = problem.graph, CudaGraph.of(problem.graph)
    np.testing.assert_array_equal(cupy().asnumpy(there.degrees), graph.degrees)
    np.testing.assert_allclose(cupy().asnumpy(there.matrix.row_sums), graph.degrees, rtol=1e-14)
    np.testing.assert_array_equal(cupy().asnumpy(there.components), graph.components)
    np.testing.assert_allclose(there.matrix.normalised().to_host().toarray(), graph.S.toarray(), rtol=1e-14)
    sharper = there.sharpened(2)
    np.testing.assert_array_equal(sharper.W.toarray(), graph.sharpened(2).W.toarray())
    np.testing.assert_allclose(cupy().asnumpy(sharper.degrees), graph.sharpened(2).degrees, rtol=1e-14)
    if problem.is_known.any():
        found = cupy().asnumpy(there.nearest(cupy().asarray(problem.is_known)))
        np.testing.assert_array_equal(np.maximum(found, -1), np.maximum(graph.nearest(problem.is_known), -1))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_graphs_are_those_of_the_cpu(gpu, monkeypatch, metric, dtype):
    monkeypatch.setattr("graphwell.backends.cuda.search.LARGEST_TILE", 4 * 500 * 300)
    monkeypatch.setattr("graphwell.backends.cuda.search.COLUMNS_OF_A_TILE", 500)
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(1500, 20)) + 100).astype(dtype)
    X[200:230] = X[100:130]  # duplicates
    X[300:320] = X[300]
    expected = Graph.from_features(X, n_neighbors=7, scale_neighbor=5, metric=metric)
    found = Graph.from_features(X, n_neighbors=7, scale_neighbor=5, metric=metric, device="cuda")
    difference = abs(found.W - expected.W)
    assert (difference > 1e-6).nnz <= 0.01 * expected.W.nnz  # ties among the duplicates
    assert found.W.dtype == expected.W.dtype == np.float32
    assert found.W.diagonal().sum() == 0
    new = X[:40] + dtype(0.25)
    # Columns are summed in the order of their content on the CPU: single precision rounds otherwise.
    rounding = 1e-5 if metric == "cosine" and dtype is np.float32 else 1e-7
    np.testing.assert_allclose(
        found.affinity_to(new).toarray(), expected.affinity_to(new).toarray(), rtol=rounding, atol=1e-9
    )


@pytest.mark.parametrize("k", [1, 30, 40, 130])
def test_any_number_of_neighbours(gpu, k):
    X = np.random.default_rng(4).normal(size=(700, 12))
    expected = Graph.from_features(X, n_neighbors=k, scale_neighbor=3)
    found = Graph.from_features(X, n_neighbors=k, scale_neighbor=3, device="cuda")
    np.testing.assert_allclose(found.W.toarray(), expected.W.toarray(), rtol=1e-6, atol=0)


def test_a_graph_is_copied_once_and_fetched_when_asked_for(gpu):
    graph = chain(1.0, 2.0)
    there = CudaGraph.of(graph)
    assert CudaGraph.of(there) is there
    shown = FetchedGraph(there)
    assert CudaGraph.of(shown) is there
    np.testing.assert_array_equal(shown.W.toarray(), graph.W.toarray())
    assert isinstance(shown.degrees, np.ndarray)
    assert isinstance(there.degrees, gpu.ndarray)


def test_bridges_are_those_of_the_cpu_and_can_be_taken_away(gpu):
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(size=(60, 3)) + 100 * i for i in range(4)])
    known = np.arange(240) == 0
    expected = Graph.from_features(X).bridged(known)
    there = CudaGraph.of(Graph.from_features(X, device="cuda"))
    found = there.bridged(cupy().asarray(known))
    assert found.n_components == 1
    for name in ("near", "far", "rows"):
        np.testing.assert_array_equal(getattr(found.bridges, name), getattr(expected.bridges, name))
    np.testing.assert_allclose(found.W.toarray(), expected.W.toarray(), atol=1e-6)
    np.testing.assert_array_equal(found.unbridged.W.toarray(), there.W.toarray())
    assert found.bridged(cupy().ones(240, dtype=bool)).bridges is None
    shown = FetchedGraph(found)
    assert shown.bridges is found.bridges
    assert (shown.unbridged.W != there.W).nnz == 0
