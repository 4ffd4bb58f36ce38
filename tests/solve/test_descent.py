"""The descent as a whole."""

import numpy as np

from graphwell import Annealed, Fixed, Graph, Status
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve import Problem, descend
from graphwell.solve.start import nearest_start
from tests.helpers import random_graph, start_of


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
    result = descend(*two_clusters(NumbaEngine), Annealed(2.0, 0.1), 0.01, lambda step: seen.append(step))
    assert [step.number for step in seen] == list(range(1, 30))
    assert seen[-1].energy == result.energies[-1]

    stopped = descend(*two_clusters(NumbaEngine), Annealed(2.0, 0.1), 0.01, lambda step: step.number == 3)
    assert stopped.status is Status.STOPPED
    assert len(stopped.energies) == 3
    assert stopped.n_sweeps == 120


def test_a_run_that_ends_too_early_says_so():
    rng = np.random.default_rng(2)
    graph = random_graph(rng, 200, 0.05)
    problem = Problem(graph, np.where(rng.random(200) < 0.1, rng.integers(3, size=200), -1), 3)
    result = descend(NumbaEngine(graph), problem, start_of(problem, rng), Fixed(2.0, sweeps=20), 0.02)
    assert result.status is Status.UNSETTLED
    assert "longer schedule" in result.status.value


def test_after_two_steps_without_a_change_of_class_an_early_end_takes_the_last():
    engine, problem, start = two_clusters(NumbaEngine)
    schedule = Annealed(2.0, 0.5, sweeps=10)
    whole = descend(engine, problem, start, schedule, 0.02)
    early = descend(engine, problem, start, schedule, 0.02, may_stop_early=True)
    pairs = list(zip(whole.label_changes, whole.label_changes[1:], strict=False))
    quiet = 1 + pairs.index((0, 0))
    assert quiet < len(whole.epsilons) - 2
    assert early.epsilons == (*whole.epsilons[: quiet + 1], whole.epsilons[-1])
    assert early.energies[: quiet + 1] == whole.energies[: quiet + 1]
    assert early.n_sweeps == 10 * (quiet + 2)
    np.testing.assert_array_equal(early.labels, whole.labels)
