"""Every engine against hand-solved cases and against the reference."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell.backends import State
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cpu.layout import LANES, SlicedRows
from graphwell.backends.cpu.packing import Packing
from graphwell.model import multiclass_energy, multiclass_gradient
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine
from tests.helpers import chain, problems, random_graph, start_of


def test_one_step_by_hand(engine):
    # S = 1 between the two. Vertex 1: r = 0.25, r_0 = 0.5, classes differ, so its pull is 0.75 upwards;
    # F' = 0.25 * 0.75 * 0.5. Vertex 0 sits on its label: only the pull acts.
    graph = chain(1.0)
    problem = Problem(graph, np.array([0, -1]), n_classes=2)
    start = State(np.array([0, 1]), np.array([0.0, 0.25]))
    state = engine(graph).sweep(problem, start, epsilon=1.0, step_size=0.1, count=1).state
    np.testing.assert_allclose(state.offsets, [0.075, 0.25 + 0.1 * (0.75 - 0.09375)], rtol=1e-6)
    assert state.labels.tolist() == [0, 1]


def test_a_vertex_that_crosses_takes_the_class_of_its_neighbours_and_keeps_the_offset(engine):
    # The middle of three: both neighbours are class 2, it is class 0 at 0.49 and pushed over 1/2.
    graph = chain(1.0, 1.0)
    problem = Problem(graph, np.array([2, -1, 2]), n_classes=3)
    start = State(np.array([2, 0, 2]), np.array([0.0, 0.49, 0.0]))
    swept = engine(graph).sweep(problem, start, epsilon=1.0, step_size=0.05, count=1)
    s = 1 / np.sqrt(2)
    pull = 2 * s * (0.01 + 0.5)
    moved = 0.49 + 0.05 * (pull - 0.49 * 0.51 * 0.02)
    assert swept.state.labels.tolist() == [2, 2, 2]
    assert swept.state.offsets[1] == pytest.approx(moved - 1, rel=1e-5)
    assert swept.label_changes == 1


def test_majority_counts_weight_times_r(engine):
    # Vertex 0 has three neighbours: two of class 1 close to the boundary, one of class 2 at its integer.
    W = np.zeros((4, 4))
    W[0, 1:] = W[1:, 0] = 1.0
    from graphwell import Graph

    graph = Graph.from_affinity(W)
    problem = Problem(graph, np.full(4, -1), n_classes=3)
    start = State(np.array([0, 1, 1, 2]), np.array([0.499, 0.4, 0.4, 0.0]))
    swept = engine(graph).sweep(problem, start, epsilon=1.0, step_size=0.05, count=1)
    assert swept.state.labels[0] == 2


def test_a_state_on_the_integers_of_one_class_does_not_move(engine):
    graph = random_graph(np.random.default_rng(0), 30, 0.2)
    problem = Problem(graph, np.full(30, -1), n_classes=4)
    start = State(np.full(30, 3), np.zeros(30))
    swept = engine(graph).sweep(problem, start, epsilon=1.0, step_size=0.1, count=20)
    np.testing.assert_allclose(swept.state.offsets, 0, atol=1e-5)
    assert swept.energy == pytest.approx(0, abs=1e-6)


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
    start = start_of(problem, rng)
    expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 5)
    found = NumbaEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 5)
    same = found.state.labels == expected.state.labels
    assert same.mean() >= 0.9
    if same.all():
        np.testing.assert_allclose(found.state.offsets, expected.state.offsets, atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(problems())
def test_a_sweep_follows_the_gradient_of_the_model(case):
    problem, rng = case
    start = start_of(problem, rng)
    u = start.labels + start.offsets
    terms = (problem.graph.S, 0.8, problem.fidelities, problem.known)
    swept = ReferenceEngine(problem.graph).sweep(problem, start, 0.8, 1e-3, 1)
    stayed = swept.state.labels == start.labels
    moved = (swept.state.labels + swept.state.offsets - u)[stayed]
    small = np.abs(moved) < 0.4
    np.testing.assert_allclose(
        moved[small], (-1e-3 * multiclass_gradient(u, *terms))[stayed][small], atol=1e-12
    )
    after = swept.state.labels + swept.state.offsets
    assert swept.energy == pytest.approx(multiclass_energy(after, *terms), rel=1e-9, abs=1e-12)


def test_many_classes_and_hubs(engine):
    # A star of 300 leaves, each its own class: the hub cannot please more than one.
    n = 301
    W = np.zeros((n, n))
    W[0, 1:] = W[1:, 0] = np.linspace(1, 2, n - 1)
    from graphwell import Graph

    graph = Graph.from_affinity(W)
    labels = np.concatenate([[-1], np.arange(n - 1)])
    problem = Problem(graph, labels, n_classes=n - 1)
    start = State(np.concatenate([[0], np.arange(n - 1)]), np.concatenate([[0.4], np.zeros(n - 1)]))
    swept = engine(graph).sweep(problem, start, epsilon=1.0, step_size=0.05, count=3)
    assert swept.state.labels[0] == n - 2


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


@pytest.mark.parametrize("density", [0.0, 0.01, 0.5])
def test_the_layout_holds_the_matrix(density):
    graph = random_graph(np.random.default_rng(2), 137, density)
    rows = SlicedRows.from_graph(graph, np.float64)
    dense = np.zeros((rows.n_positions, rows.n_positions))
    for s in range(len(rows.starts) - 1):
        for entry in range(rows.starts[s], rows.starts[s + 1]):
            dense[s * LANES + entry % LANES, rows.columns[entry]] += rows.values[entry]
    np.testing.assert_array_equal(dense[:137, :137], graph.S.toarray()[np.ix_(rows.order, rows.order)])


def test_an_engine_can_be_used_from_several_threads_at_once():
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(3)
    graph = random_graph(rng, 500, 0.02)
    problem = Problem(graph, np.where(rng.random(500) < 0.1, rng.integers(3, size=500), -1), 3)
    start = start_of(problem, rng)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: NumbaEngine(graph).sweep(problem, start, 1.0, 0.05, 50), range(8)))
    for run in runs[1:]:
        np.testing.assert_array_equal(run.state.offsets, runs[0].state.offsets)
