"""The largest stable step, and the sweeps that fill a time."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve.schedule import schedule_of, stable_step
from tests.helpers import chain, random_graph


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
