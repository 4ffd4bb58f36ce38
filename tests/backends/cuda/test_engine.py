"""The engine on a GPU against that of the CPU."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell import Graph
from graphwell.backends import State
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda import CudaEngine, CudaGraph
from graphwell.backends.cuda.plan import Plan
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.start import STARTS
from tests.conftest import why_no_gpu
from tests.helpers import GpuEngineOnHost, problems, random_graph, start_of

needs_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU")


def assert_same(found, expected, atol=0.0):
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_allclose(found.state.offsets, expected.state.offsets, rtol=0, atol=atol)
    assert found.label_changes == expected.label_changes
    assert found.energy == pytest.approx(expected.energy, rel=1e-5, abs=1e-6)


def one_launch_per_sweep(monkeypatch):
    """Pretend that no tile fits into the shared memory of a processor."""
    monkeypatch.setattr(Plan, "_rest", lambda self: False)


@needs_gpu
@settings(max_examples=40, deadline=None)
@given(problems(beyond_the_paper=True))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sweeps_have_the_bits_of_the_cpu(dtype, case):
    problem, rng = case
    start = start_of(problem, rng)
    expected = NumbaEngine(problem.graph, dtype=dtype).sweep(problem, start, 1.1, 0.05, 7)
    found = GpuEngineOnHost(problem.graph, dtype=dtype).sweep(problem, start, 1.1, 0.05, 7)
    assert_same(found, expected, atol=1e-6 if problem.balance else 0.0)


@pytest.mark.parametrize("at_rest", [True, False])
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("n_classes", [3, 100, 70_000])
def test_larger_graphs_with_hubs(gpu, monkeypatch, at_rest, balanced, n_classes):
    if not at_rest:
        one_launch_per_sweep(monkeypatch)
    rng = np.random.default_rng(5)
    n = 5000
    W = random_graph(rng, n, 0.002).W.tolil()
    for hub in (7, 4321):  # rows too long for a slice
        for j in rng.choice(n, 700, replace=False):
            if j != hub:
                W[hub, j] = W[j, hub] = 0.1 + rng.random()
    graph = Graph.from_affinity(W.tocsr())
    labels = np.where(rng.random(n) < 0.1, rng.integers(min(n_classes, 50), size=n), -1)
    balance = Balance(0.3, np.full(n_classes, 1 / n_classes)) if balanced else None
    problem = Problem(graph, labels, n_classes, balance=balance, implicit=True)
    start = start_of(problem, rng)
    expected = NumbaEngine(graph).sweep(problem, start, 0.8, 0.3, 12)
    found = GpuEngineOnHost(graph).sweep(problem, start, 0.8, 0.3, 12)
    assert (found.state.labels == expected.state.labels).mean() > 0.999
    assert found.label_changes == pytest.approx(expected.label_changes, rel=1e-3)
    assert found.energy == pytest.approx(expected.energy, rel=1e-4)
    again = GpuEngineOnHost(graph).sweep(problem, start, 0.8, 0.3, 12)
    np.testing.assert_array_equal(again.state.offsets, found.state.offsets)
    assert again.energy == found.energy


@needs_gpu
@settings(max_examples=20, deadline=None)
@given(problems())
def test_products_have_the_bits_of_the_cpu(case):
    problem, rng = case
    for width in (1, 3, 8):
        block = rng.normal(size=(problem.graph.n_vertices, width))
        for dtype in (np.float32, np.float64):
            expected = NumbaEngine(problem.graph, dtype=dtype).product(block)
            np.testing.assert_array_equal(
                GpuEngineOnHost(problem.graph, dtype=dtype).product(block), expected
            )


def test_numbers_of_sweeps_on_the_gpu_are_promises(gpu):
    graph = CudaGraph.of(random_graph(np.random.default_rng(6), 200, 0.05))
    problem = Problem(graph, gpu.asarray(np.arange(200) % 50 - 47), 3)
    engine = CudaEngine(graph)
    start = STARTS["random"].find(problem, engine, np.random.default_rng(0)).state
    first = engine.sweep(problem, start, 1.0, 0.05, 30)
    second = engine.sweep(problem, first.state, 1.0, 0.05, 30)
    again = engine.sweep(problem, start, 1.0, 0.05, 30)
    assert float(second.energy) < float(first.energy) == float(again.energy)
    assert int(first.label_changes) == int(again.label_changes) > 0


def test_one_step_by_hand_on_the_gpu(gpu):
    graph = Graph.from_affinity([[0, 1], [1, 0]])
    start = State(np.array([0, 1]), np.array([0.0, 0.25]))
    swept = GpuEngineOnHost(graph).sweep(Problem(graph, np.array([0, -1]), 2), start, 1.0, 0.1, 1)
    np.testing.assert_allclose(swept.state.offsets, [0.075, 0.25 + 0.1 * (0.75 - 0.09375)], rtol=1e-6)
