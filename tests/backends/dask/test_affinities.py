"""A graph given as a Dask array of affinities is fitted as on one machine."""

import pickle
import warnings

import dask.array as da
import numpy as np
import pytest
from dask import delayed
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier, Graph, UnreachableWarning
from tests.backends.dask.cases import QUICK, fitted, in_blocks, rows_and_labels


def isolated_and_apart():
    """Two parts, and vertices without any edge."""
    W = np.zeros((12, 12))
    W[:4, :4] = W[5:10, 5:10] = 1.0
    W[0, 2] = W[2, 0] = 5.0  # of two rows between two labels, each is nearer to another
    W[1, 3] = W[3, 1] = 4.0
    return W


def path_with_a_heavy_diagonal():
    """The diagonal is ignored."""
    return np.diag(np.full(11, 0.5), 1) + np.diag(np.full(11, 0.5), -1) + np.diag(np.full(12, 7.0))


def stored_twice():
    """An entry in two halves, and a zero that is stored."""
    W = sparse.coo_array(path_with_a_heavy_diagonal())
    rows, columns = np.append(W.coords, [[0, 1, 3], [1, 0, 9]], axis=1)
    return sparse.coo_array((np.append(W.data, [0.25, 0.25, 0.0]), (rows, columns)), shape=(12, 12)).tocsr()


def nearly_symmetric():
    """What is above the diagonal counts."""
    W = path_with_a_heavy_diagonal()
    W[4, 3] += 1e-8
    return W


def graph_of(X):
    """The graph of a fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableWarning)
        return fitted(X, np.arange(12) % 2, metric="precomputed", **QUICK).graph_


@pytest.mark.parametrize("lengths", [(12,), (5, 7), (1, 0, 4, 6, 1)])
@pytest.mark.parametrize(
    "make", [isolated_and_apart, path_with_a_heavy_diagonal, stored_twice, nearly_symmetric]
)
def test_the_graph_is_that_of_one_machine(client, make, lengths):
    expected = Graph.from_affinity(make())
    many = graph_of(in_blocks(make(), lengths))
    np.testing.assert_array_equal(many.W.toarray(), expected.W.toarray())
    assert many.W.nnz == expected.W.nnz
    assert many.n_components == expected.n_components
    assert many.n_blocks == min(sum(map(bool, lengths)), 2)


NEGATIVE_ABOVE = np.repeat([[-1.0], [1.0]], 6, axis=0) * np.ones(12)
"""The first of two blocks alone is wrong: of several it is not settled which is named."""


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (da.ones((12, 12), chunks=(6, 6)), r"X is cut into 2 chunks along its columns"),
        (da.ones((12, 5)), r"must be square, got shape \(12, 5\)"),
        (da.ones((1, 1)), "needs at least 2 vertices, got 1 sample"),
        (da.from_array(np.triu(np.ones((12, 12))), chunks=(5, 12)), "must be symmetric; use"),
        (
            da.from_array(NEGATIVE_ABOVE, chunks=(6, 12)),
            "Rows 0 to 5: The affinity matrix holds negative values",
        ),
        (da.full((12, 12), np.inf, chunks=(12, 12)), "Rows 0 to 11: The affinity matrix holds NaN or inf"),
    ],
)
def test_what_is_no_matrix_of_affinities_gets_one_sentence(client, X, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier(models=None, metric="precomputed").fit(X, np.arange(X.shape[0]) % 2)


def test_a_block_whose_indices_lead_outside_is_named(client):
    part = sparse.csr_array(path_with_a_heavy_diagonal())[6:]
    part.indices[-1] = 999
    blocks = [delayed(np.eye(12)[:6]), delayed(part)]
    X = da.concatenate([da.from_delayed(block, (6, 12), meta=np.empty((0, 0))) for block in blocks])
    with pytest.raises(ValueError, match=r"Rows 6 to 11: .* stored entries do not fit its shape"):
        graph_of(X)


def test_a_block_that_is_not_what_the_array_says_is_named(client):
    X = da.from_delayed(delayed(np.eye(3)), (12, 12), meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"Rows 0 to 11: a block of X has the shape \(3, 3\)"):
        graph_of(X)


@pytest.mark.slow
@pytest.mark.parametrize("lengths", [(600,), (100, 400, 100), (60,) * 10])
def test_labels_have_the_bits_of_one_machine(client, lengths):
    X, y, _ = rows_and_labels()
    W = Graph.from_features(X, n_neighbors=6, scale_neighbor=6).W
    one = fitted(W, y, metric="precomputed")
    many = fitted(in_blocks(W, lengths), y, metric="precomputed")
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_array_equal(many.result_.labels, one.result_.labels)
    assert set(many.doubtful(4)) == set(one.doubtful(4))  # their scores differ in the last bits alone
    assert many.transduction_.chunks == (lengths,)
    assert many.n_features_in_ == one.n_features_in_ == 600


@pytest.mark.slow
def test_parts_without_a_label_are_told_and_new_rows_are_asked_by_affinity(client):
    W, y = isolated_and_apart(), np.array([0, 1, *[-1] * 10])
    with pytest.warns(UnreachableWarning, match="8 of 12 rows lie in 4 parts"):
        one = fitted(W, y, metric="precomputed")
    with pytest.warns(UnreachableWarning, match="8 of 12 rows lie in 4 parts"):
        many = fitted(in_blocks(W, (5, 7)), y, metric="precomputed")
    np.testing.assert_array_equal(many.reachable_.compute(), one.reachable_)
    np.testing.assert_allclose(many.label_distributions_.compute(), one.label_distributions_, atol=1e-6)
    new = np.vstack([W[:2], W[6:7], np.zeros((1, 12))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableWarning)
        expected = one.predict_proba(new)
        for rows in (new, sparse.csr_array(new)):
            np.testing.assert_allclose(many.predict_proba(rows), expected, atol=1e-6)
        np.testing.assert_array_equal(
            many.predict(new)[:2], one.predict(new)[:2]
        )  # others have no label near
        lazily = many.predict_proba(in_blocks(new, (3, 1)))
        assert lazily.chunks == ((3, 1), (2,))
        np.testing.assert_allclose(lazily.compute(), expected, atol=1e-6)
        stored = pickle.loads(pickle.dumps(many))
        np.testing.assert_allclose(stored.predict_proba(new), expected, atol=1e-6)
    with pytest.raises(ValueError, match="affinities of each new row to the 12 fitted rows, got 5 columns"):
        many.predict(new[:, :5])
