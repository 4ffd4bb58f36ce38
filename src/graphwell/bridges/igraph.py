"""Graphs of igraph; read by their own methods, so that the library need not be imported."""

from typing import Any

from graphwell.bridges.edges import affinity_of_edges, check_weight_name


def affinity_of_igraph(graph: Any, weight: str | None = "weight") -> Any:
    """Symmetric affinities of a graph of igraph, directed or not, with parallel edges or without."""
    if not all(hasattr(graph, name) for name in ("vcount", "get_edgelist", "es")):
        raise ValueError(f"A graph of igraph is expected, got {type(graph).__name__}.")
    check_weight_name(weight)
    weighted = weight is not None and weight in graph.es.attributes()
    weights = [1 if w is None else w for w in graph.es[weight]] if weighted else None
    return affinity_of_edges(graph.get_edgelist(), weights, graph.vcount())
