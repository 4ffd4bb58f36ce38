"""New rows beside those that a graph was made from."""

import numpy as np
import pytest

from graphwell import Graph


@pytest.mark.parametrize("dimension", [3, 20])
def test_new_rows_do_not_depend_on_each_other(dimension):
    rng = np.random.default_rng(10)
    graph = Graph.from_features(rng.normal(size=(300, dimension)))
    new = rng.normal(size=(64, dimension))
    together = graph.affinity_to(new).toarray()
    alone = np.vstack([graph.affinity_to(row[None]).toarray() for row in new])
    np.testing.assert_array_equal(together, alone)


def test_new_rows_weigh_as_the_kernel_says():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    origin = Graph.from_features(X, n_neighbors=2, scale_neighbor=1).origin
    weights = origin.affinity_to([[5.0]]).toarray()  # local scales 2, and 2 and 4 of its neighbours
    np.testing.assert_allclose(weights, [[0, 0, np.exp(-4 / (2 * 2)), np.exp(-4 / (2 * 4))]])
    np.testing.assert_allclose(origin.affinity_to([[5.0]], sharpness=2).toarray(), weights**2)
