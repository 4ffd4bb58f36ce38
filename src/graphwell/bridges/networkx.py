"""Graphs of NetworkX; read by their own methods, so that the library need not be imported."""

from collections.abc import Hashable, Sequence
from typing import Any

from graphwell.bridges.edges import affinity_of_edges, check_weight_name
from graphwell.errors import in_short


def affinity_of_networkx(
    graph: Any, weight: str | None = "weight", nodelist: Sequence[Hashable] | None = None
) -> Any:
    """Symmetric affinities of a graph of NetworkX, directed or not, with parallel edges or without."""
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_multigraph")):
        raise ValueError(f"A graph of NetworkX is expected, got {type(graph).__name__}.")
    check_weight_name(weight)
    try:
        nodes = list(graph.nodes if nodelist is None else nodelist)
        place = {node: number for number, node in enumerate(nodes)}
    except TypeError as error:
        raise ValueError(
            f"nodelist must be a list of nodes of the graph, got {in_short(nodelist)}."
        ) from error
    unknown = next((node for node in nodes if node not in graph), None)
    if unknown is not None or len(place) < len(nodes):
        what = (
            f"the node {unknown!r}, which the graph does not have" if unknown is not None else "a node twice"
        )
        raise ValueError(f"nodelist names {what}; name each node of the graph once.")
    edges = [edge for edge in graph.edges(data=weight, default=1) if edge[0] in place and edge[1] in place]
    weights = None if weight is None else [edge[2] for edge in edges]
    return affinity_of_edges([(place[edge[0]], place[edge[1]]) for edge in edges], weights, len(nodes))
