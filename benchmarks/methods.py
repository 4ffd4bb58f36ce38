"""The methods of the benchmark on few labels: graphwell's own, its baselines, and those of graphlearning."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import make_engine
from graphwell.estimators.baselines import (
    LabelSpreading,
    LaplaceLearning,
    MulticlassMBO,
    NearestLabel,
    PoissonLearning,
    VolumeMBO,
)
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe, follow, prepare

DEFAULT, START, PRIOR = "default", "own start", "class_prior"
Labeller = Callable[[Graph, IntArray, FloatArray], tuple[IntArray, str]]


@dataclass(frozen=True)
class Method:
    """A way to label a graph.

    Attributes
    ----------
    name : str
    label : callable
        Takes a graph, labels (-1 unknown) and the true shares of the classes; returns a label for every
        vertex and a remark.
    told : bool
        Whether it uses the true shares.
    slow : bool
        Whether it is run on one label set only where the graph is large.
    """

    name: str
    label: Labeller
    told: bool = False
    slow: bool = False


def own_methods() -> list[Method]:
    """Return graphwell with default parameters, its own start, and with the class sizes given."""
    return [Method(DEFAULT, _default), Method(START, _own_start), Method(PRIOR, _with_prior, told=True)]


def baselines() -> list[Method]:
    """Every method of `graphwell.estimators.baselines` that labels a graph."""
    untold: dict[str, Any] = {
        "spreading": lambda: LabelSpreading(n_jobs=1),
        "laplace": lambda: LaplaceLearning(n_jobs=1),
        "laplace wnll": lambda: LaplaceLearning(weights="wnll", n_jobs=1),
        "laplace poisson": lambda: LaplaceLearning(weights="poisson", n_jobs=1),
        "poisson": lambda: PoissonLearning(n_jobs=1),
        "nearest": lambda: NearestLabel(n_jobs=1),
    }
    methods = [Method(name, _fitted(make)) for name, make in untold.items()]
    methods.append(Method("mbo", _fitted(lambda: MulticlassMBO(n_jobs=1, random_state=0)), slow=True))
    return [*methods, Method("volume mbo", _volume_mbo, told=True, slow=True)]


def peers() -> list[Method]:
    """The methods of graphlearning, or none, with the reason, if it cannot be imported."""
    try:
        import graphlearning
    except ImportError as error:
        print(
            f"graphlearning is left out: {error}. "
            'Get it by pip install "graphwell[bench]"; it also needs annoy, which it does not declare.'
        )
        return []
    ssl = graphlearning.ssl
    return [
        Method("gl poisson", _graphlearning(lambda W, _: ssl.poisson(W))),
        Method("gl laplace", _graphlearning(lambda W, _: ssl.laplace(W))),
        Method("gl volume_mbo", _graphlearning(lambda W, p: ssl.volume_mbo(W, p)), told=True, slow=True),
        Method("gl poisson_mbo", _graphlearning(lambda W, p: ssl.poisson_mbo(W, p)), told=True, slow=True),
    ]


def _default(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
    clf = DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(graph, labels)
    return clf.transduction_, clf.result_.status.name


def _with_prior(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
    clf = DiffuseInterfaceClassifier(class_prior=shares, n_jobs=1, random_state=0).fit(graph, labels)
    return clf.transduction_, clf.result_.status.name


def _own_start(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
    """What the default descent sets out from."""
    problem, recipe = Problem(graph, labels, len(shares)), Recipe(time=0.0)
    prepared = prepare(problem, recipe, lambda g: make_engine(g, n_jobs=1), stream(0, "start"))
    return follow(prepared, recipe).result.labels, ""


def _volume_mbo(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
    return VolumeMBO(class_prior=shares, n_jobs=1).fit(graph, labels).transduction_, ""


def _fitted(make: Callable[[], Any]) -> Labeller:
    return lambda graph, labels, shares: (make().fit(graph, labels).transduction_, "")


def _graphlearning(make: Callable[[Any, FloatArray], Any]) -> Labeller:
    def label(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
        from scipy import sparse

        known = np.flatnonzero(labels >= 0)
        model = make(sparse.csr_matrix(graph.W), shares)
        model.fit(known, labels[known])
        return np.asarray(model.predict()), ""

    return label
