"""The verbs: every engine against hand-solved cases, every backend against slow obvious versions."""

from dataclasses import replace

import numpy as np
import pytest

from graphwell import Annealed, Graph, Status
from graphwell.backends import State
from graphwell.backends.induction import two_highest_apart
from graphwell.solve.coarse import prolonged
from graphwell.solve.fit import Recipe, Run, fit, paper_recipe
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.reference import ReferenceEngine
from graphwell.solve.schedule import stable_step
from graphwell.solve.start import (
    STARTS,
    laplace_scores,
    poisson_weights,
    source_strengths,
)
from tests.backends.dense import DenseBackend
from tests.helpers import (
    assert_nearest,
    block_of,
    chain,
    clusters,
    columns_of,
    dense_harmonic,
    first_labels,
    placed,
    random_graph,
    start_of,
)

# ------------------------------------------------------------------------------------------------- by hand


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


# -------------------------------------------------------------------------------- random and awkward graphs


def some(graph, n_classes, share=0.3, seed=7):
    rng = np.random.default_rng(seed)
    labels = np.where(
        rng.random(graph.n_vertices) < share, rng.integers(n_classes, size=graph.n_vertices), -1
    )
    labels[0] = 0
    return Problem(graph, labels, n_classes)


def apart(graph):
    """Two copies of a graph, without an edge between them."""
    n, W = graph.n_vertices, graph.W.toarray()
    twice = np.zeros((2 * n, 2 * n))
    twice[:n, :n] = twice[n:, n:] = W
    return Graph.from_affinity(twice)


def duplicates():
    rows = np.repeat(np.random.default_rng(3).normal(size=(6, 4)), [1, 9, 1, 4, 2, 8], axis=0)
    return Graph.from_features(rows, n_neighbors=5, scale_neighbor=10)


CASES = {
    "random": lambda: some(random_graph(np.random.default_rng(0), 50, 0.15), 3),
    "complete": lambda: some(random_graph(np.random.default_rng(1), 20, 1.0), 3),
    "isolated vertices": lambda: some(random_graph(np.random.default_rng(2), 40, 0.03), 4),
    "two components": lambda: replace(
        some(apart(random_graph(np.random.default_rng(3), 12, 0.6)), 3),
        labels=np.where(np.arange(24) < 3, np.arange(24), -1),
    ),
    "duplicates": lambda: some(duplicates(), 3),
    "one class": lambda: some(random_graph(np.random.default_rng(4), 15, 0.4), 1),
    "two vertices": lambda: Problem(chain(0.5), np.array([1, -1]), 2),
    "no edge": lambda: Problem(Graph.from_affinity(np.zeros((5, 5))), np.array([0, 1, -1, -1, 1]), 2),
    "many classes": lambda: some(random_graph(np.random.default_rng(5), 60, 0.2), 40, share=0.7),
}


@pytest.fixture(params=CASES)
def case(request, backend):
    """A problem of the host, and the same with an engine where the backend computes."""
    problem = CASES[request.param]()
    there = placed(backend, problem)
    return problem, there, backend.engine(there.graph)


@pytest.mark.parametrize("n_classes", [1, 3, 6])
def test_votes_are_the_product_with_the_indicator(case, n_classes):
    problem, _, engine = case
    n, rng = problem.graph.n_vertices, np.random.default_rng(n_classes)
    labels, values = rng.integers(-1, n_classes, size=n), rng.normal(size=n)
    there = engine.asarray(labels), engine.asarray(values)
    found = columns_of(engine, engine.product(engine.indicator(*there, n_classes)))
    own = np.array([[values[i] if labels[i] == c else 0.0 for c in range(n_classes)] for i in range(n)])
    np.testing.assert_allclose(found, problem.graph.S.toarray() @ own, atol=1e-5)
    vector = engine.to_host(engine.product(there[1]))
    np.testing.assert_allclose(vector, problem.graph.S.toarray() @ values, atol=1e-5)


def test_winners_and_shares_are_those_of_loops(case):
    problem, _, engine = case
    n, rng = problem.graph.n_vertices, np.random.default_rng(1)
    values = rng.normal(size=(n, 5)).astype(np.float32)
    values[0] = -1.0
    block = block_of(engine, values)
    assert engine.to_host(engine.argmax(block)).tolist() == values.argmax(axis=1).tolist()
    positive = np.maximum(values, 0)
    total = positive.sum(axis=1, keepdims=True)
    expected = np.where(total > 0, positive / np.where(total > 0, total, 1), 0.2)
    np.testing.assert_allclose(columns_of(engine, engine.shares(block)), expected, atol=1e-6)


def test_systems_are_solved_like_dense_ones(case):
    problem, _, engine = case
    n, rng = problem.graph.n_vertices, np.random.default_rng(2)
    scaling, b = 0.9 * rng.random(n), rng.normal(size=(n, 3))
    b[:, 1] = 0.0
    A = np.eye(n) - scaling[:, None] * problem.graph.S.toarray() * scaling
    solution = engine.solve(engine.asarray(scaling), block_of(engine, b))
    x = columns_of(engine, solution.x)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), atol=2e-3)
    assert np.linalg.norm(A @ x - b, axis=0).max() <= 3e-4 * np.linalg.norm(b, axis=0).max()
    assert (x[:, 1] == 0).all()
    assert solution.residual <= 1e-4
    assert solution.iterations > 0
    alone = engine.solve(engine.asarray(scaling), engine.asarray(b[:, 0]))
    np.testing.assert_allclose(engine.to_host(alone.x), np.linalg.solve(A, b[:, 0]), atol=2e-3)


def test_steps_are_stable_at_the_largest_eigenvalue_of_a_dense_laplacian(case):
    problem, _, engine = case
    S = problem.graph.S.toarray()
    largest = np.linalg.eigvalsh(np.diag(S.sum(axis=1)) - S)[-1]
    stable = min(0.4, *(0.8 * 2 / (epsilon * largest + 1 / epsilon) for epsilon in (2.0, 0.3)))
    assert 0.999 * stable <= stable_step(engine) <= min(0.4, 1.2 * stable)


def test_nearest_labels_are_those_of_all_shortest_paths(case):
    problem, there, engine = case
    found = engine.to_host(engine.nearest(there.labels))
    assert_nearest(problem, found)
    np.testing.assert_array_equal(found[problem.is_known], problem.labels[problem.is_known])


def test_harmonic_scores_match_the_dense_solution(case):
    problem, there, engine = case
    g = np.random.default_rng(4).uniform(0.5, 2.0, problem.graph.n_vertices)
    W = problem.graph.W.toarray().astype(float)
    for factors, weights in ((None, W), (engine.asarray(g), W * np.outer(g, g))):
        scores = laplace_scores(there, engine, factors)
        found = columns_of(engine, scores.values)
        expected = dense_harmonic(weights, problem.labels, problem.n_classes)
        reached = problem.reachable
        np.testing.assert_allclose(found[reached], expected[reached], atol=2e-3)
        assert (found[~reached] == 0).all()
        assert scores.residual <= 1e-4


def test_poisson_weights_match_the_pseudo_inverse(case):
    problem, there, engine = case
    graph, given = problem.graph, problem.labels[problem.is_known]
    counts = np.bincount(given)
    source = np.zeros(graph.n_vertices)
    source[problem.is_known] = len(given) / len(np.unique(given)) / counts[given]  # a class, a source
    strengths = source.copy()
    for c in range(graph.n_components):
        members = graph.components == c
        source[members] -= strengths[members].mean()
    g = np.linalg.pinv(graph.L.toarray().astype(float)) @ source
    for c in range(graph.n_components):
        g[graph.components == c] -= g[graph.components == c].min()
    found = engine.to_host(poisson_weights(there, engine)[0])
    np.testing.assert_allclose(found, g + 1e-5, atol=2e-3 * max(1.0, np.abs(g).max()))
    assert (found > 0).all()


@pytest.mark.parametrize("name", STARTS)
def test_starts_are_those_of_the_reference(case, name):
    problem, there, engine = case
    slow = ReferenceEngine(problem.graph)
    expected = STARTS[name].find(problem, slow, np.random.default_rng(1))
    found = STARTS[name].find(there, engine, np.random.default_rng(1))
    labels, offsets = engine.to_host(found.state.labels), engine.to_host(found.state.offsets)
    known = problem.is_known
    np.testing.assert_array_equal(labels[known], problem.labels[known])
    np.testing.assert_array_equal(offsets[known], 0)
    np.testing.assert_allclose(offsets, expected.state.offsets, atol=1e-12)
    if name == "nearest":
        assert_nearest(problem, np.where(problem.reachable, labels, -1))
    else:
        clear = np.ones(len(labels), dtype=bool)
        if expected.scores is not None:
            clear = (two_highest_apart(np, slow.shares(expected.scores.values)) > 1e-2) | ~problem.reachable
        np.testing.assert_array_equal(labels[clear], expected.state.labels[clear])


@pytest.mark.parametrize("beyond_the_paper", [False, True])
def test_sweeps_are_those_of_the_reference(case, beyond_the_paper):
    problem, there, engine = case
    if beyond_the_paper:
        rng = np.random.default_rng(6)
        shares, trust = rng.dirichlet(np.ones(problem.n_classes)), rng.uniform(0.05, 2.0, len(problem.labels))
        terms = {"balance": Balance(0.3, shares), "implicit": True, "fidelity": 3.0}
        problem, there = (
            replace(problem, trust=trust, **terms),
            replace(there, trust=engine.asarray(trust), **terms),
        )
        strengths = engine.to_host(source_strengths(there, engine))
        known, given = problem.is_known, problem.labels[problem.is_known]
        sums = np.bincount(given, trust[known], minlength=problem.n_classes)
        even = sums.sum() / len(np.unique(given))  # every class is a source of the same strength
        np.testing.assert_allclose(strengths[known], even * trust[known] / sums[given], rtol=1e-6)
        assert (strengths[~known] == 0).all()
    start = start_of(problem, np.random.default_rng(2))
    expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 5)
    swept = engine.sweep(there, State(*map(engine.asarray, (start.labels, start.offsets))), 1.1, 0.05, 5)
    np.testing.assert_array_equal(engine.to_host(swept.state.labels), expected.state.labels)
    np.testing.assert_allclose(engine.to_host(swept.state.offsets), expected.state.offsets, atol=1e-4)
    assert float(swept.energy) == pytest.approx(expected.energy, rel=1e-3, abs=1e-5)
    assert int(swept.label_changes) == expected.label_changes


# ---------------------------------------------------------------------------------------------- whole fits


RECIPES = {
    "own": Recipe(),
    "the start alone": Recipe(time=0.0),
    "nearest": Recipe(start="nearest"),
    "the paper's": paper_recipe("random", Annealed(2.0, 0.1, ratio=0.8, sweeps=15), 0.05),
}


@pytest.mark.parametrize("name", RECIPES)
def test_whole_fits_are_those_of_the_dense_backend(backend, name):
    graph, truth = clusters([30, 25, 20])
    problem = Problem(graph, first_labels(truth, 2), 3)
    expected = fit(DenseBackend(), problem, RECIPES[name], Run(), np.random.default_rng(0))
    found = fit(backend, placed(backend, problem), RECIPES[name], Run(), np.random.default_rng(0))
    labels = found.engine.to_host(found.result.labels)
    np.testing.assert_array_equal(labels, expected.result.labels)
    if name != "the paper's":
        np.testing.assert_array_equal(labels, truth)
    offsets = found.engine.to_host(found.result.offsets)
    np.testing.assert_allclose(offsets, expected.result.offsets, atol=1e-3)
    scores = columns_of(found.engine, found.scores)
    np.testing.assert_allclose(scores, expected.scores, atol=5e-3)
    assert found.result.status is expected.result.status
    assert found.result.n_sweeps == expected.result.n_sweeps
    assert found.result.energies == pytest.approx(expected.result.energies, rel=1e-3, abs=1e-4)


def test_fits_of_awkward_graphs_end(case, backend):
    problem, there, engine = case
    found = fit(backend, there, Recipe(), Run(), np.random.default_rng(0))
    labels = engine.to_host(found.result.labels)
    np.testing.assert_array_equal(labels[problem.is_known], problem.labels[problem.is_known])
    assert np.isfinite(columns_of(found.engine, found.scores)).all()
    assert (found.result.status is Status.ONE_CLASS) == (problem.n_classes == 1)
    parts = problem.graph.components
    for c in np.unique(parts[problem.is_known]):  # a class without a label in a part cannot get there
        given = set(problem.labels[problem.is_known & (parts == c)].tolist())
        if found.result.status in (Status.HELD_BACK, Status.ONE_CLASS):
            assert set(labels[parts == c].tolist()) <= given


# ----------------------------------------------------------------------------------------- groups of vertices


@pytest.mark.parametrize("seed", range(3))
def test_groups_of_vertices_against_dense_matrices(backend, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 40, 0.15)
    engine = backend.engine(backend.place(graph).sharpened(2.0))
    W, groups = graph.W.toarray() ** 2, rng.integers(7, size=40)
    heaviest = np.where(W.max(axis=1) > 0, W.argmax(axis=1), -1)
    np.testing.assert_array_equal(engine.heaviest(), heaviest)
    members = np.eye(8)[groups]
    condensed = engine.condensed(groups, 8)
    np.testing.assert_allclose(condensed.toarray(), members.T @ W @ members, rtol=1e-9, atol=1e-9)
    for some in (np.array([], dtype=int), np.array([39]), np.flatnonzero(groups > 3)):
        near = engine.affinities_of(some)
        assert near.shape == (len(some), 40)
        np.testing.assert_allclose(near.toarray(), W[some], rtol=1e-6)
    values = rng.random((40, 3))
    block = block_of(engine, values)
    counts = np.maximum(members.sum(axis=0), 1)[:, None]
    np.testing.assert_allclose(engine.group_means(block, groups, 8), members.T @ values / counts, atol=1e-6)
    rows = rng.random((8, 3))
    np.testing.assert_allclose(columns_of(engine, prolonged(engine, rows, groups)), rows[groups], atol=1e-6)
