"""Schedules, starts and the descent as a whole."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell import Annealed, Fixed, Graph, Status
from graphwell.backends import State, make_engine
from graphwell.solve import Problem, descend
from graphwell.solve.reference import ReferenceEngine, literal_start
from graphwell.solve.start import STARTS, from_labels, nearest_labels, nearest_start
from tests.helpers import chain, problems, random_graph, start_of


def test_the_papers_schedules_have_the_papers_lengths():
    moons, mnist = list(Annealed(2.0, 0.1)), list(Annealed(2.0, 0.01, ratio=0.9, sweeps=40))
    assert len(moons) == 29
    assert len(mnist) == 51
    assert sum(sweeps for _, sweeps in mnist) == 2040
    assert sum(sweeps for _, sweeps in Fixed(1.0, sweeps=800)) == 800
    assert moons[0] == (2.0, 40)
    assert moons[-1][0] >= 0.1 > moons[-1][0] * 0.9


def test_a_schedule_of_one_value_has_one_step():
    assert list(Annealed(1.0, 1.0, sweeps=3)) == [(1.0, 3)]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Fixed(0.0), "epsilon is an epsilon and must be positive"),
        (lambda: Fixed(-1.0), "must be positive"),
        (lambda: Fixed(float("nan")), "must be positive"),
        (lambda: Fixed(1.0, sweeps=0), "sweeps must be a positive integer"),
        (lambda: Annealed(2.0, 0.0), "stop is an epsilon and must be positive"),
        (lambda: Annealed(0.1, 2.0), "stop must not be above start"),
        (lambda: Annealed(2.0, 0.1, ratio=1.0), "ratio must lie between 0 and 1"),
        (lambda: Problem(chain(1.0), np.array([0, 1]), 2, fidelity=0.0), "fidelity must be positive"),
        (
            lambda: Problem(chain(1.0), np.array([0, 1]), 2, fidelity=float("nan")),
            "fidelity must be positive",
        ),
    ],
)
def test_bad_settings_get_one_clear_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("step_size", [0.0, -0.1, float("nan")])
def test_a_step_that_is_not_positive_is_refused(step_size):
    graph = chain(1.0)
    problem = Problem(graph, np.array([0, 1]), 2)
    with pytest.raises(ValueError, match="step_size must be positive"):
        descend(make_engine(graph), problem, State(problem.labels, np.zeros(2)), Fixed(), step_size)


@settings(max_examples=25, deadline=None)
@given(problems(max_vertices=25))
def test_energy_never_rises_at_fixed_epsilon_for_a_small_step(case):
    problem, rng = case
    engine = ReferenceEngine(problem.graph)
    state = start_of(problem, rng)
    energies = [engine.energy(problem, state, 1.0)]
    for _ in range(60):
        swept = engine.sweep(problem, state, 1.0, 0.002, 1)
        state = swept.state
        energies.append(swept.energy)
    rises = np.diff(energies)
    assert rises.max() <= 1e-9 + 1e-3 * max(energies[0], 1.0) * 0.01


def test_starts_put_labelled_vertices_at_their_label():
    rng = np.random.default_rng(0)
    problem = Problem(random_graph(rng, 50, 0.1), np.where(np.arange(50) % 5 == 0, 2, -1), 3)
    for start in STARTS.values():
        state = start(problem, ReferenceEngine(problem.graph), rng).state
        assert (state.labels[::5] == 2).all()
        assert (state.offsets[::5] == 0).all()
        assert ((state.offsets >= -0.5) & (state.offsets < 0.5)).all()


def test_the_random_start_is_even_over_the_classes():
    problem = Problem(chain(*np.ones(29_999)), np.full(30_000, -1), 3)
    state = start_of(problem, np.random.default_rng(0))
    shares = np.bincount(state.labels, minlength=3) / 30_000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.02)
    assert abs(state.offsets.mean()) < 0.01


def test_the_literal_start_does_not_know_the_labels():
    problem = Problem(chain(*np.ones(999)), np.zeros(1000, dtype=int), 4)
    assert (literal_start(problem, np.random.default_rng(0)).labels != 0).mean() > 0.6


def test_nearest_labels_by_hand():
    # Lengths 1/w: 1, 2, 1 and a second component without labels.
    W = np.zeros((6, 6))
    for i, j, w in ((0, 1, 1.0), (1, 2, 0.5), (2, 3, 1.0), (4, 5, 1.0)):
        W[i, j] = W[j, i] = w
    problem = Problem(Graph.from_affinity(W), np.array([1, -1, -1, 0, -1, -1]), 2)
    assert nearest_labels(problem).tolist() == [1, 1, 0, 0, -1, -1]
    assert problem.reachable.tolist() == [True] * 4 + [False] * 2


def brute_force_nearest(problem):
    n = problem.graph.n_vertices
    with np.errstate(divide="ignore"):
        D = 1 / problem.graph.W.toarray()
    np.fill_diagonal(D, 0)
    for k in range(n):
        D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    known = np.flatnonzero(problem.is_known)
    return D[:, known].min(axis=1, initial=np.inf), D, known


@settings(max_examples=25, deadline=None)
@given(problems(max_vertices=20))
def test_nearest_labels_match_all_shortest_paths(case):
    problem, _ = case
    if not problem.is_known.any():
        return
    shortest, D, known = brute_force_nearest(problem)
    labels = nearest_labels(problem)
    for i, found in enumerate(labels):
        if found < 0:
            assert np.isinf(shortest[i])
        else:
            of_class = D[i, known[problem.labels[known] == found]]
            assert of_class.min() == pytest.approx(shortest[i])


def test_a_start_from_labels_never_lies_on_the_integers():
    problem = Problem(chain(1.0, 1.0, 1.0), np.array([0, -1, -1, -1]), 2)
    state = from_labels(problem, np.array([0, 1, 1, -1]), np.random.default_rng(0))
    assert np.abs(state.offsets).tolist() == [0.0, 0.3, 0.3, 0.3]
    assert state.labels[:3].tolist() == [0, 1, 1]


def two_clusters(engine):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 6])
    graph = Graph.from_features(X)
    labels = np.full(80, -1)
    labels[[0, 79]] = [0, 1]
    problem = Problem(graph, labels, 2)
    built = engine(graph)
    return built, problem, nearest_start(problem, built, rng).state


def test_two_clusters_are_told_apart_by_two_labels(engine):
    result = descend(*two_clusters(engine), Annealed(2.0, 0.1, sweeps=10), 0.02)
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1], 40))
    assert result.status is Status.SETTLED
    assert result.n_sweeps == 290
    assert len(result.energies) == len(result.epsilons) == len(result.label_changes) == 29
    assert result.seconds > 0


def test_a_callback_sees_every_step_and_can_stop_the_run():
    seen = []
    result = descend(*two_clusters(make_engine), Annealed(2.0, 0.1), 0.01, lambda step: seen.append(step))
    assert [step.number for step in seen] == list(range(1, 30))
    assert seen[-1].energy == result.energies[-1]

    stopped = descend(*two_clusters(make_engine), Annealed(2.0, 0.1), 0.01, lambda step: step.number == 3)
    assert stopped.status is Status.STOPPED
    assert len(stopped.energies) == 3
    assert stopped.n_sweeps == 120


def test_a_run_that_ends_too_early_says_so():
    rng = np.random.default_rng(2)
    graph = random_graph(rng, 200, 0.05)
    problem = Problem(graph, np.where(rng.random(200) < 0.1, rng.integers(3, size=200), -1), 3)
    result = descend(make_engine(graph), problem, start_of(problem, rng), Fixed(2.0, sweeps=20), 0.02)
    assert result.status is Status.UNSETTLED
    assert "longer schedule" in result.status.value


@settings(max_examples=20, deadline=None)
@given(problems(max_vertices=40, max_classes=5))
def test_permuting_the_class_names_permutes_the_result(case):
    problem, rng = case
    start = start_of(problem, rng)
    names = rng.permutation(problem.n_classes)
    renamed = Problem(problem.graph, np.where(problem.is_known, names[problem.known], -1), problem.n_classes)
    engine = make_engine(problem.graph)
    one = descend(engine, problem, start, Annealed(2.0, 0.5, sweeps=10), 0.02)
    other = descend(
        engine, renamed, State(names[start.labels], start.offsets), Annealed(2.0, 0.5, sweeps=10), 0.02
    )
    np.testing.assert_array_equal(names[one.labels], other.labels)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert one.energies == pytest.approx(other.energies)


@settings(max_examples=20, deadline=None)
@given(problems(max_vertices=40, max_classes=5))
def test_permuting_the_vertices_permutes_the_result(case):
    problem, rng = case
    start = start_of(problem, rng)
    order = rng.permutation(problem.graph.n_vertices)
    graph = Graph.from_affinity(problem.graph.W[order][:, order])
    permuted = Problem(graph, problem.labels[order], problem.n_classes)
    moved = State(start.labels[order], start.offsets[order])
    schedule = Annealed(2.0, 1.0, sweeps=5)
    one = descend(ReferenceEngine(problem.graph), problem, start, schedule, 0.02)
    other = descend(ReferenceEngine(graph), permuted, moved, schedule, 0.02)
    np.testing.assert_array_equal(one.labels[order], other.labels)
    np.testing.assert_allclose(one.offsets[order], other.offsets, atol=1e-9)
