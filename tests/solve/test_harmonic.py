"""Conjugate gradients and the scores that diffuse from labels, against dense closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.system import ArraySystem
from graphwell.graph import Graph
from graphwell.solve.harmonic import (
    centred,
    diffusion_scores,
    laplace_scores,
    poisson_weights,
    solve_laplacian,
)
from graphwell.solve.linear import conjugate_gradients
from graphwell.solve.problem import Problem
from tests.helpers import chain, problems, random_graph


def precise(graph):
    return NumbaEngine(graph, dtype=np.float64)


def system_of(A):
    return ArraySystem(lambda block: block - A @ block, np.ones(len(A)))


def dense_harmonic(W, labels, n_classes):
    """Solve the harmonic problem on the vertices that labels reach, by dense linear algebra."""
    known = labels >= 0
    L = np.diag(W.sum(axis=1)) - W
    scores = np.zeros((len(labels), n_classes))
    scores[known, labels[known]] = 1.0
    free = ~known
    solved = np.linalg.lstsq(L[np.ix_(free, free)], W[np.ix_(free, known)] @ scores[known], rcond=None)[0]
    scores[free] = solved
    return scores


def test_conjugate_gradients_solve_every_column():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    A = A @ A.T + np.eye(30)
    b = rng.normal(size=(30, 4))
    b[:, 2] = 0
    solution = conjugate_gradients(system_of(A), b, tolerance=1e-12)
    np.testing.assert_allclose(solution.x, np.linalg.solve(A, b), atol=1e-8)
    assert (solution.x[:, 2] == 0).all()
    assert solution.residual < 1e-11
    assert 0 < solution.iterations <= 60


def test_conjugate_gradients_say_when_they_stopped_early():
    A = np.diag(np.logspace(0, 8, 40))
    solution = conjugate_gradients(system_of(A), np.ones((40, 1)), tolerance=1e-12, max_iterations=3)
    assert solution.iterations == 3
    assert solution.residual > 1e-3


def test_harmonic_scores_by_hand():
    # A chain of four between labels: the scores fall linearly in resistance 1, 1/2, 1.
    problem = Problem(chain(1.0, 2.0, 1.0), np.array([0, -1, -1, 1]), 2)
    scores = laplace_scores(problem, precise(problem.graph)).values
    np.testing.assert_allclose(scores[:, 1], [0, 0.4, 0.6, 1.0], atol=1e-4)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(problems(max_vertices=25))
def test_harmonic_scores_match_the_dense_solution(case):
    problem, rng = case
    if not problem.is_known.any():
        return
    g = rng.uniform(0.5, 2.0, problem.graph.n_vertices)
    found = laplace_scores(problem, precise(problem.graph), g).values
    W = problem.graph.W.toarray() * np.outer(g, g)
    expected = dense_harmonic(W, problem.labels, problem.n_classes)
    reached = problem.reachable
    np.testing.assert_allclose(found[reached], expected[reached], atol=2e-3)
    assert (found[~reached] == 0).all()


@settings(max_examples=40, deadline=None)
@given(problems(max_vertices=25))
def test_the_laplacian_is_inverted_on_each_component(case):
    problem, rng = case
    graph = problem.graph
    sources = centred(graph, rng.normal(size=(graph.n_vertices, 2)))
    found, _ = solve_laplacian(graph, precise(graph), sources)
    np.testing.assert_allclose(graph.L.toarray() @ found, sources, atol=2e-3)
    for component in range(graph.n_components):
        members = graph.components == component
        weighted = graph.degrees[members] @ found[members]
        np.testing.assert_allclose(weighted, 0, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(problems(max_vertices=25))
def test_poisson_weights_are_positive_and_never_nan(case):
    problem, _ = case
    g, _ = poisson_weights(problem, precise(problem.graph))
    assert np.isfinite(g).all()
    assert (g > 0).all()


def test_poisson_weights_peak_at_the_labels():
    problem = Problem(chain(*np.ones(20)), np.where(np.arange(21) == 10, 0, -1), 1)
    g, _ = poisson_weights(problem, precise(problem.graph))
    assert g.argmax() == 10
    assert (np.diff(g[:11]) > 0).all()


def two_components():
    graph = random_graph(np.random.default_rng(0), 30, 0.5)
    W = np.zeros((60, 60))
    W[:30, :30] = W[30:, 30:] = graph.W.toarray()
    return Graph.from_affinity(W)


def test_components_with_different_labels_do_not_mix():
    labels = np.full(60, -1)
    labels[[0, 1, 30, 31]] = [0, 1, 2, 3]
    problem = Problem(two_components(), labels, 4)
    scores = diffusion_scores(problem, precise(problem.graph)).values
    assert (scores[:30, 2:] == 0).all()
    assert (scores[30:, :2] == 0).all()
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-3)


def test_a_component_with_one_class_belongs_to_it():
    labels = np.full(60, -1)
    labels[[0, 1, 30]] = [0, 1, 2]
    problem = Problem(two_components(), labels, 3)
    scores = diffusion_scores(problem, precise(problem.graph)).values
    np.testing.assert_allclose(scores[30:, 2], 1, atol=1e-3)


def test_single_precision_gives_the_same_labels():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(200, 3)) + 4 * c for c in range(3)])
    graph = Graph.from_features(X)
    labels = np.full(600, -1)
    labels[[0, 200, 400]] = [0, 1, 2]
    problem = Problem(graph, labels, 3)
    double = diffusion_scores(problem, precise(graph)).values
    single = diffusion_scores(problem, NumbaEngine(graph)).values
    np.testing.assert_allclose(single, double, atol=1e-3)


@pytest.mark.parametrize("n_classes", [1, 3])
def test_every_vertex_labelled_leaves_nothing_to_solve(n_classes):
    labels = np.arange(5) % n_classes
    problem = Problem(chain(1, 1, 1, 1), labels, n_classes)
    scores = diffusion_scores(problem, precise(problem.graph)).values
    np.testing.assert_array_equal(scores.argmax(axis=1), labels)


@settings(max_examples=20, deadline=None)
@given(problems(max_vertices=60), st.sampled_from([1, 3, 12, 27]))
def test_a_fused_system_does_what_plain_arrays_do(case, width):
    problem, rng = case
    n = problem.graph.n_vertices
    scaling, b, step = rng.random(n), rng.normal(size=(n, width)), rng.random(width)
    engine = precise(problem.graph)
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
