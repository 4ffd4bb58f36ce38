"""The methods of the benchmark on few labels: graphwell's own, its baselines, and those of graphlearning."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphwell as gw
from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.estimators import registry
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem

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
    """Every method of `graphwell.methods` besides graphwell's own that can tell many classes apart."""
    return [
        Method(name, _registered(entry), entry.told_sizes, entry.slow)
        for name, entry in gw.methods().items()
        if name != registry.DEFAULT and entry.most_classes is None
    ]


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
    problem, backend = Problem(graph, labels, len(shares)), find_backend("cpu", n_jobs=1)
    return fit(backend, problem, Recipe(time=0.0), rng=stream(0, "start")).result.labels, ""


def _registered(entry: registry.Method) -> Labeller:
    """A registered method, with the class sizes where it expects them and a seed where it takes one."""

    def label(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
        classifier = entry(n_jobs=1)
        given: dict[str, Any] = {"class_prior": shares} if entry.told_sizes else {}
        if "random_state" in classifier.get_params():
            given["random_state"] = 0
        return classifier.set_params(**given).fit(graph, labels).transduction_, ""

    return label


def _graphlearning(make: Callable[[Any, FloatArray], Any]) -> Labeller:
    def label(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
        from scipy import sparse

        known = np.flatnonzero(labels >= 0)
        model = make(sparse.csr_matrix(graph.W), shares)
        model.fit(known, labels[known])
        return np.asarray(model.predict()), ""

    return label
