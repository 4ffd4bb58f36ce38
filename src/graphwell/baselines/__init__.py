"""Methods to compare with, on the same graph and behind the same interface."""

from graphwell.baselines.laplace import LaplaceLearning
from graphwell.baselines.mbo import MulticlassMBO, VolumeMBO
from graphwell.baselines.nearest import NearestLabel
from graphwell.baselines.poisson import PoissonLearning
from graphwell.baselines.spectral import spectral_clustering
from graphwell.baselines.spreading import LabelSpreading

__all__ = [
    "LabelSpreading",
    "LaplaceLearning",
    "MulticlassMBO",
    "NearestLabel",
    "PoissonLearning",
    "VolumeMBO",
    "spectral_clustering",
]
