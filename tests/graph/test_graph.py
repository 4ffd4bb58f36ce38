"""The graph: weights by hand, what follows from them, and the sentences for what no graph can be made of."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from graphwell import Graph


def test_each_row_is_joined_to_its_nearest_rows_and_to_those_that_chose_it():
    X = np.random.default_rng(1).normal(size=(80, 20))
    graph = Graph.from_features(X, n_neighbors=5, scale_neighbor=3)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    chosen = np.zeros((80, 80), dtype=bool)
    np.put_along_axis(chosen, np.argsort(distance, axis=1)[:, :5], True, axis=1)
    np.testing.assert_array_equal(graph.W.toarray() > 0, chosen | chosen.T)
    tau = np.sort(distance, axis=1)[:, 2]
    expected = np.exp(-(distance**2) / np.outer(tau, tau))
    rows, columns = np.nonzero(chosen | chosen.T)
    np.testing.assert_allclose(graph.W.toarray()[rows, columns], expected[rows, columns])


@pytest.mark.parametrize("kind", ["list", "frame", "float32", "read-only"])
def test_any_table_of_numbers_is_accepted(kind):
    X = np.random.default_rng(7).normal(size=(30, 4)).astype(np.float32).astype(float)
    frozen = X.copy()
    frozen.flags.writeable = False
    given = {
        "list": X.tolist(),
        "frame": pd.DataFrame(X),
        "float32": X.astype(np.float32),
        "read-only": frozen,
    }
    np.testing.assert_allclose(
        Graph.from_features(given[kind]).W.toarray(), Graph.from_features(X).W.toarray(), rtol=1e-5
    )


def test_the_graph_cannot_be_changed():
    graph = Graph.from_affinity([[0, 1], [1, 0]])
    with pytest.raises(AttributeError):
        graph.W = None
    for array in (graph.W.data, graph.S.data, graph.degrees, graph.components):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_a_dask_array_is_not_fetched_silently():
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=r"works on one machine, and X is a Dask array; give X\.compute\(\)"):
        Graph.from_features(da.ones((5, 2)))


def test_cosine_ignores_the_length_of_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 15))
    scaled = X * rng.uniform(0.1, 10, size=(50, 1))
    one, other = (Graph.from_features(A, metric="cosine").W.toarray() for A in (X, scaled))
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_sparse_features_give_the_graph_of_the_dense_ones():
    X = sparse.random_array((150, 60), density=0.2, rng=np.random.default_rng(0), format="csr")
    np.testing.assert_allclose(
        Graph.from_features(X).W.toarray(), Graph.from_features(X.toarray()).W.toarray()
    )


def test_wide_sparse_features_are_projected_and_keep_their_clusters():
    rng = np.random.default_rng(6)
    topics = rng.random((3, 500)) < 0.05
    X = sparse.csr_array(np.repeat(topics, 40, axis=0) * rng.poisson(1.0, (120, 500)))
    graph = Graph.from_features(X, metric="cosine")
    topic = np.repeat(np.arange(3), 40)
    edges = graph.W.tocoo()
    assert (topic[edges.row] == topic[edges.col]).mean() > 0.98
    assert graph.affinity_to(X[:5]).shape == (5, 120)


def test_derived_matrices_agree_with_their_definitions():
    X = np.random.default_rng(0).normal(size=(60, 12))
    graph = Graph.from_features(X)
    W = graph.W.toarray().astype(float)
    D = W.sum(axis=1)
    np.testing.assert_allclose(W, W.T)
    np.testing.assert_allclose(graph.degrees, D)
    np.testing.assert_allclose(graph.S.toarray(), W / np.sqrt(np.outer(D, D)))
    np.testing.assert_allclose(graph.L.toarray(), np.diag(D) - W)
    np.testing.assert_allclose(graph.L_s.toarray(), np.eye(60) - W / np.sqrt(np.outer(D, D)))
    assert (np.diag(W) == 0).all()


def test_components_and_isolated_vertices_are_found():
    W = sparse.lil_array((6, 6))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    graph = Graph.from_affinity(W)
    assert graph.n_components == 4
    assert graph.isolated.tolist() == [4, 5]
    assert repr(graph) == "Graph(6 vertices, 2 edges, 4 components, 2 isolated vertices)"
    assert np.isfinite(graph.S.toarray()).all()


def test_sharpened_raises_the_weights_and_those_of_new_rows():
    X = np.random.default_rng(9).normal(size=(40, 3))
    graph = Graph.from_features(X)
    sharp = graph.sharpened(2)
    np.testing.assert_allclose(sharp.W.data, graph.W.data**2)
    new = X[:4] + 0.01
    np.testing.assert_allclose(sharp.affinity_to(new).toarray(), graph.affinity_to(new).toarray() ** 2)
    assert graph.sharpened(1) is graph


@pytest.mark.parametrize("dimension", [3, 20])
def test_new_rows_do_not_depend_on_each_other(dimension):
    rng = np.random.default_rng(10)
    graph = Graph.from_features(rng.normal(size=(300, dimension)))
    new = rng.normal(size=(64, dimension))
    together = graph.affinity_to(new).toarray()
    alone = np.vstack([graph.affinity_to(row[None]).toarray() for row in new])
    np.testing.assert_array_equal(together, alone)


def test_weights_by_hand():
    # Points 0, 1, 3: each has one neighbour; scales are 1, 1, 2.
    graph = Graph.from_features([[0.0], [1.0], [3.0]], n_neighbors=1, scale_neighbor=1)
    far = np.exp(-4 / 2)
    expected = [[0, np.exp(-1), 0], [np.exp(-1), 0, far], [0, far, 0]]
    np.testing.assert_allclose(graph.W.toarray(), expected)


def test_duplicates_get_weight_one_and_no_nan():
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(8, 20)), 15, axis=0)
    graph = Graph.from_features(X, n_neighbors=5, scale_neighbor=5)
    assert np.isfinite(graph.W.data).all()
    assert (graph.W.data > 0).all()
    assert graph.W[0, :15].toarray().max() == 1.0
    assert np.isfinite(graph.S.data).all()
    assert (graph.W.diagonal() == 0).all()


def test_far_away_points_keep_their_edges():
    X = np.vstack([np.random.default_rng(4).normal(size=(30, 3)), [[1e12, 0, 0]]])
    graph = Graph.from_features(X, n_neighbors=3, scale_neighbor=3)
    assert len(graph.isolated) == 0
    assert graph.W.data.min() >= np.finfo(np.float32).tiny
    assert (graph.S.data > 0).all()


def test_affinities_come_in_any_matrix_form_and_lose_their_diagonal():
    dense = np.array([[5.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 5.0]])
    expected = dense - np.diag(np.diag(dense))
    for form in (dense, dense.tolist(), sparse.csc_array(dense), sparse.coo_matrix(dense)):
        np.testing.assert_array_equal(Graph.from_affinity(form).W.toarray(), expected)


def test_more_neighbours_than_rows_are_reduced_with_a_warning():
    with pytest.warns(UserWarning, match="n_neighbors=10 is reduced to 3"):
        graph = Graph.from_features(np.random.default_rng(12).normal(size=(4, 2)))
    assert graph.n_edges == 6


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Graph.from_features([[1.0, np.nan], [0, 0]]), "X contains NaN"),
        (lambda: Graph.from_features([[1.0, np.inf], [0, 0]]), "X contains infinity"),
        (lambda: Graph.from_features([[1.0, 2.0]]), "minimum of 2 is required"),
        (lambda: Graph.from_features(np.ones((5, 3)), 2), "X has only identical rows"),
        (lambda: Graph.from_features(np.eye(5), n_neighbors=0), "n_neighbors must be a positive integer"),
        (lambda: Graph.from_features(np.eye(5), n_neighbors=2.5), "n_neighbors must be a positive integer"),
        (
            lambda: Graph.from_features(np.eye(5), 2, scale_neighbor=-1),
            "scale_neighbor must be a positive integer",
        ),
        (
            lambda: Graph.from_features(np.eye(5), 2, metric="hamming"),
            "metric must be one of euclidean, cosine",
        ),
        (
            lambda: Graph.from_features(sparse.csr_array((60, 2**40))),
            "columns, and to project them takes about",
        ),
        (lambda: Graph.from_affinity([[0, -1], [-1, 0]]), "negative values"),
        (lambda: Graph.from_affinity([[0, 1], [2, 0]]), "must be symmetric"),
        (lambda: Graph.from_affinity([[0, np.nan], [np.nan, 0]]), "NaN or infinite"),
        (lambda: Graph.from_affinity([[0, 1, 2], [1, 0, 2]]), "must be square"),
        (lambda: Graph.from_affinity([0, 1]), "two dimensions"),
        (lambda: Graph.from_affinity([[1]]), "at least 2 vertices"),
        (lambda: Graph.from_affinity([["a", "b"], ["b", "a"]]), "numbers only"),
        (lambda: Graph.from_affinity([[0, 1], [1, 0]]).affinity_to([[0]]), "no features"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def parts():
    """Four clusters in a row, so far apart that each is a part of its own."""
    rng = np.random.default_rng(2)
    return np.vstack([rng.normal(size=(15, 2)) + np.array([60.0 * i, 0]) for i in range(4)])


def test_a_bridged_graph_is_symmetric_joined_and_can_be_taken_apart():
    graph = Graph.from_features(parts(), n_neighbors=5, scale_neighbor=5)
    assert graph.n_components == 4
    bridged = graph.bridged(np.arange(60) == 0)
    assert bridged.n_components == 1
    assert bridged.bridges.n_parts == 3
    np.testing.assert_array_equal(bridged.bridges.rows, np.arange(60) >= 15)
    assert (bridged.W != bridged.W.T).nnz == 0
    assert (bridged.unbridged.W != graph.W).nnz == 0
    again = bridged.bridged(np.arange(60) % 15 == 0)
    assert (again.W != graph.W).nnz == 0
    assert again.bridges is None
    own = graph.W[15:30].data.mean()
    assert bridged.bridges.weights[bridged.bridges.near < 30] == pytest.approx(own, abs=1e-5)


@pytest.mark.parametrize("dimension", [4, 12])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_points_that_change_while_they_are_searched_change_nothing(dimension, value):
    """Another thread may write into the features; what is checked first is not what is compared."""
    X = np.random.default_rng(0).normal(size=(2000, dimension))

    def spoil(stage, share):
        if share == 0:  # the points have been checked, and a tree of them is built
            X[::3] = value

    expected = Graph.from_features(X.copy())
    found = Graph.from_features(X, progress=spoil, n_jobs=1)
    assert (found.W != expected.W).nnz == 0


FORK = """
import multiprocessing, sys
import numpy as np
from graphwell import DiffuseInterfaceClassifier

X = np.random.default_rng(0).normal(size=(3000, 20))
y = np.where(np.arange(3000) < 20, np.arange(3000) % 2, -1)

def fit(_):
    return DiffuseInterfaceClassifier(models=None, n_jobs=2, random_state=0).fit(X, y).transduction_

if __name__ == "__main__":
    whole = fit(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(all((found == whole).all() for found in pool.map_async(fit, range(2)).get(timeout=100)))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_is_forked_after_a_fit_can_fit(tmp_path):
    """The threads of OpenMP do not survive the fork."""
    (tmp_path / "script.py").write_text(FORK)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, tmp_path / "script.py"], env=environment, capture_output=True, text=True, timeout=150
    )
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr
