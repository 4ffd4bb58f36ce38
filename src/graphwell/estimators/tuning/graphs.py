"""A graph that was given, judged: by itself, and with features of its vertices smoothed along it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray
from graphwell.backends.base import Rows
from graphwell.estimators.tuning.crossvalidation import (
    CrossValidationProblem,
    Tuned,
    compare_and_stack,
    folds_of,
)
from graphwell.estimators.tuning.maps import dense
from graphwell.estimators.tuning.metrics import Ruled
from graphwell.estimators.tuning.models import Sample, leading_axes
from graphwell.graph import Graph
from graphwell.graph.checks import read_features

ALONE, ALONG = "graph alone", "features along the graph"
JOINED = "graph and features"
SMOOTHING_STEPS, KEPT_OF_OWN = 15, 0.1
"""Steps of smoothing, and the share of its own features that a row keeps in each: on Cora and CiteSeer a
logistic regression on the smoothed features was 5 points and more ahead of all else (docs/data.md)."""
MOST_SMOOTHED = 50_000_000
"""Numbers that smoothed features may take; wider features are projected onto their leading axes first."""


def tune_graph(
    cv: CrossValidationProblem, graph: Any, features: Any, models: Any, rng: np.random.Generator
) -> tuple[Tuned, Any]:
    """Judge a graph that was given; with features, graphs and classifiers of these too. And its rows.

    New rows come as affinities to the fitted ones, so classifiers see the mean of the smoothed features
    around a row. Without labels to hold out, the nearest-neighbour graph of the smoothed features is taken.
    """
    known, folds = np.flatnonzero(cv.labels >= 0), [] if models is None else folds_of(cv, rng)

    if features is None:
        sample = Sample(np.zeros((len(known), 0)), cv.labels[known])
        ruled = Ruled(ALONE, "a graph was given")
        found = compare_and_stack(
            cv, folds, ruled, {ALONE: cv.model(ALONE, graph)}, [], sample, known,
            lambda asked: np.zeros((len(asked), 0)),
        )  # fmt: skip
        return replace(found, graph=graph), cv.rows
    affinity = sparse.csr_array(graph.W + sparse.eye_array(graph.n_vertices))
    means = smoothed(graph, features)
    around = unit_rows(mean_around(affinity, means))
    n_neighbors, scale_neighbor, _ = cv.graph_parameters
    few = min(n_neighbors, len(around) - 1), min(scale_neighbor, len(around) - 1)
    # Of the smoothed features themselves. Of their means around rows, which classifiers see, Cora with one
    # label in each class was 44.8 % wrong, in place of 40.7 (ten label sets; the last five: 44.3 and 43.7).
    near = Graph.of_arranged(means, *few, "euclidean", getattr(cv.backend, "n_jobs", None))
    joined = graph.W + near.W * (graph.W.sum() / near.W.sum())
    graphs = {
        ALONG: cv.backend.place(Graph.from_affinity(near.W)),
        JOINED: cv.backend.place(Graph.from_affinity(joined)),
        ALONE: graph,
    }
    ruled = Ruled(ALONG, "features were given")
    sample = Sample(around, cv.labels)
    solved = {name: cv.model(name, each) for name, each in graphs.items()}
    found = compare_and_stack(
        cv, folds, ruled, solved, models or [], sample, np.arange(len(around)), around.__getitem__,
        ("directions",),
    )  # fmt: skip
    mixture = None if found.mixture is None else replace(found.mixture, before=MeanAround(means))
    n = graph.n_vertices
    rows = Rows(affinity, affinity, n, n, evidence=mixture, order=cv.rows.order)
    return replace(found, graph=graphs[found.tuning.metric]), rows


@dataclass(frozen=True, eq=False)
class MeanAround:
    """Maps affinities of rows to the fitted ones to the mean of these around each, of unit length."""

    means: FloatArray  # smoothed features of each fitted row

    def __call__(self, X: Any) -> FloatArray:
        """Return the means."""
        return unit_rows(mean_around(X, self.means))


def smoothed(graph: Any, features: Any) -> FloatArray:
    """Features of unit length, smoothed along the graph: ``H <- 0.9 S H + 0.1 Z``, S with loops."""
    X = read_features(features)
    if X.shape[0] != graph.n_vertices:
        raise ValueError(
            f"features has {X.shape[0]} rows but the graph has {graph.n_vertices}; give one row per vertex."
        )
    most = max(1, MOST_SMOOTHED // X.shape[0])
    Z = unit_rows(leading_axes(X, most)(X) if X.shape[1] > most else dense(X))
    W = sparse.csr_array(graph.W + sparse.eye_array(graph.n_vertices))
    roots = sparse.diags_array(1 / np.sqrt(W.sum(axis=1)))
    S, H = roots @ W @ roots, Z
    for _ in range(SMOOTHING_STEPS):
        H = (1 - KEPT_OF_OWN) * (S @ H) + KEPT_OF_OWN * Z
    return unit_rows(H)


def unit_rows(X: FloatArray) -> FloatArray:
    """Rows divided by their length; rows of zeros stay."""
    length = np.sqrt((X * X).sum(axis=1, keepdims=True))
    return np.asarray(X / np.where(length > 0, length, 1.0))


def mean_around(A: Any, values: FloatArray) -> FloatArray:
    """Mean of the values of the rows that each row is linked to, by affinity; 0 where there is no link."""
    A = sparse.csr_array(A, dtype=np.float64)
    total = A @ np.ones(A.shape[1])
    return (A @ values) / np.where(total > 0, total, 1.0)[:, None]
