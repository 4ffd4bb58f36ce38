"""What to cite: the sources of exactly the methods that a classifier used."""

import re
from functools import cache
from importlib.resources import files
from typing import Any

from graphwell.estimators.base import GraphClassifier
from graphwell.estimators.registry import DEFAULT, Method, methods

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
    >>> from graphwell.estimators.baselines import PoissonLearning
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
    """Every source by its key.

    Examples
    --------
    >>> bibliography()["dijkstra1959note"].splitlines()[0]
    '@article{dijkstra1959note,'
    """
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
