"""Every method that labels a graph, by name, and what to cite for it.

A file declares its methods with the decorator `method`; those of the folder `methods` are found by name.
Benchmarks and docs list what is here; the command line has a list of its own (`cli.options`), which a test
compares.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, TypeVar

from graphwell.estimators.base import GraphClassifier

DEFAULT = "diffuse interface"

Classifier = TypeVar("Classifier", bound=type)


@dataclass(frozen=True)
class Method:
    """A way to label every vertex of a graph from a few labels.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> methods()["laplace"](metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    name: str
    summary: str  # what it does, in a few words
    classifier: type  # of scikit-learn's interface; it takes a `graphwell.Graph` in place of features
    parameters: Mapping[str, Any] = field(default_factory=dict)  # that make the classifier this method
    most_classes: int | None = None  # more than so many it cannot tell apart
    told_sizes: bool = False  # whether it expects the sizes of the classes (`class_prior`)
    slow: bool = False  # whether it takes much longer than the others on a large graph
    sources: tuple[str, ...] = ()  # keys of what to cite, in ``sources.bib``

    def __call__(self, **parameters: Any) -> Any:
        """Return the classifier, unfitted, with further parameters."""
        return self.classifier(**{**self.parameters, **parameters})


_METHODS: dict[str, Method] = {}


def method(name: str, summary: str, **declared: Any) -> Callable[[Classifier], Classifier]:
    """Register a classifier as a method; the others are those of `Method`, by default its own sources."""

    def register(classifier: Classifier) -> Classifier:
        sources = declared.pop("sources", getattr(classifier, "sources", ()))
        _METHODS[name] = Method(name, summary, classifier, sources=sources, **declared)
        return classifier

    return register


def forget(name: str) -> None:
    """Take a method out of the registry."""
    del _METHODS[name]


def methods() -> Mapping[str, Method]:
    """Every method by name, the default first.

    Examples
    --------
    >>> list(methods())[:2]
    ['diffuse interface', 'binary interface']
    """
    for module in ("diffuse", "binary"):
        import_module(f"graphwell.estimators.{module}")
    folder = import_module("graphwell.estimators.methods")
    for found in iter_modules(folder.__path__):
        import_module(f"{folder.__name__}.{found.name}")
    own = (DEFAULT, "binary interface")
    others = sorted(_METHODS.keys() - own)
    return MappingProxyType({name: _METHODS[name] for name in (*own, *others)})


LOCAL_SCALES = "zelnikmanor2004selftuning"
DIFFUSION_START, COMMUNITIES = "calder2020poisson", "blondel2008fast"


def citation(estimator: Any) -> str:
    r"""Return BibTeX entries of the methods that a classifier or clusterer uses.

    A fitted one is asked what it did: communities are cited if they were looked at, and the scales of the
    affinities if the graph was made from features.

    Parameters
    ----------
    estimator : classifier or clusterer of graphwell

    Examples
    --------
    >>> from graphwell.estimators.methods import PoissonLearning
    >>> print(citation(PoissonLearning(metric="precomputed")))
    @inproceedings{calder2020poisson,
      author = {Calder, Jeff and Cook, Brendan and Thorpe, Matthew and Slep{\v{c}}ev, Dejan},
      title = {Poisson Learning: Graph Based Semi-Supervised Learning at Very Low Label Rates},
      booktitle = {Proceedings of the 37th International Conference on Machine Learning},
      year = {2020}
    }
    """
    if not isinstance(estimator, GraphClassifier):
        raise ValueError(f"Only methods of graphwell are cited here, got {type(estimator).__name__}.")
    entries = [entry for entry in methods().values() if isinstance(estimator, entry.classifier)]
    # The variant with these parameters; a clusterer of another room is no method, and has its own sources.
    fitting = [m for m in entries if all(getattr(estimator, k) == v for k, v in m.parameters.items())]
    found = max(fitting, key=lambda m: (len(m.classifier.__mro__), len(m.parameters)), default=None)
    keys = list(getattr(estimator, "sources", ()) or (() if found is None else found.sources))
    if found is not None and found.name == DEFAULT:
        keys += [DIFFUSION_START] if estimator.start in ("auto", "diffusion") else []
        keys += [COMMUNITIES] if getattr(getattr(estimator, "result_", None), "coarse", False) else []
    graph = getattr(estimator, "graph_", None)
    from_features = estimator.metric != "precomputed" if graph is None else graph.origin is not None
    keys += [LOCAL_SCALES] if from_features else []
    return "\n\n".join(bibliography()[key] for key in dict.fromkeys(keys))


@cache
def bibliography() -> dict[str, str]:
    """Every source by its key."""
    text = files("graphwell.estimators").joinpath("sources.bib").read_text(encoding="utf-8")
    entries = re.split(r"\n\n(?=@)", text.strip())
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
