"""Methods to compare with, on the same graph and behind the same interface."""

from graphwell.estimators.baselines.adapted import AdaptedEigenfunctions
from graphwell.estimators.baselines.balanced import BalancedInterface
from graphwell.estimators.baselines.cheeger import NormalisedOneCut, RatioCheegerCut
from graphwell.estimators.baselines.correct_and_smooth import CorrectAndSmooth
from graphwell.estimators.baselines.cut import CutLearning
from graphwell.estimators.baselines.gtam import GTAM
from graphwell.estimators.baselines.laplace import LaplaceLearning
from graphwell.estimators.baselines.mbo import MulticlassMBO, VolumeMBO
from graphwell.estimators.baselines.measure_propagation import MeasurePropagation
from graphwell.estimators.baselines.nearest import NearestLabel
from graphwell.estimators.baselines.p_laplacian import PLaplacianClustering
from graphwell.estimators.baselines.poisson import PoissonLearning
from graphwell.estimators.baselines.simplex import SimplexGinzburgLandau
from graphwell.estimators.baselines.spectral import SpectralClustering, spectral_clustering
from graphwell.estimators.baselines.spreading import LabelSpreading

__all__ = [
    "GTAM",
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
