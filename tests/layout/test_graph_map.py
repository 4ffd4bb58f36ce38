"""The map of a graph."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness

from graphwell import Graph
from graphwell.layout import graph_map, principal_map

DIGITS = load_digits().data[:600]


@pytest.fixture(scope="module")
def digits():
    return Graph.from_features(DIGITS)


@pytest.fixture(scope="module")
def places(digits):
    return graph_map(digits, n_jobs=1)


def test_neighbours_stay_together_far_better_than_in_principal_components(places):
    assert trustworthiness(DIGITS, principal_map(DIGITS), n_neighbors=10) < 0.85
    assert trustworthiness(DIGITS, places, n_neighbors=10) > 0.97


def test_the_number_of_threads_changes_no_bit(digits, places):
    assert (graph_map(digits, n_jobs=3) == places).all()


def test_a_graph_of_affinities_begins_from_smooth_functions(digits):
    found = graph_map(Graph.from_affinity(digits.W))
    assert trustworthiness(DIGITS, found, n_neighbors=10) > 0.97


@pytest.mark.parametrize(
    "W",
    [
        np.zeros((1, 1)),
        np.zeros((2, 2)),
        np.array([[0.0, 1.0], [1.0, 0.0]]),
        np.zeros((50, 50)),
        np.kron(np.eye(30), [[0, 1], [1, 0]]),
        1 - np.eye(40),
        np.eye(60, k=1) + np.eye(60, k=-1),
        1e-200 * (1 - np.eye(5)),
    ],
    ids=["one", "two apart", "two joined", "no edge", "pairs", "complete", "chain", "faint"],
)
def test_odd_graphs_have_finite_places(W):
    found = graph_map(Graph(sparse.csr_array(W)))
    assert found.shape == (len(W), 2)
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 500


def test_duplicates_lie_together_and_parts_apart():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 4)), 10, axis=0)
    X[300:] += 1000
    found = graph_map(Graph.from_features(X, n_neighbors=12))
    assert np.isfinite(found).all()
    assert np.ptp(found.reshape(60, 10, 2), axis=1).max() < 0.1 * np.ptp(found)
    middles = found[:300].mean(axis=0), found[300:].mean(axis=0)
    assert np.linalg.norm(middles[0] - middles[1]) > found[:300].std()


def test_it_goes_on_from_a_start_and_tells_how_far_it_is(digits):
    told = []
    start = np.random.default_rng(0).normal(size=(600, 2))
    graph_map(digits, start, progress=lambda stage, share: told.append((stage, share)))
    assert told[0] == ("map", 0.0)
    assert told[-1] == ("map", 1.0)


@pytest.mark.parametrize("start", [np.zeros((5, 2)), np.full((600, 2), np.nan), np.zeros(600)])
def test_a_start_of_another_shape_is_refused(digits, start):
    with pytest.raises(ValueError, match="600 finite rows of two numbers"):
        graph_map(digits, start)
