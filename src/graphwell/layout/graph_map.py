"""The map of a graph: neighbours pull, all points push, from a start in the plane."""

from typing import Any

import numpy as np

from graphwell._random import stream
from graphwell._thread_pool import ThreadPool
from graphwell._threads import thread_count
from graphwell._types import FloatArray
from graphwell.layout.attraction import attraction, shares_of_neighbors
from graphwell.layout.principal import principal_map
from graphwell.layout.repulsion import repulsion
from graphwell.layout.smooth import smooth_map
from graphwell.progress import Progress, heartbeat, silent

GATHERING, SPREADING = 50, 250
"""Steps with little push, in which neighbours find each other, and those after."""
LITTLE_PUSH = 1 / 12
STEP = 1.0
MOMENTUM = 0.9
LONGEST_MOVE = 5.0
"""A point moves no further in one step."""
JITTER = 1e-3
"""Points that start in one place must be told apart; a share of the width of the start."""


def graph_map(
    graph: Any, start: Any = None, *, n_jobs: int | None = None, progress: Progress = silent
) -> FloatArray:
    """Place the vertices of a graph in the plane, neighbours near each other.

    The model is that of t-SNE, with the affinities of the graph. The same bits for any number of threads.

    Parameters
    ----------
    graph : Graph
    start : array of shape (n, 2), optional
        Where to begin. By default the principal components of the rows that the graph was made from,
        or slowly varying functions on a graph that was made from affinities.
    n_jobs : int, optional
        Threads; all cores by default.
    progress : callable
        Told "map" and the share of it that is done.

    Returns
    -------
    array of shape (n, 2), in single precision
        Centred; the unit is the reach of the push.

    Examples
    --------
    >>> import graphwell as gw
    >>> X, _ = gw.datasets.make_three_moons(100, random_state=0)
    >>> graph_map(gw.Graph.from_features(X)).shape
    (300, 2)
    """
    W, threads = graph.W, ThreadPool(thread_count(n_jobs))
    places = _beginning(graph, start)
    if len(places) < 2:
        return places
    shares, velocity = shares_of_neighbors(W, 1.0 / graph.sharpness), np.zeros_like(places)
    for number in range(GATHERING + SPREADING):
        heartbeat()
        progress("map", number / (GATHERING + SPREADING))
        push = LITTLE_PUSH if number < GATHERING else 1.0
        force = attraction(places, W, shares, threads) + push * repulsion(places, threads)
        velocity = _limited(MOMENTUM * velocity + STEP * force)
        places = (places + velocity).astype(np.float32)
        places -= places.mean(axis=0)
    progress("map", 1.0)
    return places


def _beginning(graph: Any, start: Any) -> FloatArray:
    """The start in the plane, centred, of width 1, no two points in one place."""
    if start is None:
        origin = getattr(graph, "origin", None)
        start = smooth_map(graph) if origin is None else principal_map(origin.search.points)
    places = np.array(start, dtype=np.float64)
    if places.shape != (graph.W.shape[0], 2) or not np.isfinite(places).all():
        raise ValueError(f"start must hold {graph.W.shape[0]} finite rows of two numbers.")
    places -= places.mean(axis=0)
    places /= float(places.std(axis=0).max()) or 1.0
    places += JITTER * stream(0, "map").standard_normal(places.shape)
    return np.asarray(places.astype(np.float32))


def _limited(velocity: FloatArray) -> FloatArray:
    """Moves no longer than the longest allowed."""
    lengths = np.linalg.norm(velocity, axis=1, keepdims=True)
    return np.asarray(velocity * np.minimum(1.0, LONGEST_MOVE / np.maximum(lengths, LONGEST_MOVE)))
