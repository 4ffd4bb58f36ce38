"""The CPU engine: the bits of the reference in double precision, and no bit changed by threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwell.backends.arrays import ArrayEngine
from graphwell.backends.base import State
from graphwell.backends.conjugate_gradients import ArraySystem
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.reference import ReferenceEngine
from tests.helpers import problems, random_graph, start_of


@settings(max_examples=60, deadline=None)
@given(problems())
def test_double_precision_gives_the_bits_of_the_reference(case):
    problem, rng = case
    start = start_of(problem, rng)
    expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 25)
    found = NumbaEngine(problem.graph, dtype=np.float64).sweep(problem, start, 1.1, 0.05, 25)
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_array_equal(found.state.offsets, expected.state.offsets)
    assert found.label_changes == expected.label_changes
    assert found.energy == pytest.approx(expected.energy, rel=1e-12, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(problems(beyond_the_paper=True))
def test_double_precision_follows_the_reference_beyond_the_paper(case):
    problem, rng = case
    start = start_of(problem, rng)
    expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 15)
    found = NumbaEngine(problem.graph, dtype=np.float64).sweep(problem, start, 1.1, 0.05, 15)
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_allclose(found.state.offsets, expected.state.offsets, atol=1e-10)
    assert found.label_changes == expected.label_changes


@settings(max_examples=20, deadline=None)
@given(problems())
def test_products_are_those_of_the_matrix(case):
    problem, rng = case
    block = rng.normal(size=(problem.graph.n_vertices, 3))
    expected = problem.graph.S.toarray() @ block
    np.testing.assert_allclose(ReferenceEngine(problem.graph).product(block), expected, atol=1e-12)
    np.testing.assert_allclose(
        NumbaEngine(problem.graph, dtype=np.float64).product(block), expected, atol=1e-12
    )
    np.testing.assert_allclose(NumbaEngine(problem.graph).product(block), expected, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(problems())
def test_single_precision_stays_close_to_the_reference(case):
    problem, rng = case
    labels = start_of(problem, rng).labels
    start = State(labels, rng.uniform(-0.4, 0.4, len(labels)))  # at 0 the sign of a rounding error decides
    expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 5)
    found = NumbaEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 5)
    same = found.state.labels == expected.state.labels
    assert same.mean() >= 0.9
    if same.all():
        np.testing.assert_allclose(found.state.offsets, expected.state.offsets, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_number_of_threads_changes_no_bit(threads, monkeypatch):
    monkeypatch.setattr("graphwell.backends.cpu.engine.ENTRIES_PER_THREAD", 1)
    rng = np.random.default_rng(1)
    graph = random_graph(rng, 3000, 0.004)
    problem = Problem(graph, np.where(rng.random(3000) < 0.1, rng.integers(5, size=3000), -1), 5)
    start = start_of(problem, rng)
    one = NumbaEngine(graph, n_jobs=1).sweep(problem, start, 1.0, 0.05, 30)
    many = NumbaEngine(graph, n_jobs=threads).sweep(problem, start, 1.0, 0.05, 30)
    np.testing.assert_array_equal(one.state.labels, many.state.labels)
    np.testing.assert_array_equal(one.state.offsets, many.state.offsets)
    assert one.energy == many.energy
    assert one.label_changes == many.label_changes


def test_an_engine_can_be_used_from_several_threads_at_once():
    rng = np.random.default_rng(3)
    graph = random_graph(rng, 500, 0.02)
    problem = Problem(graph, np.where(rng.random(500) < 0.1, rng.integers(3, size=500), -1), 3)
    start = start_of(problem, rng)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: NumbaEngine(graph).sweep(problem, start, 1.0, 0.05, 50), range(8)))
    for run in runs[1:]:
        np.testing.assert_array_equal(run.state.offsets, runs[0].state.offsets)


@pytest.mark.parametrize("balance", [None, Balance(0.3, np.full(3, 1 / 3))])
def test_sweeps_of_any_number_of_threads_have_the_same_bits(monkeypatch, balance):
    from graphwell.backends.cpu import engine as numba_

    monkeypatch.setattr(numba_, "ENTRIES_PER_THREAD", 1)
    rng = np.random.default_rng(4)
    graph = random_graph(rng, 1200, 0.01)
    labels = np.where(rng.random(1200) < 0.1, rng.integers(3, size=1200), -1)
    problem = Problem(graph, labels, 3, balance=balance, implicit=True)
    start = start_of(problem, rng)
    one, *others = (NumbaEngine(graph, n_jobs=n).sweep(problem, start, 0.9, 0.2, 25) for n in (1, 2, 3, 8))
    monkeypatch.setattr(numba_, "ENTRIES_AT_ONCE", 7 * graph.W.nnz)
    others.append(NumbaEngine(graph, n_jobs=2).sweep(problem, start, 0.9, 0.2, 25))
    for other in others:
        np.testing.assert_array_equal(other.state.labels, one.state.labels)
        np.testing.assert_array_equal(other.state.offsets, one.state.offsets)
        assert (other.energy, other.label_changes) == (one.energy, one.label_changes)


def test_several_fits_at_once_do_not_block_each_other(monkeypatch):
    monkeypatch.setattr("graphwell.backends.cpu.engine.ENTRIES_PER_THREAD", 1)
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 600, 0.02)
    problem = Problem(graph, np.where(rng.random(600) < 0.1, rng.integers(3, size=600), -1), 3)
    start = start_of(problem, rng)
    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(NumbaEngine(graph).sweep, problem, start, 1.0, 0.05, 50) for _ in range(12)]
        runs = [job.result(timeout=120) for job in jobs]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.state.offsets, runs[0].state.offsets)


@settings(max_examples=20, deadline=None)
@given(problems(max_vertices=60), st.sampled_from([1, 3, 12, 27]))
def test_a_fused_system_does_what_plain_arrays_do(case, width):
    problem, rng = case
    n = problem.graph.n_vertices
    scaling, b, step = rng.random(n), rng.normal(size=(n, width)), rng.random(width)
    engine = NumbaEngine(problem.graph, dtype=np.float64)
    plain = ArraySystem(lambda block: problem.graph.S @ block, scaling)
    results = []
    for system in (plain, engine.system(scaling)):
        r = system.enter(b)
        x, p, image = np.zeros_like(r), r.copy(), np.empty_like(r)
        wide = np.zeros(r.shape[1])
        wide[:width] = step
        sums = [system.apply(p, image), system.advance(x, r, p, image, wide)]
        system.turn(p, r, wide)
        results.append([*(s[:width] for s in sums), *(system.leave(v)[:, :width] for v in (x, r, p, image))])
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-10)


def test_the_fused_system_is_the_one_that_is_used():
    assert NumbaEngine.system is not ArrayEngine.system


def test_a_column_is_solved_alone_as_it_is_beside_others():
    rng = np.random.default_rng(4)
    graph = random_graph(rng, 60, 0.2)
    engine, scaling = NumbaEngine(graph), np.where(rng.random(60) < 0.2, 0.0, 0.9)
    b = rng.normal(size=(60, 9)).astype(np.float32)
    together = engine.solve(scaling, b.copy())
    alone = [engine.solve(scaling, b[:, [c, c]].copy()) for c in range(9)]
    for c, one in enumerate(alone):
        np.testing.assert_array_equal(together.x[:, c], one.x[:, 0])
    assert together.iterations == max(one.iterations for one in alone)
    expected = np.linalg.solve(np.eye(60) - scaling[:, None] * graph.S.toarray() * scaling, b.astype(float))
    np.testing.assert_allclose(together.x, expected, atol=2e-3 * np.abs(expected).max())


def test_an_engine_that_rested_works_as_before():
    rng = np.random.default_rng(5)
    engine = NumbaEngine(random_graph(rng, 40, 0.3))
    block = rng.random((40, 5), dtype=np.float32)
    before = engine.product(block)
    engine.rest()
    assert "rows" not in vars(engine)
    np.testing.assert_array_equal(engine.product(block), before)
