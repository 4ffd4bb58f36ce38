"""graphwell: label everything from a few labels.

Semi-supervised classification with diffuse interface models on similarity graphs, after
Garcia-Cardona, Flenner and Percus.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphwell._version import __version__

if TYPE_CHECKING:
    from graphwell import datasets
    from graphwell.binary import BinaryInterfaceClassifier
    from graphwell.classifier import DiffuseInterfaceClassifier
    from graphwell.graph import Graph
    from graphwell.segmentation import Segmentation, Segmenter, segment
    from graphwell.solve import Annealed, Fixed, Result, Status

_HOME = {
    "Annealed": "graphwell.solve.schedule",
    "BinaryInterfaceClassifier": "graphwell.binary",
    "DiffuseInterfaceClassifier": "graphwell.classifier",
    "Fixed": "graphwell.solve.schedule",
    "Graph": "graphwell.graph",
    "Result": "graphwell.solve.result",
    "Segmentation": "graphwell.segmentation",
    "Segmenter": "graphwell.segmentation",
    "Status": "graphwell.solve.result",
    "segment": "graphwell.segmentation",
}
_MODULES = ("datasets",)

__all__ = [
    "Annealed",
    "BinaryInterfaceClassifier",
    "DiffuseInterfaceClassifier",
    "Fixed",
    "Graph",
    "Result",
    "Segmentation",
    "Segmenter",
    "Status",
    "__version__",
    "datasets",
    "segment",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import graphwell`` costs next to nothing."""
    if name in _MODULES:
        return import_module(f"graphwell.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'graphwell' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
