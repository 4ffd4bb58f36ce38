"""Label propagation, and the other starts."""

import numpy as np
from hypothesis import given, settings

from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.induction import two_highest_apart
from graphwell.graph import Graph
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine
from graphwell.solve.sizes import class_counts, evenness
from graphwell.solve.start import (
    STARTS,
    centred,
    diffusion_scores,
    from_labels,
    laplace_scores,
    poisson_weights,
    solve_laplacian,
)
from tests.helpers import chain, problems, random_graph


def precise(graph):
    return NumbaEngine(graph, dtype=np.float64)


def test_harmonic_scores_by_hand():
    # A chain of four between labels: the scores fall linearly in resistance 1, 1/2, 1.
    problem = Problem(chain(1.0, 2.0, 1.0), np.array([0, -1, -1, 1]), 2)
    scores = laplace_scores(problem, precise(problem.graph)).values
    np.testing.assert_allclose(scores[:, 1], [0, 0.4, 0.6, 1.0], atol=1e-4)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(problems(max_vertices=25))
def test_the_laplacian_is_inverted_on_each_component(case):
    problem, rng = case
    graph = problem.graph
    engine = precise(graph)
    sources = centred(engine, graph, rng.normal(size=(graph.n_vertices, 2)))
    found, _ = solve_laplacian(engine, graph, sources)
    found = centred(engine, graph, found, graph.degrees)
    np.testing.assert_allclose(graph.L.toarray() @ found, sources, atol=2e-3)
    for component in range(graph.n_components):
        members = graph.components == component
        np.testing.assert_allclose(graph.degrees[members] @ found[members], 0, atol=1e-8)
    weights, _ = poisson_weights(problem, engine)
    assert np.isfinite(weights).all()
    assert (weights > 0).all()


def test_poisson_weights_peak_at_the_labels():
    problem = Problem(chain(*np.ones(20)), np.where(np.arange(21) == 10, 0, -1), 1)
    g, _ = poisson_weights(problem, precise(problem.graph))
    assert g.argmax() == 10
    assert (np.diff(g[:11]) > 0).all()


def test_components_with_different_labels_do_not_mix():
    part = random_graph(np.random.default_rng(0), 30, 0.5).W.toarray()
    graph, labels = Graph.from_affinity(np.kron(np.eye(2), part)), np.full(60, -1)
    labels[[0, 1, 30]] = [0, 1, 2]
    scores = diffusion_scores(Problem(graph, labels, 3), precise(graph)).values
    assert (scores[:30, 2] == 0).all()
    np.testing.assert_allclose(scores[30:], np.tile([0.0, 0.0, 1.0], (30, 1)), atol=1e-3)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-3)


def test_starts_put_labelled_vertices_at_their_label():
    rng = np.random.default_rng(0)
    problem = Problem(random_graph(rng, 50, 0.1), np.where(np.arange(50) % 5 == 0, 2, -1), 3)
    for rule in STARTS.values():
        state = rule.find(problem, ReferenceEngine(problem.graph), rng).state
        assert (state.labels[::5] == 2).all()
        assert (state.offsets[::5] == 0).all()
        assert ((state.offsets >= -0.5) & (state.offsets < 0.5)).all()


def test_a_start_from_labels_never_lies_on_the_integers():
    problem = Problem(chain(1.0, 1.0, 1.0), np.array([0, -1, -1, -1]), 2)
    engine = ReferenceEngine(problem.graph)
    state = from_labels(problem, engine, np.array([0, 1, 1, -1]), np.random.default_rng(0))
    assert np.abs(state.offsets).tolist() == [0.0, 0.3, 0.3, 0.3]
    assert state.labels[:3].tolist() == [0, 1, 1]


def test_auto_takes_the_more_decided_scores():
    rng = np.random.default_rng(0)
    problem = Problem(random_graph(rng, 40, 0.2), np.where(np.arange(40) < 4, np.arange(40) % 2, -1), 2)
    engine = ReferenceEngine(problem.graph)
    both = diffusion_scores(problem, engine), laplace_scores(problem, engine)
    decided = [
        two_highest_apart(np, engine.shares(scores.values)).mean()
        * evenness(class_counts(engine, scores.values.argmax(axis=1), 2))
        for scores in both
    ]
    auto = STARTS["auto"].find(problem, engine, rng).scores
    np.testing.assert_array_equal(auto.values, both[int(np.argmax(decided))].values)
