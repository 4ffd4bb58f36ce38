"""What query strategies are given, taken from a strategy that keeps it."""

from typing import Any

import numpy as np

import graphwell as gw
from graphwell.active import Query
from tests.helpers import clusters


def query_of(graph: gw.Graph, y: Any = None, exclude: Any = ()) -> Query:
    """The query of a graph with these labels."""
    found: list[Query] = []

    def kept(query, n):
        found.append(query)
        return []

    gw.suggest(graph, y, n=1, strategy=kept, exclude=exclude)
    return found[0]


def labelled(truth: Any, rows: Any) -> Any:
    """Labels of some rows, -1 elsewhere."""
    y = np.full(len(truth), -1)
    y[rows] = truth[rows]
    return y


def five_clusters() -> tuple[gw.Graph, Any]:
    """Five clear clusters, one of them small."""
    return clusters([60, 60, 60, 60, 12])
