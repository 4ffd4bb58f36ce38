"""Every method that labels a graph, by name.

A file declares its methods with the decorator `method`; those of the folder `baselines` are found by
themselves. Command line, benchmarks and docs list what is here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, TypeVar

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
    """Register a classifier as a method; the other arguments are those of `Method`."""

    def register(classifier: Classifier) -> Classifier:
        _METHODS[name] = Method(name, summary, classifier, **declared)
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
    from graphwell.estimators import baselines

    for module in ("diffuse", "binary"):
        import_module(f"graphwell.estimators.{module}")
    for found in iter_modules(baselines.__path__):
        import_module(f"{baselines.__name__}.{found.name}")
    return MappingProxyType(dict(sorted(_METHODS.items(), key=lambda item: (_rank(item[1]), item[0]))))


def _rank(entry: Method) -> int:
    """Graphwell's own methods come before those to compare with."""
    own = entry.classifier.__module__.partition("estimators.")[2]
    return 0 if entry.name == DEFAULT else 1 if own == "binary" else 2
