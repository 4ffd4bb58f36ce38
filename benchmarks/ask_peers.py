"""Strategies of graphlearning and scikit-activeml, registered beside our own while a set is measured."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.data import Dataset
from graphwell.active import Query, Question, forget, strategy

LARGEST = 12_000
"""Rows up to which they are run: beyond, they need all pairs of rows, or minutes a batch."""
EIGENVECTORS = 100


@contextmanager
def registered_peers(data: Dataset, quick: bool = False) -> Iterator[None]:
    """Register what is installed and fits; forget it in the end."""
    names = []
    if len(data.y) <= LARGEST and not quick:
        for name, needs, choose in [*_graphlearning(data), *_scikit_activeml(data)]:
            strategy(name, "a peer", needs_labels=needs)(choose)
            names.append(name)
    try:
        yield
    finally:
        for name in names:
            forget(name)


Peer = tuple[str, int, Callable[[Query, int], list[Question]]]


def _graphlearning(data: Dataset) -> list[Peer]:
    try:
        import graphlearning as gl
        from graphlearning import active_learning as al
    except ImportError as error:
        print(f'graphlearning is left out: {error}. Get it by pip install "graphwell[bench]".')
        return []
    from scipy.sparse.linalg import eigsh

    W = data.graph.W
    values, vectors = eigsh(
        data.graph.S, k=min(EIGENVECTORS, len(data.y) - 2), which="LA", v0=np.ones(len(data.y))
    )
    spectral = {"C": np.diag(1 / (1 - values + 0.01)), "V": vectors}

    def chooser(acquisition: Any, **given: Any) -> Callable[[Query, int], list[Question]]:
        def choose(query: Query, n: int) -> list[Question]:
            known = np.flatnonzero(query.labels >= 0)
            learner = al.active_learner(gl.ssl.laplace(W), acquisition, known, query.labels[known], **given)
            rows = learner.select_queries(batch_size=n)
            return [Question(int(row), "graphlearning") for row in rows]

        return choose

    return [
        ("graphlearning margin", 2, chooser(al.unc_sampling)),
        ("graphlearning vopt", 2, chooser(al.var_opt, **spectral)),
        ("graphlearning sigma", 2, chooser(al.sigma_opt, **spectral)),
        ("graphlearning model change", 2, chooser(al.model_change, **spectral)),
    ]


def _scikit_activeml(data: Dataset) -> list[Peer]:
    try:
        from skactiveml.pool import CoreSet, TypiClust
    except ImportError as error:
        print(f'scikit-activeml is left out: {error}. Get it by pip install "graphwell[bench]".')
        return []

    def chooser(make: Any) -> Callable[[Query, int], list[Question]]:
        def choose(query: Query, n: int) -> list[Question]:
            labels = np.where(query.labels >= 0, query.labels.astype(float), np.nan)
            rows = make(random_state=query.seed).query(data.X, labels, batch_size=n)
            return [Question(int(row), "scikit-activeml") for row in rows]

        return choose

    return [
        ("scikit-activeml TypiClust", 0, chooser(TypiClust)),
        ("scikit-activeml CoreSet", 0, chooser(CoreSet)),
    ]
