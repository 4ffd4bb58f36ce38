"""Graphs of other libraries are those of their matrix; `tests/bridges` holds what each of them may hold."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph

EDGES = [(0, 1), (1, 2), (2, 3)]
MATRIX = np.zeros((5, 5))
MATRIX[tuple(np.transpose(EDGES))] = 1
CHAIN = Graph.from_affinity(MATRIX + MATRIX.T)


def test_all_make_the_same_graph():
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    of_networkx = networkx.empty_graph(5)
    of_networkx.add_edges_from(EDGES)
    data = SimpleNamespace(edge_index=np.transpose(EDGES), num_nodes=5)
    found = [
        Graph.from_networkx(of_networkx), Graph.from_igraph(igraph.Graph(5, EDGES)), Graph.from_pyg(data),
        Graph.from_sknetwork(sparse.csr_matrix(MATRIX)),
    ]  # fmt: skip
    assert [type(made) for made in found] == [Graph] * 4
    for made in found:
        np.testing.assert_array_equal(made.W.toarray(), CHAIN.W.toarray())
