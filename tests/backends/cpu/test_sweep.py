"""Threads that wait for each other."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit

from graphwell.backends.cpu.sweep import break_barrier, new_barrier, pass_barrier


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
