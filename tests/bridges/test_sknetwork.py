"""Graphs of scikit-network."""

import numpy as np
import pytest
from scipy import sparse

import graphwell as gw

data = pytest.importorskip("sknetwork.data", reason="scikit-network is not installed")


def test_a_known_graph_and_its_labels():
    club = data.karate_club(metadata=True)
    graph = gw.Graph.from_sknetwork(club)
    assert repr(graph) == "Graph(34 vertices, 78 edges, 1 component)"
    assert (graph.W != gw.Graph.from_sknetwork(club.adjacency).W).nnz == 0
    known = np.full(34, -1)
    known[[0, 33]] = club.labels[[0, 33]]
    found = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, known).transduction_
    assert (found == club.labels).mean() > 0.9


def test_direction_is_forgotten_and_loops_are_left_out():
    one_way = sparse.csr_matrix(np.array([[3.0, 2.0, 0.0], [5.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    assert gw.Graph.from_sknetwork(one_way).W.toarray().tolist() == [[0, 5, 0], [5, 0, 1], [0, 1, 0]]
    painters = data.painters()
    graph = gw.Graph.from_sknetwork(painters)
    assert graph.n_vertices == painters.shape[0]


def test_other_objects_are_refused():
    with pytest.raises(ValueError, match="bipartite2undirected"):
        gw.Graph.from_sknetwork(data.movie_actor(metadata=True))
    with pytest.raises(ValueError, match=r"must be square, got \(15, 17\)"):
        gw.Graph.from_sknetwork(data.movie_actor())
    with pytest.raises(ValueError, match="finite and not negative"):
        gw.Graph.from_sknetwork(sparse.csr_matrix([[0, -1.0], [-1.0, 0]]))
