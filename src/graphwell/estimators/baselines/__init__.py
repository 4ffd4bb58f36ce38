"""Methods to compare with, on the same graph and behind the same interface."""

from graphwell.estimators.baselines.laplace import LaplaceLearning
from graphwell.estimators.baselines.mbo import MulticlassMBO, VolumeMBO
from graphwell.estimators.baselines.nearest import NearestLabel
from graphwell.estimators.baselines.poisson import PoissonLearning
from graphwell.estimators.baselines.spectral import spectral_clustering
from graphwell.estimators.baselines.spreading import LabelSpreading

__all__ = [
    "LabelSpreading",
    "LaplaceLearning",
    "MulticlassMBO",
    "NearestLabel",
    "PoissonLearning",
    "VolumeMBO",
    "spectral_clustering",
]
