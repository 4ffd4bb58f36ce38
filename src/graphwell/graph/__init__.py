"""From features or affinities to the graph that labels spread on."""

from graphwell.graph.graph import Graph

__all__ = ["Graph"]
