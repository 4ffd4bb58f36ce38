"""Methods to compare with, on the same graph."""

from graphwell.baselines.spectral import spectral_clustering

__all__ = ["spectral_clustering"]
