"""Where rows lie on a map: principal components at once, and a layout of the graph that is there anyway."""

from graphwell.layout.graph_map import graph_map
from graphwell.layout.principal import principal_map

__all__ = ["graph_map", "principal_map"]
