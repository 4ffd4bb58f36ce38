"""graphwell: label everything from a few labels.

Semi-supervised classification with diffuse interface models on similarity graphs, after
Garcia-Cardona, Flenner and Percus.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from graphwell import active as active
    from graphwell import datasets as datasets
    from graphwell import metrics as metrics
    from graphwell import model_selection as model_selection
    from graphwell import widgets as widgets
    from graphwell.active.clustering import DiffuseInterfaceClustering as DiffuseInterfaceClustering
    from graphwell.active.session import suggest as suggest
    from graphwell.comparison.compare import compare as compare
    from graphwell.encoders.encode import encode as encode
    from graphwell.encoders.table import TableEncoder as TableEncoder
    from graphwell.errors import BridgedWarning as BridgedWarning
    from graphwell.errors import LabelWarning as LabelWarning
    from graphwell.errors import UnreachableWarning as UnreachableWarning
    from graphwell.estimators import methods as baselines  # noqa: F401
    from graphwell.estimators.binary import BinaryInterfaceClassifier as BinaryInterfaceClassifier
    from graphwell.estimators.diffuse import DiffuseInterfaceClassifier as DiffuseInterfaceClassifier
    from graphwell.estimators.registry import citation as citation
    from graphwell.estimators.registry import methods as methods
    from graphwell.graph import Graph as Graph
    from graphwell.interop.anndata import annotate as annotate
    from graphwell.io.tables import read_table as read_table
    from graphwell.segmentation.segmenter import Segmentation as Segmentation
    from graphwell.segmentation.segmenter import Segmenter as Segmenter
    from graphwell.segmentation.segmenter import segment as segment
    from graphwell.solve import Annealed as Annealed
    from graphwell.solve import CancelledError as CancelledError
    from graphwell.solve import Fixed as Fixed
    from graphwell.solve import Result as Result
    from graphwell.solve import Status as Status
    from graphwell.solve import Step as Step
    from graphwell.view import plots as plots

_NAMES = {
    "graphwell.active.clustering": ("DiffuseInterfaceClustering",),
    "graphwell.active.session": ("suggest",),
    "graphwell.comparison.compare": ("compare",),
    "graphwell.encoders.encode": ("encode",),
    "graphwell.encoders.table": ("TableEncoder",),
    "graphwell.errors": ("BridgedWarning", "LabelWarning", "UnreachableWarning"),
    "graphwell.estimators.binary": ("BinaryInterfaceClassifier",),
    "graphwell.estimators.diffuse": ("DiffuseInterfaceClassifier",),
    "graphwell.estimators.registry": ("citation", "methods"),
    "graphwell.graph": ("Graph",),
    "graphwell.interop.anndata": ("annotate",),
    "graphwell.io.tables": ("read_table",),
    "graphwell.segmentation.segmenter": ("Segmentation", "Segmenter", "segment"),
    "graphwell.solve": ("Annealed", "CancelledError", "Fixed", "Result", "Status", "Step"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
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
_GONE = {
    "progress_bar": "write fit(X, y, progress=lambda stage, share: print(stage, share))",
    "with_labels": "write frame.assign(graphwell_label=clf.transduction_)",
    "from_dataset": "write X, y = np.array(rows['embedding']), np.array(rows['label'])",
    "segment_frames": "segment the frames as a volume: segment(np.stack(frames, axis=2), seeds)",
}
# Types of what is returned and of what a callback gets: importable, and not among the names to begin with.
_TYPES = {"CancelledError", "Result", "Segmentation", "Status", "Step"}

__all__ = sorted([*(_HOME.keys() - _TYPES), *_MODULES, "__version__"])


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
    return sorted([*_HOME, *_MODULES, "__version__"])


class _ModulesOfEarlierVersions:
    """Asked last for a module: one of an earlier version, which a pickle names, is refused in a sentence."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Refuse what no other finder found."""
        if name.startswith("graphwell."):
            told = "a pickle that names it is of another version; fit anew."
            raise ModuleNotFoundError(f"graphwell {__version__} has no {name}; {told}", name=name)


sys.meta_path.append(_ModulesOfEarlierVersions)
