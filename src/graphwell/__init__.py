"""graphwell: label everything from a few labels.

Semi-supervised classification with diffuse interface models on similarity graphs, after
Garcia-Cardona, Flenner and Percus.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphwell._version import __version__

if TYPE_CHECKING:
    from graphwell import active, datasets, metrics, model_selection, widgets
    from graphwell.active.clustering import DiffuseInterfaceClustering
    from graphwell.active.suggest import suggest
    from graphwell.comparison.compare import compare
    from graphwell.encoders.table import TableEncoder
    from graphwell.errors import BridgedWarning, LabelWarning, UnreachableWarning
    from graphwell.estimators import methods as baselines
    from graphwell.estimators.binary import BinaryInterfaceClassifier
    from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
    from graphwell.estimators.registry import citation, methods
    from graphwell.graph import Graph
    from graphwell.interop.anndata import annotate
    from graphwell.interop.frames import with_labels
    from graphwell.interop.notebook import progress_bar
    from graphwell.io.tables import read_table
    from graphwell.segmentation.segmenter import Segmentation, Segmenter, segment
    from graphwell.solve import Annealed, CancelledError, Fixed, Result, Status, Step
    from graphwell.view import plots

_HOME = {
    "Annealed": "graphwell.solve.schedule",
    "BinaryInterfaceClassifier": "graphwell.estimators.binary",
    "BridgedWarning": "graphwell.errors",
    "CancelledError": "graphwell.progress",
    "DiffuseInterfaceClassifier": "graphwell.estimators.diffuse",
    "DiffuseInterfaceClustering": "graphwell.active.clustering",
    "Fixed": "graphwell.solve.schedule",
    "Graph": "graphwell.graph",
    "Result": "graphwell.solve.descent",
    "Segmentation": "graphwell.segmentation.segmenter",
    "Segmenter": "graphwell.segmentation.segmenter",
    "Status": "graphwell.solve.descent",
    "Step": "graphwell.solve.descent",
    "TableEncoder": "graphwell.encoders.table",
    "LabelWarning": "graphwell.errors",
    "UnreachableWarning": "graphwell.errors",
    "citation": "graphwell.estimators.registry",
    "annotate": "graphwell.interop.anndata",
    "progress_bar": "graphwell.interop.notebook",
    "with_labels": "graphwell.interop.frames",
    "compare": "graphwell.comparison.compare",
    "methods": "graphwell.estimators.registry",
    "read_table": "graphwell.io.tables",
    "segment": "graphwell.segmentation.segmenter",
    "suggest": "graphwell.active.suggest",
}
_MODULES = {
    "active": "graphwell.active",
    "baselines": "graphwell.estimators.methods",
    "datasets": "graphwell.datasets",
    "metrics": "graphwell.metrics",
    "model_selection": "graphwell.model_selection",
    "plots": "graphwell.view.plots",
    "widgets": "graphwell.widgets",
}
# Public names of before, and what to write instead.
_GONE = {"from_dataset": "write X, y = np.array(rows['embedding']), np.array(rows['label'])"}

__all__ = [
    "Annealed",
    "BinaryInterfaceClassifier",
    "BridgedWarning",
    "CancelledError",
    "DiffuseInterfaceClassifier",
    "DiffuseInterfaceClustering",
    "Fixed",
    "Graph",
    "LabelWarning",
    "Result",
    "Segmentation",
    "Segmenter",
    "Status",
    "Step",
    "TableEncoder",
    "UnreachableWarning",
    "__version__",
    "active",
    "annotate",
    "baselines",
    "citation",
    "compare",
    "datasets",
    "methods",
    "metrics",
    "model_selection",
    "plots",
    "progress_bar",
    "read_table",
    "segment",
    "suggest",
    "widgets",
    "with_labels",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import graphwell`` costs next to nothing."""
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOME:
        advice = f"; {_GONE[name]}" if name in _GONE else ""
        raise AttributeError(f"module 'graphwell' has no attribute {name!r}{advice}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _ModulesOfEarlierVersions:
    """Asked last for a module: one of an earlier version, which a pickle names, is refused in a sentence."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Refuse what no other finder found."""
        if name.startswith("graphwell."):
            told = "a pickle that names it is of another version; fit anew."
            raise ModuleNotFoundError(f"graphwell {__version__} has no {name}; {told}", name=name)


sys.meta_path.append(_ModulesOfEarlierVersions)
