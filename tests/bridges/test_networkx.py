"""Graphs of NetworkX."""

import numpy as np
import pytest

import graphwell as gw

networkx = pytest.importorskip("networkx", reason="networkx is not installed")


def dense(graph):
    return graph.W.toarray()


def test_weights_and_the_order_of_the_nodes_are_kept():
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("b", "a", 2.0), ("a", "c", 3.0)])
    graph.add_node("alone")
    made = gw.Graph.from_networkx(graph)
    assert list(graph.nodes) == ["b", "a", "c", "alone"]
    assert dense(made).tolist() == [[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]]
    turned = gw.Graph.from_networkx(graph, nodelist=["c", "a"])
    assert dense(turned).tolist() == [[0, 3], [3, 0]]
    assert dense(gw.Graph.from_networkx(graph, weight=None)).max() == 1


def test_an_undirected_graph_is_what_networkx_says_it_is():
    graph = networkx.karate_club_graph()
    np.testing.assert_array_equal(dense(gw.Graph.from_networkx(graph)), networkx.to_numpy_array(graph))


def test_direction_is_forgotten_and_loops_are_left_out():
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 2.0), (1, 0, 5.0), (1, 2, 1.0), (2, 2, 9.0)])
    assert dense(gw.Graph.from_networkx(graph)).tolist() == [[0, 5, 0], [5, 0, 1], [0, 1, 0]]


def test_parallel_edges_add_up():
    graph = networkx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    assert dense(gw.Graph.from_networkx(graph)).tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("nodelist", "told"), [([0, 1, 7], "the node 7, which the graph does not have"), ([0, 0], "a node twice")]
)
def test_a_wrong_list_of_nodes_is_refused(nodelist, told):
    with pytest.raises(ValueError, match=told):
        gw.Graph.from_networkx(networkx.path_graph(3), nodelist=nodelist)


def test_other_objects_are_refused_and_fit_says_what_to_do():
    with pytest.raises(ValueError, match="A graph of NetworkX is expected, got list"):
        gw.Graph.from_networkx([[0, 1]])
    with pytest.raises(ValueError, match="from_networkx"):
        gw.DiffuseInterfaceClassifier().fit(networkx.DiGraph([(0, 1)]), [0, -1])


@pytest.mark.parametrize("nodelist", [5, [[0]]])
def test_a_list_of_no_nodes_and_odd_names_of_weights_are_refused(nodelist):
    graph = networkx.Graph([(0, 1)])
    with pytest.raises(ValueError, match="nodelist must be a list of nodes"):
        gw.Graph.from_networkx(graph, nodelist=nodelist)
    with pytest.raises(ValueError, match="weight must be the name"):
        gw.Graph.from_networkx(graph, weight=[])


def test_the_karate_club_from_two_labels():
    club = networkx.karate_club_graph()
    y = [{0: "Mr. Hi", 33: "Officer"}.get(node) for node in club]
    truth = np.array([club.nodes[node]["club"] for node in club])
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(gw.Graph.from_networkx(club), y)
    assert (clf.transduction_ == truth).mean() > 0.9


def test_a_graph_of_scikit_network_is_a_matrix_already():
    sknetwork = pytest.importorskip("sknetwork.data", reason="scikit-network is not installed")
    adjacency = sknetwork.karate_club()
    ours = gw.Graph.from_networkx(networkx.karate_club_graph(), weight=None)
    assert (gw.Graph.from_affinity(adjacency).W != ours.W).nnz == 0
