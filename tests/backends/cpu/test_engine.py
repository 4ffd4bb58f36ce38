"""The engine of the CPU against the reference."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwell import Graph
from graphwell._threads import ThreadPool
from graphwell.backends.arrays import HostVectors
from graphwell.backends.base import State
from graphwell.backends.conjugate_gradients import ArraySystem
from graphwell.backends.cpu.backend import Backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cpu.layout import LANES, Packing, SlicedRows
from graphwell.progress import silent
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.reference import ReferenceEngine
from tests.helpers import problems, random_graph, start_of


def test_rows_are_checked_and_linked():
    backend = Backend(n_jobs=1)
    rows = backend.read_rows([[0, 1], [2, 3], [5, 4]], "euclidean")
    assert (rows.n_rows, rows.n_features) == (3, 2)
    graph = backend.build_graph(rows, 1, 1, "euclidean", silent)
    np.testing.assert_array_equal(graph.W.toarray(), Graph.from_features(rows.values, 1, 1).W.toarray())
    assert backend.place(graph) is graph is backend.shown(graph)
    engine = backend.engine(graph)
    assert isinstance(engine, NumbaEngine)
    assert engine.pool.n_threads == 1
    with pytest.raises(ValueError, match="metric must be one of euclidean, cosine"):
        backend.read_rows([[0, 1]], "hamming")


def test_rows_that_no_label_reaches_are_told_the_prior():
    graph = Graph.from_affinity([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    problem = Problem(graph, np.array([1, -1, -1]), 2)
    scores = np.array([[0.0, 2.0], [1.0, 3.0], [5.0, 0.0]])
    prior, classes = np.array([0.3, 0.7]), np.array(["a", "b"])
    rows = Backend().read_rows(np.eye(3), "euclidean")
    found = (HostVectors(), np.array([1, 1, 0]), scores, np.arange(2))
    told = Backend().answers(rows, problem, *found, classes, prior)
    assert told.labels.tolist() == ["b", "b", "b"]
    np.testing.assert_allclose(told.distributions, [[0, 1], [0.25, 0.75], [0.3, 0.7]])
    assert told.reachable.tolist() == [True, True, False]
    assert not told.predictor.takes_features
    nowhere = np.zeros(3, dtype=bool)
    assert told.predictor.least_certain(3, nowhere, nowhere)[0] == 2


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
    engine.release()
    assert "rows" not in vars(engine)
    np.testing.assert_array_equal(engine.product(block), before)


@pytest.mark.parametrize("density", [0.0, 0.01, 0.5])
def test_the_layout_holds_the_matrix(density):
    graph = random_graph(np.random.default_rng(2), 137, density)
    rows = SlicedRows.from_graph(graph, np.float64)
    dense = np.zeros((rows.n_positions, rows.n_positions))
    for s in range(len(rows.starts) - 1):
        for entry in range(rows.starts[s], rows.starts[s + 1]):
            dense[s * LANES + entry % LANES, rows.columns[entry]] += rows.values[entry]
    np.testing.assert_array_equal(dense[:137, :137], graph.S.toarray()[np.ix_(rows.order, rows.order)])


def test_threads_lay_out_the_same():
    graph = random_graph(np.random.default_rng(4), 333, 0.05)
    one, three = (SlicedRows.from_graph(graph, np.float32, ThreadPool(n)) for n in (1, 3))
    for name in ("order", "starts", "columns", "values", "row_sums"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


@pytest.mark.parametrize("n_classes", [1, 2, 64, 65, 5000, 100_000, 2**21])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_word_holds_every_class_and_r(n_classes, dtype):
    packing = Packing.of(n_classes, np.dtype(dtype))
    offsets = np.linspace(-0.5, 0.5, 8, endpoint=False).astype(dtype)
    words = packing.pack(np.full(8, n_classes - 1), offsets)
    assert (packing.labels(words) == n_classes - 1).all()
    r = (words & ((1 << packing.shift) - 1)) / 2.0**packing.shift
    np.testing.assert_array_equal(r, 0.5 - np.abs(offsets.astype(float)))
    assert packing.shift >= 15


@pytest.mark.parametrize("width", [1, 2, 4, 5, 8, 13])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_width_is_multiplied(width, dtype):
    rng = np.random.default_rng(width)
    graph = random_graph(rng, 90, 0.1)
    block = rng.normal(size=(90, width))
    found = NumbaEngine(graph, dtype=dtype).product(block)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, graph.S.toarray() @ block, atol=1e-5 if dtype == np.float32 else 1e-13)
