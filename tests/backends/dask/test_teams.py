"""Workers that work together, and what is done where one of them is lost."""

import threading
import time

import numpy as np
import pytest

from graphwell.backends.blocks.programs import Said
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.dask import post, teams
from graphwell.backends.dask import tasks as tasks_module
from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import DisplacedError, Tasks
from graphwell.progress import listening
from graphwell.solve.problem import Problem
from graphwell.solve.start import laplace_scores
from tests.backends.dask.cases import rounds_of
from tests.backends.dask.test_engine import across, case
from tests.helpers import chain, columns_of, start_of


def counted(block, rounds):
    """Say the number of own vertices so many times; return what was heard of all."""
    for _ in range(rounds):
        heard = yield Said(np.zeros(block.rows.n_positions), np.array([block.n_own]))
    return heard.sums.tolist()


def on_workers(client, n_blocks=4):
    return DaskGraph.from_graph(Tasks(client), chain(*np.ones(39)), n_blocks)


def test_every_block_hears_of_all_and_the_effort_is_told(client):
    graph = on_workers(client)
    team = teams.together(graph.tasks, "count", counted, graph.blocks, rounds=3)
    assert team.fetched() == [[40]] * 4
    assert [(effort.name, effort.rounds) for effort in graph.tasks.efforts] == [("count", 3)] * 2
    # One vertex of 8 bytes for the neighbour on the other worker, and one sum, in each of three rounds.
    assert [effort.bytes_sent for effort in graph.tasks.efforts] == [3 * 16] * 2


@pytest.mark.parametrize("originals", [False, True])
def test_what_was_found_may_stay_on_the_workers(client, monkeypatch, originals):
    graph = on_workers(client)
    team = teams.together(graph.tasks, "count", counted, graph.blocks, rounds=3)
    rounds = rounds_of(client, monkeypatch)
    kept, ends = team.kept("count", sum, originals=originals)
    assert ends == [40] * 4
    assert rounds == [2 + (1 if originals else 2) * 4]
    if originals:
        assert graph.tasks.results([handle.original for handle in kept]) == [[40]] * 4
    assert [effort.rounds for effort in graph.tasks.efforts] == [3] * 2
    assert graph.tasks.results(kept) == [[40]] * 4
    assert [handle.home for handle in kept] == graph.tasks.homes


def slow(block):
    """Say how much is done, three times."""
    for done in (0.25, 0.5, 0.75):
        yield Said(np.zeros(block.rows.n_positions), np.array([1]), done=done)
        time.sleep(0.4)


def test_the_client_is_told_how_far_the_work_is(client, monkeypatch):
    monkeypatch.setattr(post, "SECONDS_BETWEEN_REPORTS", 0.0)
    monkeypatch.setattr(tasks_module, "SECONDS_BETWEEN_LOOKS", 0.05)
    graph, shares = on_workers(client), []
    with listening(shares.append):
        teams.together(graph.tasks, "slow", slow, graph.blocks).fetched()
    assert shares == sorted(shares)
    assert {0.25, 0.5} <= set(shares) <= {0.25, 0.5, 0.75}


def failing(block):
    """Fail on the first block, while the others wait for it."""
    yield Said(np.zeros(block.rows.n_positions), np.array([1]))
    if not block.sources or block.sources == (1,):
        raise MemoryError("no room")
    yield Said(np.zeros(block.rows.n_positions), np.array([1]))


def test_what_one_worker_raises_frees_the_others(client):
    graph = on_workers(client)
    with pytest.raises(MemoryError, match="no room"):
        teams.together(graph.tasks, "fail", failing, graph.blocks).fetched()
    assert teams.together(graph.tasks, "count", counted, graph.blocks, rounds=2).fetched() == [[40]] * 4


def test_two_teams_share_the_workers(client):
    """Each needs all workers at once; neither keeps a worker from the other."""
    graphs, found = [on_workers(client) for _ in range(3)], []

    def work(graph):
        found.append(teams.together(graph.tasks, "count", counted, graph.blocks, rounds=20).fetched())

    for graph in graphs:
        graph.tasks.wait(graph.blocks)
    threads = [threading.Thread(target=work, args=(graph,)) for graph in graphs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [[[40]] * 4] * 3


def lose(monkeypatch, times):
    """Let so many exchanges find that a worker is gone."""
    exchange, lost = post.Post.exchange, []

    def forgetful(self, message):
        if len(lost) < times and self.rounds == 1:
            lost.append(self.work)
            raise DisplacedError("gone")
        return exchange(self, message)

    monkeypatch.setattr(post.Post, "exchange", forgetful)
    return lost


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 3])
def test_work_that_is_disturbed_is_done_again_with_the_same_result(client, monkeypatch, times):
    monkeypatch.setattr(teams, "SECONDS_OF_PATIENCE", 0.01)
    graph, labels, rng = case()
    problem = Problem(graph, labels, 3)
    state = start_of(problem, rng)
    many = across(client, graph, 2, rng)
    on_cluster, engine = Problem(many, labels, 3), DaskEngine(many)
    scores = columns_of(engine, laplace_scores(on_cluster, engine).values)
    expected = NumbaEngine(graph).sweep(problem, state, 1.1, 0.3, 3).state
    lost = lose(monkeypatch, times)
    found = engine.sweep(on_cluster, state, 1.1, 0.3, 3).state
    assert len(lost) >= times
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    monkeypatch.undo()
    lost = lose(monkeypatch, times)
    again = columns_of(engine, laplace_scores(on_cluster, engine).values)
    assert len(lost) >= times
    np.testing.assert_array_equal(again, scores)


@pytest.mark.slow
def test_a_cluster_that_loses_everything_is_given_up(client, monkeypatch):
    monkeypatch.setattr(teams, "MOST_ATTEMPTS", 2)
    lose(monkeypatch, 1000)
    graph, labels, rng = case()
    many = across(client, graph, 2, rng)
    state = start_of(Problem(graph, labels, 3), rng)
    with pytest.raises(RuntimeError, match="Workers were lost 2 times during one step"):
        DaskEngine(many).sweep(Problem(many, labels, 3), state, 1.1, 0.3, 2)


def test_work_is_begun_anew_until_it_is_done(client, monkeypatch):
    monkeypatch.setattr(teams, "SECONDS_OF_PATIENCE", 0.01)
    attempts = []

    def work():
        attempts.append(1)
        if len(attempts) < 3:
            raise DisplacedError("gone")
        return "done"

    assert teams.undisturbed(Tasks(client), 2, work) == "done"
    assert len(attempts) == 3
