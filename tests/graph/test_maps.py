"""Maps of rows: pull and push held to plain loops, maps to scikit-learn's figures."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness

from graphwell import Graph
from graphwell._threads import ThreadPool
from graphwell.graph.maps import (
    graph_map,
    principal_map,
    repulsion,
)

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


@pytest.mark.parametrize("start", [np.zeros((5, 2)), np.full((600, 2), np.nan), np.zeros(600)])
def test_a_start_of_another_shape_is_refused(digits, start):
    with pytest.raises(ValueError, match="600 finite rows of two numbers"):
        graph_map(digits, start)


def test_it_is_that_of_scikit_learn_up_to_signs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 12)) * np.geomspace(10, 1, 12)
    found, wanted = principal_map(X), PCA(2, random_state=0).fit_transform(X)
    for column in range(2):
        assert abs(np.corrcoef(found[:, column], wanted[:, column])[0, 1]) > 0.9999


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (2, 1), (5, 1), (3, 0)])
def test_few_rows_and_columns_have_a_principal_map(shape):
    places = principal_map(np.arange(np.prod(shape), dtype=float).reshape(shape))
    assert places.shape == (shape[0], 2)
    assert np.isfinite(places).all()


def pair_by_pair(places):
    """The push as it is defined."""
    between = places[:, None] - places[None]
    closeness = 1.0 / (1.0 + (between**2).sum(axis=2))
    others = closeness.sum(axis=1).mean() - 1.0
    return (closeness[..., None] ** 2 * between).sum(axis=1) / others


@pytest.mark.parametrize(("n", "width", "error"), [(2000, 5.0, 0.03), (300, 10.0, 0.12), (400, 0.01, 0.3)])
def test_it_is_the_sum_over_all_pairs(n, width, error):
    places = np.random.default_rng(0).normal(0, width, (n, 2))
    found, wanted = repulsion(places, ThreadPool(1)), pair_by_pair(places)
    assert np.linalg.norm(found - wanted) < error * np.linalg.norm(wanted)
