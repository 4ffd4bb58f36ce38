"""Sparse matrices and pickled graphs whose stored numbers lie."""

import pickle
import random
from typing import Any

import numpy as np
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier, Graph
from torture.attack import Attack, Lost
from torture.sentences import answers_or_tells

ODD = (-1, 0, 1, 39, 40, 41, 10**6, 2**31 - 1, -(2**31))
FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dia")
STORED = ("indices", "indptr", "data", "row", "col", "rows", "offsets")
VALUES = (np.nan, np.inf, -1.0, 1e300, 1e-320, 0.0)


def attempt(seed: int) -> None:
    """Fit on a spoilt matrix or graph."""
    rng = random.Random(seed)
    y = np.where(np.arange(40) < 6, np.arange(40) % 2, -1)
    wrong = _spoilt_graph(rng) if rng.random() < 0.3 else _spoilt_matrix(rng)
    if wrong is None:
        return
    metric = rng.choice(("precomputed", "euclidean"))
    fitted = answers_or_tells(lambda: DiffuseInterfaceClassifier(metric=metric, n_jobs=1).fit(wrong, y))
    if fitted is not None and not set(fitted.transduction_) <= {0, 1}:
        raise Lost("labels that nobody gave")


def _chain(rng: random.Random) -> Any:
    ones = np.ones(39)
    chain = sparse.diags_array([ones, ones], offsets=[-1, 1], shape=(40, 40))
    return chain.asformat(rng.choice(FORMATS))


def _spoilt_matrix(rng: random.Random) -> Any:
    matrix = _chain(rng)
    for _ in range(rng.randint(1, 3)):
        names = [
            n for n in ("indices", "indptr", "data", "row", "col", "rows", "offsets") if hasattr(matrix, n)
        ]
        array = getattr(matrix, rng.choice(names))
        try:
            place = rng.randrange(len(array))
            array[place] = rng.choice(VALUES) if array.dtype.kind == "f" else rng.choice(ODD)
        except (TypeError, ValueError, OverflowError):
            continue
    return matrix


def _spoilt_graph(rng: random.Random) -> Any:
    """A graph out of a pickle with changed arrays; None where it is refused."""
    graph = Graph.from_features(np.random.default_rng(0).normal(size=(40, 3)), 4, 4, n_jobs=1)
    state = graph.__getstate__()
    W = graph.W.copy()
    for name in ("indices", "indptr", "data"):
        array = getattr(W, name)
        if rng.random() < 0.4:
            array[rng.randrange(len(array))] = (
                rng.choice(ODD) if array.dtype.kind == "i" else rng.choice(VALUES)
            )
    return answers_or_tells(lambda: _unpickled({**state, "W": W}))


def _unpickled(state: dict[str, Any]) -> Graph:
    graph = object.__new__(Graph)
    graph.__setstate__(state)
    again: Graph = pickle.loads(pickle.dumps(graph))
    return again


ATTACK = Attack("matrices", "sparse matrices and pickled graphs with false indices", attempt, count=5_000)
