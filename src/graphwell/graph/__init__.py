"""From features or affinities to the graph on which labels propagate."""

from graphwell.graph.graph import Graph

__all__ = ["Graph"]
