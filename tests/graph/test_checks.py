"""What a graph can be made of, and the sentences for what it cannot."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph


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
