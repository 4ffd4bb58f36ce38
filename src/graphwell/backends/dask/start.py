"""Where the descent starts on a cluster: the starts of `graphwell.solve.start`, block by block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import State
from graphwell.backends.dask.block import Links, from_exports, on_boundary
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.harmonic import ClusterScores, diffusion_scores, laplace_scores
from graphwell.backends.dask.rows import Rows, sharpened
from graphwell.solve import start as on_one_machine
from graphwell.solve.balance import best_prices, log_scores
from graphwell.solve.harmonic import Scores
from graphwell.solve.problem import Problem
from graphwell.solve.start import from_labels


@dataclass(frozen=True)
class ClusterStart:
    """A first state, which the client holds, and the scores it came from, which it does not."""

    state: State
    scores: ClusterScores | None = None


def random_start(problem: Problem, graph: ClusterGraph, rng: np.random.Generator) -> ClusterStart:
    """The paper's start: states drawn evenly, labels in place."""
    engine: Any = None  # none is needed
    return ClusterStart(on_one_machine.random_start(problem, engine, rng).state)


def nearest_start(problem: Problem, graph: ClusterGraph, rng: np.random.Generator) -> ClusterStart:
    """Every vertex takes the label nearest along the graph."""
    return ClusterStart(from_labels(problem, nearest_labels(problem, graph), rng))


def diffusion_start(problem: Problem, graph: ClusterGraph, rng: np.random.Generator) -> ClusterStart:
    """Every vertex takes its highest score under Laplace learning on Poisson weights."""
    scores = diffusion_scores(problem, graph)
    return ClusterStart(from_labels(problem, labels_of(problem, graph, scores), rng), scores)


def auto_start(problem: Problem, graph: ClusterGraph, rng: np.random.Generator) -> ClusterStart:
    """The diffusion start, or plain Laplace learning where its scores are more decided."""
    both = diffusion_scores(problem, graph), laplace_scores(problem, graph)
    scores = max(both, key=lambda scores: decidedness(graph, scores))
    return ClusterStart(from_labels(problem, labels_of(problem, graph, scores), rng), scores)


STARTS: dict[str, Callable[[Problem, ClusterGraph, np.random.Generator], ClusterStart]] = {
    "auto": auto_start,
    "diffusion": diffusion_start,
    "nearest": nearest_start,
    "random": random_start,
}


def decidedness(graph: ClusterGraph, scores: ClusterScores) -> float:
    """Mean distance between the two highest scores of a vertex."""
    return float(sum(graph.tasks.results(graph.tasks.each("margins", _sum_of_margins, scores.values))))


def labels_of(problem: Problem, graph: ClusterGraph, scores: ClusterScores) -> IntArray:
    """Class with the highest score, under prices if class sizes are given; -1 where no label reaches."""
    tasks, n = graph.tasks, graph.n_blocks
    prices = np.zeros(problem.n_classes)
    if problem.class_shares is not None:
        reachable = graph.cut(problem.reachable)

        def sizes_under(prices: FloatArray) -> IntArray:
            counted = tasks.each("prices", _sizes_under, scores.values, reachable, [prices] * n)
            return np.sum(tasks.results(counted), axis=0)

        prices = best_prices(sizes_under, problem.class_shares * problem.reachable.sum())
    priced = problem.class_shares is not None
    found = tasks.each("labels", _labels_under, scores.values, [prices if priced else None] * n)
    return np.where(problem.reachable, graph.joined(tasks.results(found)), -1)


def nearest_labels(problem: Problem, graph: ClusterGraph) -> IntArray:
    """Label nearest along the graph; -1 where there is none.

    Each block relaxes its own vertices until nothing changes, then tells the others about its boundary,
    until no block has anything new.
    """
    tasks, n = graph.tasks, graph.n_blocks
    lengths = tasks.keep(tasks.each("lengths", _lengths, graph.rows, [graph.sharpness] * n))
    states = tasks.keep(tasks.each("nearest-begin", _begin, graph.cut(problem.labels.astype(np.int32))))
    boundaries = graph.boundaries
    while True:
        exports = tasks.each("nearest-export", on_boundary, states, boundaries)
        relaxed = tasks.each(
            "nearest-relax", _relax, lengths, graph.rows, states, graph.links, graph.every(exports)
        )
        states = tasks.keep(tasks.each("nearest-state", _first, relaxed))
        if not any(tasks.results(tasks.each("nearest-changed", _second, relaxed))):
            break
    found = graph.joined(tasks.results(tasks.each("nearest-labels", _labels_in, states)))
    return found.astype(np.int32)


def _begin(labels: IntArray) -> FloatArray:
    """Distance to the nearest label so far, and that label."""
    return np.column_stack([np.where(labels >= 0, 0.0, np.inf), labels.astype(np.float64)])


def _lengths(rows: Rows, power: float) -> FloatArray:
    return 1.0 / sharpened(rows, power)


def _relax(
    lengths: FloatArray, rows: Rows, state: FloatArray, links: Links, exports: Sequence[FloatArray]
) -> tuple[FloatArray, bool]:
    from graphwell.backends.cpu.shortest_paths import relax

    halo = from_exports(links, exports, state[:0])
    distances = np.concatenate([state[:, 0], halo[:, 0]])
    labels = np.concatenate([state[:, 1], halo[:, 1]]).astype(np.int32)
    changed = relax(rows.W.indptr, rows.W.indices, lengths, distances, labels)
    return np.column_stack([distances, labels.astype(np.float64)])[: rows.n_own], bool(changed)


def _first(pair: tuple[FloatArray, bool]) -> FloatArray:
    return pair[0]


def _second(pair: tuple[FloatArray, bool]) -> bool:
    return pair[1]


def _labels_in(state: FloatArray) -> IntArray:
    return state[:, 1].astype(np.int32)


def _sum_of_margins(scores: FloatArray) -> float:
    return len(scores) * on_one_machine.decidedness(Scores(scores, 0, 0.0))


def _sizes_under(scores: FloatArray, reachable: BoolArray, prices: FloatArray) -> IntArray:
    labels = _labels_under(scores[reachable], prices)
    return np.bincount(labels, minlength=len(prices))


def _labels_under(scores: FloatArray, prices: FloatArray | None) -> IntArray:
    found = scores if prices is None else log_scores(scores) + prices
    return found.argmax(axis=1).astype(np.int32)
