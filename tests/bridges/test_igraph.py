"""Graphs of igraph."""

import pytest

import graphwell as gw

igraph = pytest.importorskip("igraph", reason="igraph is not installed")


def test_weights_loops_parallel_edges_and_lone_vertices():
    edges = [(0, 1), (0, 1), (1, 2), (2, 2)]
    graph = igraph.Graph(n=4, edges=edges, edge_attrs={"weight": [1.0, 2.0, None, 7.0]})
    made = gw.Graph.from_igraph(graph)
    assert made.W.toarray().tolist() == [[0, 3, 0, 0], [3, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert gw.Graph.from_igraph(graph, weight="none of this name").W.toarray()[0, 1] == 2


def test_direction_is_forgotten():
    graph = igraph.Graph(n=2, edges=[(0, 1), (1, 0)], directed=True, edge_attrs={"weight": [2, 5]})
    assert gw.Graph.from_igraph(graph).W.toarray().tolist() == [[0, 5], [5, 0]]


def test_a_known_graph():
    zachary = igraph.Graph.Famous("Zachary")
    assert repr(gw.Graph.from_igraph(zachary)) == "Graph(34 vertices, 78 edges, 1 component)"


def test_other_objects_are_refused_and_fit_says_what_to_do():
    with pytest.raises(ValueError, match="A graph of igraph is expected, got dict"):
        gw.Graph.from_igraph({})
    with pytest.raises(ValueError, match="from_igraph"):
        gw.DiffuseInterfaceClassifier().fit(igraph.Graph.Ring(3), [0, 1, -1])
