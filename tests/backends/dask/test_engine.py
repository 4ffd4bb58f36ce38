"""Sweeps in blocks have the bits of the CPU engine; products and starts are those of one machine."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from graphwell.solve import start as harmonic
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.schedule import stable_step
from graphwell.solve.start import random_start
from tests.backends.dask.cases import rounds_of
from tests.helpers import columns_of, random_graph, start_of

pytestmark = pytest.mark.slow  # a fit or two on a cluster each


def case(n_classes=3, n=240, density=0.03, seed=0):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, density)
    return graph, np.where(rng.random(n) < 0.1, rng.integers(n_classes, size=n), -1), rng


def across(client, graph, n_blocks, rng):
    return DaskGraph.from_graph(Tasks(client), graph, n_blocks, rng.permutation(graph.n_vertices))


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 8])
@pytest.mark.parametrize("beyond_the_paper", [False, True])
def test_sweeps_have_the_bits_of_the_cpu_engine(client, n_blocks, beyond_the_paper):
    graph, labels, rng = case()
    balance = Balance(3.0, rng.dirichlet(np.ones(3))) if beyond_the_paper else None
    options = {"balance": balance, "implicit": beyond_the_paper, "n_classes": 3}
    problem = Problem(graph, labels, **options)
    state = start_of(problem, rng)
    expected = NumbaEngine(graph).sweep(problem, state, 1.1, 0.3, 6)
    many = across(client, graph, n_blocks, rng)
    found = DaskEngine(many).sweep(Problem(many, labels, **options), state, 1.1, 0.3, 6)
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_array_equal(found.state.offsets, expected.state.offsets)
    assert found.label_changes == expected.label_changes > 0
    assert found.energy == pytest.approx(expected.energy, rel=1e-9)


def test_a_step_of_the_descent_and_a_linear_system_are_one_round_of_tasks_each(client, monkeypatch):
    graph, labels, rng = case()
    many = across(client, graph, 2, rng)
    problem, engine = Problem(many, labels, 3), DaskEngine(many)
    state = start_of(Problem(graph, labels, 3), rng)
    rounds = rounds_of(client, monkeypatch)
    for _ in range(3):
        state = engine.sweep(problem, state, 1.1, 0.3, 2).state
    assert len(rounds) == 3
    values = engine.scaled(engine.indicator(labels.clip(0), np.ones(240), 3), np.full(240, 0.5))
    engine.solve(np.full(240, 0.5), values)
    assert len(rounds) == 4


def test_many_classes_and_isolated_vertices(client):
    graph, labels, rng = case(n_classes=100, density=0.004)
    assert len(graph.isolated)
    problem = Problem(graph, labels, 100)
    state = start_of(problem, rng)
    expected = NumbaEngine(graph).sweep(problem, state, 1.1, 0.1, 4).state
    many = across(client, graph, 3, rng)
    found = DaskEngine(many).sweep(Problem(many, labels, 100), state, 1.1, 0.1, 4).state
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.offsets, expected.offsets)


@pytest.mark.parametrize("density", [0.015, 0.05])
def test_starts_are_those_of_one_machine(client, density):
    graph, labels, rng = case(density=density)
    problem = Problem(graph, labels, 3)
    many = across(client, graph, 3, rng)
    on_cluster = Problem(many, labels, 3)
    one, engine = NumbaEngine(graph), DaskEngine(many)
    np.testing.assert_array_equal(engine.nearest(labels), one.nearest(labels))
    for scores in (harmonic.laplace_scores, harmonic.diffusion_scores):
        expected, found = scores(problem, one), scores(on_cluster, engine)
        np.testing.assert_allclose(columns_of(engine, found.values), expected.values, atol=2e-3)
        assert found.residual <= 1e-4
    random = random_start(on_cluster, engine, np.random.default_rng(5)).state
    expected = random_start(problem, one, np.random.default_rng(5)).state
    np.testing.assert_array_equal(random.offsets, expected.offsets)


def test_the_stable_step_is_that_of_one_machine(client):
    graph, _, rng = case(density=0.3)
    expected = stable_step(NumbaEngine(graph))
    assert stable_step(DaskEngine(across(client, graph, 2, rng))) == pytest.approx(expected, rel=1e-5)
    empty = Graph.from_affinity(np.zeros((20, 20)))
    assert stable_step(DaskEngine(across(client, empty, 2, rng))) == 0.4
