"""Vectors on the workers answer as arrays of NumPy do."""

import numpy as np
import pytest

from graphwell.backends.dask.engine import DaskEngine
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Tasks
from graphwell.backends.dask.vectors import VectorLibrary, WorkerVector
from tests.helpers import random_graph

N = 60


@pytest.fixture(params=[1, 4])
def placed(client, request):
    graph = random_graph(np.random.default_rng(0), N, 0.05)
    order = np.random.default_rng(1).permutation(N)
    return graph, DaskGraph.from_graph(Tasks(client), graph, request.param, order)


def test_arithmetic_is_that_of_numpy(placed):
    graph, many = placed
    values, here = many.degrees, graph.degrees
    known = np.arange(N) % 3 == 0
    found = np.where(known | ~(values > 1), -values, np.sqrt(np.maximum(2 * values - 1, 0.0))).astype(
        np.float32
    )
    expected = np.where(known | ~(here > 1), -here, np.sqrt(np.maximum(2 * here - 1, 0.0))).astype(np.float32)
    assert isinstance(found, WorkerVector)
    np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(list(found), expected)
    assert len(found) == N
    assert found.shape == (N,)
    assert found.max() == expected.max()


def test_what_is_used_again_and_again_is_worked_out_once(placed):
    graph, many = placed
    values, here = many.degrees, graph.degrees
    for _ in range(40):  # written out as a tree, this would have 2^40 leaves
        values, here = values + values, here + here
    np.testing.assert_array_equal(values.compute(), here)


def test_marked_values_come_in_the_order_of_the_user(placed):
    graph, many = placed
    known = np.arange(N) % 7 == 2
    np.testing.assert_array_equal(many.degrees[known], graph.degrees[known])
    np.testing.assert_array_equal(many.degrees[many.degrees > 2], graph.degrees[graph.degrees > 2])
    np.testing.assert_array_equal(many.degrees[5:9], graph.degrees[5:9])


def test_tables_are_looked_up_on_the_workers(placed):
    graph, many = placed
    table = np.random.default_rng(2).normal(size=graph.n_components)
    found = VectorLibrary(many).take(table, many.components)
    assert isinstance(found, WorkerVector)
    reached = np.isin(many.components, [0, 2])
    assert isinstance(reached, WorkerVector)
    np.testing.assert_array_equal(reached.compute(), np.isin(many.components.compute(), [0, 2]))
    np.testing.assert_array_equal(found.compute(), table[many.components.compute()])
    np.testing.assert_array_equal(np.bincount(many.components), np.bincount(many.components.compute()))


def test_sums_have_the_same_bits_in_any_number_of_blocks(client):
    graph = random_graph(np.random.default_rng(3), N, 0.2)
    sums, means = set(), set()
    for n_blocks in (1, 2, 5):
        engine = DaskEngine(DaskGraph.from_graph(Tasks(client), graph, n_blocks))
        groups = np.arange(N) % 4
        sums.add(engine.group_sums(groups, engine.graph.degrees / 3, 4).tobytes())
        means.add((engine.graph.degrees / 3).mean())
    assert len(sums) == len(means) == 1
    np.testing.assert_allclose(np.frombuffer(sums.pop()), np.bincount(groups, graph.degrees / 3))
    assert means.pop() == pytest.approx((graph.degrees / 3).mean())


def test_ones_lie_on_the_workers(placed):
    engine = DaskEngine(placed[1])
    ones = engine.xp.ones(N)
    assert isinstance(ones, WorkerVector)
    np.testing.assert_array_equal(ones.compute(), np.ones(N))


def test_what_numpy_would_do_elsewhere_is_refused(placed):
    with pytest.raises(TypeError):
        np.sort(placed[1].degrees)
    with pytest.raises(TypeError):
        np.add.reduce(placed[1].degrees)


@pytest.mark.parametrize("largest", [127, 128, 32768])
def test_whole_numbers_are_brought_to_the_workers_in_few_bytes_and_stay_what_they_are(placed, largest):
    numbers = np.arange(N) - 1
    numbers[7] = largest
    brought = DaskEngine(placed[1]).asarray(numbers)
    assert isinstance(brought, WorkerVector)
    np.testing.assert_array_equal(brought.compute(), numbers)
    assert brought.compute().dtype.itemsize <= 4
