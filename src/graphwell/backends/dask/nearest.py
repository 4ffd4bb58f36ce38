"""The label nearest along a graph whose blocks lie on several workers."""

from collections.abc import Sequence

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.block import Links, from_exports, on_boundary
from graphwell.backends.blocks.rows import BlockRows, sharpened
from graphwell.backends.dask.graph import DaskGraph


def nearest_labels_on_workers(graph: DaskGraph, labels: IntArray) -> IntArray:
    """Label nearest along the graph; -1 where there is none.

    Each block relaxes its own vertices until nothing changes, then tells the others about its boundary,
    until no block has anything new.
    """
    tasks = graph.tasks
    lengths = tasks.keep(tasks.each("lengths", _lengths, graph.rows, power=graph.sharpness))
    states = tasks.keep(tasks.each("nearest-begin", _begin, graph.cut(labels.astype(np.int32))))
    while True:
        exports = tasks.each("nearest-export", on_boundary, states, graph.boundaries)
        near = graph.every(exports)
        relaxed = tasks.keep(tasks.each("nearest", _relax, lengths, graph.rows, states, graph.links, near))
        states = tasks.keep(tasks.each("nearest-state", _state, relaxed))
        if not any(tasks.results(tasks.each("nearest-changed", _changed, relaxed))):
            break
    return np.asarray(graph.joined(tasks.results(tasks.each("nearest-labels", _labels, states))))


def _begin(labels: IntArray) -> FloatArray:
    """Distance to the nearest label so far, and that label."""
    return np.column_stack([np.where(labels >= 0, 0.0, np.inf), labels.astype(np.float64)])


def _lengths(rows: BlockRows, power: float) -> FloatArray:
    return 1.0 / sharpened(rows, power)


def _relax(
    lengths: FloatArray, rows: BlockRows, state: FloatArray, links: Links, exports: Sequence[FloatArray]
) -> tuple[FloatArray, bool]:
    from graphwell.backends.cpu.shortest_paths import relax

    halo = from_exports(links, exports, state[:0])
    distances = np.concatenate([state[:, 0], halo[:, 0]])
    labels = np.concatenate([state[:, 1], halo[:, 1]]).astype(np.int32)
    changed = relax(rows.W.indptr, rows.W.indices, lengths, distances, labels)
    return np.column_stack([distances, labels.astype(np.float64)])[: rows.n_own], bool(changed)


def _state(relaxed: tuple[FloatArray, bool]) -> FloatArray:
    return relaxed[0]


def _changed(relaxed: tuple[FloatArray, bool]) -> bool:
    return relaxed[1]


def _labels(state: FloatArray) -> IntArray:
    return state[:, 1].astype(np.int32)
