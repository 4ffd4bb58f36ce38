"""Lists of edges as affinities, by hand."""

import numpy as np
import pytest

from graphwell.bridges.edges import affinity_of_edges, read_weights


@pytest.mark.parametrize(
    ("edges", "weights", "expected"),
    [
        ([(0, 1)], None, 1),
        ([(0, 1), (1, 0)], None, 1),
        ([(0, 1), (1, 0)], [2, 5], 5),
        ([(0, 1), (0, 1)], [2, 5], 7),
        ([(0, 1), (0, 1), (1, 0)], [2, 5, 8], 8),
        ([(0, 1), (1, 1)], [2, 5], 2),
    ],
)
def test_parallel_edges_add_up_and_of_two_directions_the_heavier_counts(edges, weights, expected):
    assert affinity_of_edges(edges, weights, 2).toarray().tolist() == [[0, expected], [expected, 0]]


def test_no_edges_are_no_affinities():
    assert affinity_of_edges([], None, 3).shape == (3, 3)
    assert affinity_of_edges(np.empty((0, 2)), [], 3).nnz == 0


@pytest.mark.parametrize(("edge", "vertex"), [((0, 3), "3"), ((-1, 2), "-1")])
def test_a_vertex_that_is_not_there_is_named(edge, vertex):
    with pytest.raises(ValueError, match=f"names the vertex {vertex}, but they are numbered 0 to 2"):
        affinity_of_edges([edge], None, 3)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([1, 2, 3], "3 weights for 2 edges"),
        (["a", "b"], "must be numbers"),
        ([1, np.nan], "finite and not negative"),
        ([1, -1], "finite and not negative"),
    ],
)
def test_weights_that_are_none_are_refused(weights, told):
    with pytest.raises(ValueError, match=told):
        read_weights(weights, 2)


def test_a_column_of_weights_is_as_good_as_a_row():
    assert read_weights([[1.0], [2.0]], 2).tolist() == [1, 2]


@pytest.mark.parametrize(
    "ends", [[(0, 0.5)], [("a", "b")], [(0, 10**30)], [(0, 1, 2)], 5, None, [(0, np.nan)]]
)
def test_ends_that_are_no_pairs_of_whole_numbers_are_refused(ends):
    with pytest.raises(ValueError, match="must be pairs of whole numbers"):
        affinity_of_edges(ends, None, 3)


def test_without_a_number_of_vertices_the_largest_end_counts():
    assert affinity_of_edges(np.array([[0.0, 4.0]]), None, None).shape == (5, 5)
