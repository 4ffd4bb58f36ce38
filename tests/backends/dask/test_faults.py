"""A worker that dies in the middle of the descent changes nothing but the time."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest

from graphwell import Annealed, DiffuseInterfaceClassifier, Graph
from graphwell.backends.dask import tasks
from graphwell.backends.dask.engine import DaskEngine
from graphwell.solve.problem import Problem
from graphwell.solve.start import laplace_scores
from tests.backends.dask.cases import fitted, rows_and_labels
from tests.backends.dask.test_affinities import in_blocks
from tests.backends.dask.test_engine import across, case
from tests.helpers import columns_of, start_of

distributed = pytest.importorskip("distributed")

SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=10)


@pytest.fixture
def processes():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def steady():
    """Dask moves no task to another worker to even out the work: not even one that makes a copy."""
    with dask.config.set({"distributed.scheduler.work-stealing": False}):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("start", ["nearest", "diffusion"])
def test_a_killed_worker_changes_no_label(processes, start):
    """With the start by diffusion, solutions of linear systems die with the worker, and are needed later."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=900)
    X = da.from_array(rng.normal(size=(900, 9)) + 2 * np.eye(9)[truth], chunks=(300, 9))
    y = np.where(rng.random(900) < 0.05, truth, -1)
    parameters = {"start": start, "schedule": SCHEDULE, "tune": False, "random_state": 0}
    one = DiffuseInterfaceClassifier(**parameters).fit(X.compute(), y)
    pids, killed = list(processes.run(os.getpid).values()), []

    def kill_one(step):
        if step.number == 2:
            killed.append(pids.pop())
            threading.Timer(0.05, os.kill, (killed[-1], signal.SIGKILL)).start()

    many = DiffuseInterfaceClassifier(**parameters)
    many.fit(X, y, callback=kill_one)
    assert len(killed) == 1
    np.testing.assert_array_equal(many.result_.offsets, one.result_.offsets)
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    assert not set(killed) & set(processes.run(os.getpid).values())


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["reading", "start", "descent"])
def test_a_worker_that_is_killed_while_a_given_graph_is_fitted_changes_no_label(processes, stage):
    X, y, _ = rows_and_labels()
    W = Graph.from_features(X, n_neighbors=6, scale_neighbor=6).W
    one = fitted(W, y, metric="precomputed")
    (pid, _), killed = processes.run(os.getpid).values(), []

    def kill_in(current, share=None):
        if current == stage and not killed:
            killed.append(pid)
            threading.Timer(0.05, os.kill, (pid, signal.SIGKILL)).start()

    kill_in("reading")
    many = DiffuseInterfaceClassifier(metric="precomputed", random_state=0)
    many.fit(in_blocks(W, (200, 300, 100)), y, progress=kill_in)
    assert killed
    assert pid not in processes.run(os.getpid).values()
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_array_equal(many.result_.offsets, one.result_.offsets)


def kill_worker(client, address):
    os.kill(client.run(os.getpid, workers=[address])[address], signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_dies_after_a_solution_takes_nothing_away(steady, processes):
    graph, labels, rng = case()
    many = across(processes, graph, 2, rng)
    problem, engine = Problem(many, labels, 3), DaskEngine(many)
    expected = columns_of(engine, laplace_scores(problem, engine).values)
    scores = laplace_scores(problem, engine).values
    kill_worker(processes, engine.tasks.homes[0])
    np.testing.assert_array_equal(columns_of(engine, scores), expected)


def before_a_sweep(client, n_blocks):
    """A problem on a cluster, its engine, and the state to begin with."""
    graph, labels, rng = case()
    state = start_of(Problem(graph, labels, 3), rng)
    many = across(client, graph, n_blocks, rng)
    return Problem(many, labels, 3), DaskEngine(many), state


@pytest.mark.slow
def test_a_worker_that_dies_between_the_last_sweep_and_its_fetching_costs_one_step(
    steady, processes, monkeypatch
):
    (problem, engine, state), killed = before_a_sweep(processes, 2), []
    expected = engine.sweep(problem, state, 1.1, 0.3, 3).state
    wait = tasks.Tasks.wait

    def kill_after(self, handles, **options):
        done = wait(self, handles, **options)
        if not killed and handles[0].key.startswith("graphwell-end-"):
            killed.append(handles[0].home)
            kill_worker(processes, killed[0])
            while killed[0] in self.workers():
                time.sleep(0.01)
        return done

    monkeypatch.setattr(tasks.Tasks, "wait", kill_after)
    found = engine.sweep(problem, state, 1.1, 0.3, 3).state
    assert killed
    np.testing.assert_array_equal(found.offsets, expected.offsets)


@pytest.mark.slow
def test_a_state_outlives_one_of_its_workers(steady, processes):
    problem, engine, state = before_a_sweep(processes, 2)
    expected = engine.sweep(problem, state, 1.1, 0.3, 3).state
    expected = np.asarray(expected.labels), np.asarray(expected.offsets)
    swept = engine.sweep(problem, state, 1.1, 0.3, 3).state
    problem.graph.tasks.wait(engine._swept[-1]().handles)
    efforts = len(problem.graph.tasks.efforts)
    kill_worker(processes, problem.graph.tasks.homes[0])
    np.testing.assert_array_equal(swept.labels, expected[0])
    np.testing.assert_array_equal(swept.offsets, expected[1])
    assert len(problem.graph.tasks.efforts) == efforts  # no sweep was done again


def test_a_state_that_was_forgotten_is_made_again(client):
    problem, engine, state = before_a_sweep(client, 3)
    first = engine.sweep(problem, state, 1.1, 0.3, 2).state
    expected, swept = np.asarray(first.offsets), first
    for _ in range(3):
        swept = engine.sweep(problem, swept, 1.1, 0.3, 2).state
    assert len(engine._swept) == 2
    np.testing.assert_array_equal(first.offsets, expected)
    assert (np.asarray(swept.offsets) != expected).any()


def small(chunks=100):
    rng = np.random.default_rng(0)
    truth = np.arange(300) % 2
    X = rng.normal(size=(300, 9)) + 3 * np.eye(9)[truth]
    return da.from_array(X, chunks=(chunks, 9)), np.where(np.arange(300) < 20, truth, -1)


def test_a_client_that_is_closed_meanwhile_leaves_the_classifier_as_it_was(cluster):
    X, y = small()
    many = DiffuseInterfaceClassifier(start="nearest", schedule=SCHEDULE, random_state=0)
    before = dict(vars(many))
    with (
        distributed.Client(cluster) as closing,
        pytest.raises(OSError, match="The Dask client was closed, or lost its scheduler"),
    ):
        many.fit(X, y, callback=lambda step: closing.close())
    assert vars(many) == before


def test_a_fit_inside_a_task_is_refused(client):
    X, y = small()
    fit = lambda: DiffuseInterfaceClassifier().fit(X, y)  # noqa: E731
    with pytest.raises(ValueError, match="this is a Dask task already"):
        client.submit(fit, pure=False).result()


def test_workers_with_too_little_memory_say_so(client, monkeypatch):
    X, y = small()
    monkeypatch.setattr(tasks.Tasks, "memory", lambda self: 1000.0)
    with pytest.raises(ValueError, match=r"needs about .* of memory, but the workers .* have 1 kB together"):
        DiffuseInterfaceClassifier().fit(X, y)


def test_without_any_worker_for_a_moment_a_fit_waits(client, monkeypatch):
    found = iter([{}, {}, {"a": 1, "b": 2}])
    monkeypatch.setattr(tasks, "SECONDS_BETWEEN_LOOKS", 0.01)
    waiting = tasks.Tasks(client)
    monkeypatch.setattr(waiting, "workers", lambda: next(found))
    waiting.settle(4)
    assert waiting.homes == ["a", "a", "b", "b"]
    monkeypatch.setattr(tasks, "SECONDS_FOR_WORKERS", 0.05)
    monkeypatch.setattr(waiting, "workers", dict)
    with pytest.raises(OSError, match="All workers of the Dask cluster are gone, and none came back"):
        waiting.settle(4)
