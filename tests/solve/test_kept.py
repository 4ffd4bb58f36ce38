"""What depends on a graph alone is found once, and a kept engine changes no bit of a fit."""

import gc
import weakref

import numpy as np
import pytest

import graphwell as gw
from graphwell import Graph
from graphwell.backends import find_backend
from graphwell.solve.communities import groundwork
from graphwell.solve.problem import KeptEngine, engine_of, found_once


@pytest.fixture
def graph():
    X, _ = gw.datasets.make_three_moons(100, random_state=0)
    return Graph.from_features(X)


def test_the_engine_is_kept_for_the_graph_that_was_fitted_last(graph):
    backend, kept = find_backend(), KeptEngine()
    first = kept.of(backend, graph, 2.0)
    assert kept.of(find_backend(), graph, 2.0) is first
    assert kept.of(backend, graph, 1.0) is not first
    again = kept.of(backend, graph, 2.0)
    assert again is not first
    assert kept.of(backend, Graph.from_affinity(graph.W), 2.0) is not again
    assert kept.of(find_backend(n_jobs=1), graph, 2.0) is not kept.of(find_backend(n_jobs=2), graph, 2.0)


def test_nothing_is_kept_unless_somebody_asked(graph):
    backend, kept = find_backend(), KeptEngine()
    assert engine_of(backend, graph, 2.0)[1] is not engine_of(backend, graph, 2.0)[1]
    with kept.open():
        inside = engine_of(backend, graph, 2.0)[1]
        assert engine_of(backend, graph, 2.0)[1] is inside
    assert engine_of(backend, graph, 2.0)[1] is not inside


def test_what_was_found_goes_with_the_engine(graph):
    calls = []
    find = found_once(lambda engine: calls.append(engine.graph.n_vertices) or len(calls))
    engine = find_backend().engine(graph)
    assert (find(engine), find(engine)) == (1, 1)
    assert find(find_backend().engine(graph)) == 2
    gone = weakref.ref(engine)
    del engine
    gc.collect()
    assert gone() is None


def test_communities_are_found_once_and_cannot_be_written_into(graph):
    ground = groundwork(find_backend().engine(graph))
    groups, W = ground.level(4.0, 1)
    assert ground.level(4.0, 1)[0] is groups
    assert ground.merged(4.0, 1) is groups
    assert not np.array_equal(groups, ground.merged(64.0, 1))
    assert W.sum() == pytest.approx(ground.W.sum())
    with pytest.raises(ValueError, match="read-only"):
        groups[0] = 1
