"""Sweeps in blocks have the bits of the CPU engine; products and starts are those of one machine."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.dask import harmonic, start
from graphwell.backends.dask.engine import ClusterEngine
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.recipe import stable_step
from graphwell.backends.dask.tasks import Tasks
from graphwell.solve import harmonic as one_harmonic
from graphwell.solve import recipe as one_recipe
from graphwell.solve import start as one_start
from graphwell.solve.problem import Balance, Problem
from tests.helpers import random_graph, start_of


def case(n_classes=3, n=240, density=0.03, seed=0):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, density)
    return graph, np.where(rng.random(n) < 0.1, rng.integers(n_classes, size=n), -1), rng


def across(client, graph, n_blocks, rng):
    return ClusterGraph.from_graph(Tasks(client), graph, n_blocks, rng.permutation(graph.n_vertices))


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
    found = ClusterEngine(many).sweep(Problem(many, labels, **options), state, 1.1, 0.3, 6)
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_array_equal(found.state.offsets, expected.state.offsets)
    assert found.label_changes == expected.label_changes > 0
    assert found.energy == pytest.approx(expected.energy, rel=1e-9)


def test_many_classes_and_isolated_vertices(client):
    graph, labels, rng = case(n_classes=100, density=0.004)
    assert len(graph.isolated)
    problem = Problem(graph, labels, 100)
    state = start_of(problem, rng)
    expected = NumbaEngine(graph).sweep(problem, state, 1.1, 0.1, 4).state
    many = across(client, graph, 3, rng)
    found = ClusterEngine(many).sweep(Problem(many, labels, 100), state, 1.1, 0.1, 4).state
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.offsets, expected.offsets)


@pytest.mark.parametrize("density", [0.015, 0.05])
def test_starts_are_those_of_one_machine(client, density):
    graph, labels, rng = case(density=density)
    problem = Problem(graph, labels, 3)
    many = across(client, graph, 3, rng)
    on_cluster = Problem(many, labels, 3)
    engine = NumbaEngine(graph)
    np.testing.assert_array_equal(start.nearest_labels(on_cluster, many), one_start.nearest_labels(problem))
    for name in ("laplace_scores", "diffusion_scores"):
        expected = getattr(one_harmonic, name)(problem, engine)
        found = getattr(harmonic, name)(on_cluster, many)
        values = many.joined(many.tasks.results(found.values))
        np.testing.assert_allclose(values, expected.values, atol=2e-3)
        assert found.residual <= 1e-4
    random = start.random_start(on_cluster, many, np.random.default_rng(5)).state
    expected = one_start.random_start(problem, engine, np.random.default_rng(5)).state
    np.testing.assert_array_equal(random.offsets, expected.offsets)


def test_the_stable_step_is_that_of_one_machine(client):
    graph, _, rng = case(density=0.3)
    expected = one_recipe.stable_step(graph, NumbaEngine(graph))
    assert stable_step(across(client, graph, 2, rng)) == pytest.approx(expected, rel=1e-5)
    empty = Graph.from_affinity(np.zeros((20, 20)))
    assert stable_step(across(client, empty, 2, rng)) == 0.4


def test_what_moves_between_blocks_is_the_boundary_alone(client):
    chain = np.diag(np.ones(99), 1)
    many = ClusterGraph.from_graph(Tasks(client), Graph.from_affinity(chain + chain.T), 4)
    assert many.halos == [((1,), 1), ((0, 2), 2), ((1, 3), 2), ((2,), 1)]
    boundaries = many.tasks.results(many.boundaries)
    assert [b.tolist() for b in boundaries] == [[24], [0, 24], [0, 24], [0]]


def test_a_task_that_finds_nothing_of_the_one_before_changes_nothing(client, monkeypatch):
    graph, labels, rng = case()
    problem = Problem(graph, labels, 3)
    state = start_of(problem, rng)
    many = across(client, graph, 2, rng)
    on_cluster, engine = Problem(many, labels, 3), ClusterEngine(many)
    scores = harmonic.laplace_scores(on_cluster, many)
    for module in ("sweep", "linear"):
        monkeypatch.setattr(f"graphwell.backends.dask.{module}.stash", lambda *_: None)
    expected = NumbaEngine(graph).sweep(problem, state, 1.1, 0.3, 2).state
    for displaced in (1, 2):
        found = engine.sweep(on_cluster, state, 1.1, 0.3, 2).state
        assert engine.displaced == displaced
        np.testing.assert_array_equal(found.offsets, expected.offsets)
    again = harmonic.laplace_scores(on_cluster, many)
    for one, other in zip(*map(many.tasks.results, (scores.values, again.values)), strict=True):
        np.testing.assert_array_equal(one, other)
