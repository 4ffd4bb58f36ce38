"""Schedules and steps."""

import numpy as np
import pytest

from graphwell import Annealed, Fixed, Graph
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve.schedule import Schedule, schedule_of, stable_step
from tests.helpers import chain, random_graph


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


def test_any_iterable_of_steps_is_a_schedule():
    assert isinstance([(1.0, 40)], Schedule)
    assert not isinstance(7, Schedule)


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
    ],
)
def test_bad_settings_get_one_clear_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("graph", [chain(1.0, 1.0, 1.0), random_graph(np.random.default_rng(3), 60, 0.3)])
def test_the_largest_step_is_stable(graph):
    step = stable_step(NumbaEngine(graph))
    row_sums = np.asarray(graph.S.sum(axis=1)).ravel()
    largest = np.linalg.eigvalsh(np.diag(row_sums) - graph.S.toarray())[-1]
    for epsilon in (2.0, 0.3):
        assert step < 2 / (epsilon * largest + 1 / epsilon)


def test_a_hub_makes_the_step_smaller_and_the_sweeps_more():
    W = np.zeros((400, 400))
    W[0, 1:] = W[1:, 0] = 1.0
    hub = Graph.from_affinity(W)
    step = stable_step(NumbaEngine(hub))
    assert step < 0.1
    assert schedule_of(8.0, step).sweeps * step == pytest.approx(8.0, rel=0.02)
