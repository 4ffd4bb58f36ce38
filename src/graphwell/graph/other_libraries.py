"""Graphs of other libraries."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Self


class FromOtherLibraries(ABC):
    """What makes a `graphwell.Graph` of a graph of another library; each is read by a file of `bridges/`."""

    @classmethod
    @abstractmethod
    def from_affinity(cls, W: Any) -> Self:
        """Take a symmetric non-negative matrix as it is."""

    @classmethod
    def from_networkx(
        cls, graph: Any, weight: str | None = "weight", nodelist: Sequence[Hashable] | None = None
    ) -> Self:
        """Take a graph of NetworkX: directed or not, with parallel edges or without.

        Direction is forgotten: of edges there and back the heavier counts. Parallel edges add up, edges of a
        node with itself are left out, nodes without an edge stay.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        weight : str, optional
            Attribute of the edges; 1 where an edge has none. None: all edges count alike.
        nodelist : list, optional
            Nodes in the order of the vertices; ``list(graph.nodes)`` by default.

        Examples
        --------
        >>> import graphwell as gw
        >>> import networkx
        >>> club = networkx.karate_club_graph()
        >>> gw.Graph.from_networkx(club)
        Graph(34 vertices, 78 edges, 1 component)
        """
        from graphwell.bridges.networkx import affinity_of_networkx

        return cls.from_affinity(affinity_of_networkx(graph, weight, nodelist))

    @classmethod
    def from_igraph(cls, graph: Any, weight: str | None = "weight") -> Self:
        """Take a graph of igraph, under the rules of `Graph.from_networkx`; vertices keep their numbers.

        Parameters
        ----------
        graph : igraph.Graph
        weight : str, optional
            Attribute of the edges, if there is one of this name; 1 otherwise.

        Examples
        --------
        >>> import graphwell as gw
        >>> import igraph
        >>> gw.Graph.from_igraph(igraph.Graph.Ring(5))
        Graph(5 vertices, 5 edges, 1 component)
        """
        from graphwell.bridges.igraph import affinity_of_igraph

        return cls.from_affinity(affinity_of_igraph(graph, weight))

    @classmethod
    def from_pyg(cls, data: Any, weight: str | None = "edge_weight") -> Self:
        """Take a graph of PyTorch Geometric, under the rules of `Graph.from_networkx`.

        A list that names each edge once and one that names it both ways make the same graph.

        Parameters
        ----------
        data : torch_geometric.data.Data
            Its `edge_index` and `num_nodes` are used; tensors may lie on a GPU.
        weight : str, optional
            Its weights, one for each edge, if it has some of this name: ``"edge_attr"`` may hold them too.

        Examples
        --------
        >>> import graphwell as gw
        >>> import numpy as np
        >>> from types import SimpleNamespace
        >>> data = SimpleNamespace(edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=4)
        >>> gw.Graph.from_pyg(data)
        Graph(4 vertices, 2 edges, 2 components, 1 isolated vertex)
        """
        from graphwell.bridges.pyg import affinity_of_pyg

        return cls.from_affinity(affinity_of_pyg(data, weight))

    @classmethod
    def from_sknetwork(cls, graph: Any) -> Self:
        """Take a graph of scikit-network, under the rules of `Graph.from_networkx`.

        Parameters
        ----------
        graph : sparse matrix or Dataset
            An adjacency matrix, directed or not, or a data set that holds one.

        Examples
        --------
        >>> import graphwell as gw
        >>> from scipy import sparse
        >>> gw.Graph.from_sknetwork(sparse.csr_matrix([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
        Graph(3 vertices, 2 edges, 1 component)
        """
        from graphwell.bridges.sknetwork import affinity_of_sknetwork

        return cls.from_affinity(affinity_of_sknetwork(graph))
