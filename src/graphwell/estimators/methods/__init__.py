"""Methods to compare with, on the same graph and behind the same interface."""

from graphwell.estimators.methods.cheeger import NormalisedOneCut, PLaplacianClustering, RatioCheegerCut
from graphwell.estimators.methods.cuts import CutLearning, SpectralClustering, spectral_clustering
from graphwell.estimators.methods.features import AdaptedEigenfunctions, CorrectAndSmooth
from graphwell.estimators.methods.interfaces import (
    BalancedInterface,
    MulticlassMBO,
    SimplexGinzburgLandau,
    VolumeMBO,
)
from graphwell.estimators.methods.propagation import (
    LabelSpreading,
    LaplaceLearning,
    MeasurePropagation,
    NearestLabel,
    PoissonLearning,
)

__all__ = [
    "AdaptedEigenfunctions",
    "BalancedInterface",
    "CorrectAndSmooth",
    "CutLearning",
    "LabelSpreading",
    "LaplaceLearning",
    "MeasurePropagation",
    "MulticlassMBO",
    "NearestLabel",
    "NormalisedOneCut",
    "PLaplacianClustering",
    "PoissonLearning",
    "RatioCheegerCut",
    "SimplexGinzburgLandau",
    "SpectralClustering",
    "VolumeMBO",
    "spectral_clustering",
]


def __getattr__(name: str) -> None:
    instead = "; write LabelSpreading" if name == "GTAM" else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead}")
