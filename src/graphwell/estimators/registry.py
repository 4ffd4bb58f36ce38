"""Every method that labels a graph, by name, and what to cite for it.

A file declares its methods with the decorator `method`; those of the folder `methods` are found by name.
Command line, benchmarks and docs list what is here.
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

    Attributes
    ----------
    name : str
    summary : str
        What it does, in a few words.
    classifier : type
        A scikit-learn classifier that takes a `graphwell.Graph` in place of features.
    parameters : mapping
        Parameters of the classifier that make it this method.
    most_classes : int, optional
        More than so many it cannot tell apart.
    told_sizes : bool
        Whether it expects the sizes of the classes (`class_prior`).
    slow : bool
        Whether it takes much longer than the others on a large graph.
    on_cluster : bool
        Whether it takes Dask arrays.
    sources : tuple of str
        Keys of what to cite, in ``sources.bib``.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> methods()["laplace"](metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    name: str
    summary: str
    classifier: type
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most_classes: int | None = None
    told_sizes: bool = False
    slow: bool = False
    on_cluster: bool = False
    sources: tuple[str, ...] = ()

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
    return MappingProxyType(dict(sorted(_METHODS.items(), key=lambda item: (_rank(item[1]), item[0]))))


def _rank(entry: Method) -> int:
    """Graphwell's own methods come before those to compare with."""
    own = entry.classifier.__module__.partition("estimators.")[2]
    return 0 if entry.name == DEFAULT else 1 if own == "binary" else 2


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
    keys = dict.fromkeys((*sources_of(estimator), *_of_graph(estimator)))
    return "\n\n".join(bibliography()[key] for key in keys)


@cache
def bibliography() -> dict[str, str]:
    """Every source by its key."""
    text = files("graphwell.estimators").joinpath("sources.bib").read_text(encoding="utf-8")
    entries = re.split(r"\n\n(?=@)", text.strip())
    return {re.match(r"@\w+\{(\w+),", entry)[1]: entry for entry in entries}  # type: ignore[index]


def sources_of(estimator: Any) -> tuple[str, ...]:
    """Keys of the sources of a method, as its parameters and its last fit make it."""
    own: tuple[str, ...] | None = getattr(estimator, "sources", None)
    if own is not None:
        return own
    found = _method_of(estimator)
    if found.name != DEFAULT:
        return found.sources
    further = [DIFFUSION_START] if estimator.start in ("auto", "diffusion") else []
    result = getattr(estimator, "result_", None)
    looked_at = {candidate.name for candidate in getattr(result, "candidates", ())}
    if looked_at & {"communities", "coarse"}:
        further.append(COMMUNITIES)
    return (*found.sources, *further)


def _method_of(estimator: Any) -> Method:
    """The registered method: the nearest class, and of its variants the one with the same parameters."""
    for cls in type(estimator).__mro__:
        of_class = [method for method in methods().values() if method.classifier is cls]
        fitting = [m for m in of_class if all(getattr(estimator, k) == v for k, v in m.parameters.items())]
        if fitting:
            return max(fitting, key=lambda method: len(method.parameters))
    raise ValueError(f"{type(estimator).__name__} is no method of graphwell.methods().")


def _of_graph(estimator: Any) -> tuple[str, ...]:
    graph = getattr(estimator, "graph_", None)
    from_features = estimator.metric != "precomputed" if graph is None else graph.origin is not None
    return (LOCAL_SCALES,) if from_features else ()
