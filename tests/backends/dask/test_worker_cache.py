"""What stays in the memory of a worker between two tasks, and what is done where it is lost."""

import numpy as np
import pytest

from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.dask import worker_cache
from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.tasks import DisplacedError, Tasks
from graphwell.solve.harmonic import laplace_scores
from graphwell.solve.problem import Problem
from tests.backends.dask.test_engine import across, case
from tests.helpers import columns_of, start_of

pytestmark = pytest.mark.slow  # a fit or two on a cluster each


def test_only_the_last_state_of_a_chain_is_there():
    worker_cache.keep("chain", 1, "one")
    worker_cache.keep("chain", 2, "two")
    with pytest.raises(DisplacedError, match="Step 1 of chain left nothing here"):
        worker_cache.take("chain", 1)


def lose(monkeypatch, times):
    """Let so many states vanish."""
    keep, lost = worker_cache.keep, []

    def forgetful(chain, number, state):
        if len(lost) < times and number == 1:
            lost.append(chain)
        else:
            keep(chain, number, state)

    monkeypatch.setattr(worker_cache, "keep", forgetful)
    return lost


@pytest.mark.parametrize("times", [1, 3])
def test_a_task_that_finds_nothing_of_the_one_before_changes_nothing(client, monkeypatch, times):
    graph, labels, rng = case()
    problem = Problem(graph, labels, 3)
    state = start_of(problem, rng)
    many = across(client, graph, 2, rng)
    on_cluster, engine = Problem(many, labels, 3), DaskEngine(many)
    scores = columns_of(engine, laplace_scores(on_cluster, engine).values)
    expected = NumbaEngine(graph).sweep(problem, state, 1.1, 0.3, 3).state
    lost = lose(monkeypatch, times)
    found = engine.sweep(on_cluster, state, 1.1, 0.3, 3).state
    assert len(lost) == times
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    monkeypatch.undo()
    lost = lose(monkeypatch, times)
    again = columns_of(engine, laplace_scores(on_cluster, engine).values)
    assert len(lost) == times
    np.testing.assert_array_equal(again, scores)


def test_a_cluster_that_loses_everything_is_given_up(client, monkeypatch):
    monkeypatch.setattr(worker_cache, "MOST_ATTEMPTS", 2)
    lose(monkeypatch, 1000)
    graph, labels, rng = case()
    many = across(client, graph, 2, rng)
    state = start_of(Problem(graph, labels, 3), rng)
    with pytest.raises(RuntimeError, match="Workers were lost 2 times during one step"):
        DaskEngine(many).sweep(Problem(many, labels, 3), state, 1.1, 0.3, 2)


def test_work_is_begun_anew_until_it_is_done(client):
    attempts = []

    def work():
        attempts.append(1)
        if len(attempts) < 3:
            raise DisplacedError("gone")
        return "done"

    assert worker_cache.undisturbed(Tasks(client), 2, work) == "done"
    assert len(attempts) == 3
