"""Threads that wait for each other inside compiled code, and engines that use them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit

from graphwell.backends.cpu import engine as numba_
from graphwell.backends.cpu.barrier import break_barrier, new_barrier, pass_barrier
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve.problem import Balance, Problem
from tests.helpers import random_graph, start_of


@njit(nogil=True)
def relay(thread, n_threads, rounds, barrier, trace):
    """Write the round, then check that everybody has."""
    wrong = 0
    for number in range(rounds):
        trace[thread] = number
        if not pass_barrier(barrier, n_threads):
            return -1
        for other in range(n_threads):
            wrong += trace[other] != number
        if not pass_barrier(barrier, n_threads):
            return -1
    return wrong


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_nobody_goes_on_before_all_are_there(n_threads):
    barrier, trace = new_barrier(), np.full(n_threads, -1)
    with ThreadPoolExecutor(n_threads) as pool:
        runs = [pool.submit(relay, t, n_threads, 300, barrier, trace) for t in range(n_threads)]
        assert [run.result(timeout=60) for run in runs] == [0] * n_threads


def test_a_broken_gate_lets_everybody_through():
    barrier, trace = new_barrier(), np.zeros(2, dtype=np.int64)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(relay, 0, 2, 300, barrier, trace)
        break_barrier(barrier)
        assert waiting.result(timeout=60) == -1


@pytest.mark.parametrize("balance", [None, Balance(0.3, np.full(3, 1 / 3))])
def test_sweeps_of_any_number_of_threads_have_the_same_bits(monkeypatch, balance):
    monkeypatch.setattr(numba_, "ENTRIES_PER_THREAD", 1)
    rng = np.random.default_rng(4)
    graph = random_graph(rng, 1200, 0.01)
    labels = np.where(rng.random(1200) < 0.1, rng.integers(3, size=1200), -1)
    problem = Problem(graph, labels, 3, balance=balance, implicit=True)
    start = start_of(problem, rng)
    one, *others = (NumbaEngine(graph, n_jobs=n).sweep(problem, start, 0.9, 0.2, 25) for n in (1, 2, 3, 8))
    monkeypatch.setattr(numba_, "ENTRIES_AT_ONCE", 7 * graph.W.nnz)
    others.append(NumbaEngine(graph, n_jobs=2).sweep(problem, start, 0.9, 0.2, 25))
    for other in others:
        np.testing.assert_array_equal(other.state.labels, one.state.labels)
        np.testing.assert_array_equal(other.state.offsets, one.state.offsets)
        assert (other.energy, other.label_changes) == (one.energy, one.label_changes)


def test_several_fits_at_once_do_not_block_each_other(monkeypatch):
    monkeypatch.setattr(numba_, "ENTRIES_PER_THREAD", 1)
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 600, 0.02)
    problem = Problem(graph, np.where(rng.random(600) < 0.1, rng.integers(3, size=600), -1), 3)
    start = start_of(problem, rng)
    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(NumbaEngine(graph).sweep, problem, start, 1.0, 0.05, 50) for _ in range(12)]
        runs = [job.result(timeout=120) for job in jobs]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.state.offsets, runs[0].state.offsets)
