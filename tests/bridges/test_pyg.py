"""Graphs of PyTorch Geometric: PyTorch is too large for the tests, so stand-ins have its attributes."""

import numpy as np
import pytest

import graphwell as gw


class Tensor:
    """What the bridge uses of a tensor on a GPU: `detach`, `cpu`, and then NumPy's protocol."""

    def __init__(self, values, place="gpu"):
        self.values, self.place = np.asarray(values), place

    def detach(self):
        return Tensor(self.values, "detached")

    def cpu(self):
        assert self.place == "detached", "a tensor with a gradient cannot become an array"
        return Tensor(self.values, "host")

    def __array__(self, dtype=None, copy=None):
        assert self.place == "host", "a tensor of a GPU cannot become an array"
        return np.asarray(self.values, dtype=dtype)


class Data:
    """What the bridge uses of a `Data` object, which gives None for what it does not have."""

    def __init__(self, edge_index, num_nodes=None, edge_weight=None, edge_attr=None):
        self.edge_index, self.num_nodes = edge_index, num_nodes
        self.edge_weight, self.edge_attr = edge_weight, edge_attr


def test_edges_named_once_or_both_ways_make_the_same_graph():
    once, both = Tensor([[0, 1], [1, 2]]), Tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    for index in (once, both):
        made = gw.Graph.from_pyg(Data(index, num_nodes=4))
        assert made.W.toarray().tolist() == [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_weights_are_found_under_their_name():
    index = Tensor([[0, 1, 2], [1, 2, 2]])
    data = Data(index, 3, edge_weight=Tensor([2.0, 3.0, 9.0]), edge_attr=Tensor([[5.0], [6.0], [9.0]]))
    assert gw.Graph.from_pyg(data).W.toarray()[1].tolist() == [2, 0, 3]
    assert gw.Graph.from_pyg(data, weight="edge_attr").W.toarray()[1].tolist() == [5, 0, 6]
    assert gw.Graph.from_pyg(data, weight=None).W.toarray()[1].tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="has no cost"):
        gw.Graph.from_pyg(data, weight="cost")


def test_several_attributes_of_an_edge_are_no_weight():
    data = Data(Tensor([[0], [1]]), 2, edge_attr=Tensor([[1.0, 2.0]]))
    with pytest.raises(ValueError, match="2 weights for 1 edges"):
        gw.Graph.from_pyg(data, weight="edge_attr")


def test_without_a_number_of_nodes_the_edges_tell():
    assert gw.Graph.from_pyg(Data(Tensor([[0, 4], [1, 2]]))).n_vertices == 5


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (Data(None), "with an edge_index is expected, got Data"),
        (object(), "got object"),
        (Data(Tensor([[0, 1, 2]])), r"shape \(2, number of edges\)"),
        (Data(Tensor([[0], [5]]), num_nodes=3), "names the vertex 5"),
    ],
)
def test_what_is_no_graph_is_refused(data, told):
    with pytest.raises(ValueError, match=told):
        gw.Graph.from_pyg(data)


def test_fit_says_what_to_do():
    with pytest.raises(ValueError, match="from_pyg"):
        gw.DiffuseInterfaceClassifier().fit(Data(Tensor([[0], [1]])), [0, -1])


@pytest.mark.parametrize("count", [-1, 2.5, True, "3", 10**30])
def test_a_number_of_nodes_that_is_none_is_refused(count):
    with pytest.raises(ValueError, match="num_nodes must be a whole number"):
        gw.Graph.from_pyg(Data(Tensor([[0], [1]]), num_nodes=count))


def test_a_weight_that_is_no_name_is_refused():
    with pytest.raises(ValueError, match="weight must be the name of an attribute"):
        gw.Graph.from_pyg(Data(Tensor([[0], [1]])), weight=5)
