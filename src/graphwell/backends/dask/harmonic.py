"""Scores that diffuse from the labels, on the workers: Laplace learning, plain or on Poisson weights.

The systems are those of `graphwell.solve.harmonic`. Blocks of one column per class never leave the workers;
single columns, such as the Poisson weights, pass through the client.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._arrays import group_minima
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.dask.block import Block
from graphwell.backends.dask.conjugate_gradients import Solution, conjugate_gradients
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.tasks import Handle
from graphwell.solve.harmonic import SMALLEST_WEIGHT, centred
from graphwell.solve.problem import Problem

REAL = np.float32


@dataclass(frozen=True)
class ClusterScores:
    """Scores of the vertices of each block on its worker, with the work that they took."""

    values: list[Handle]
    iterations: int
    residual: float


def product(graph: ClusterGraph, vectors: Sequence[Handle]) -> list[Handle]:
    """``S`` times a block of columns, all on the workers in the order of the layouts."""
    near = graph.every(exported(graph, vectors))
    return graph.tasks.each("product", Block.product, graph.blocks, vectors, near)


def exported(graph: ClusterGraph, vectors: Sequence[Handle]) -> list[Handle]:
    """What other blocks need of the vectors of each."""
    return graph.tasks.each("export-vectors", _outlets, graph.blocks, vectors)


def placed(graph: ClusterGraph, columns: FloatArray) -> list[Handle]:
    """Columns that the client holds, on the workers in the order of the layouts."""
    return graph.tasks.each("column", Block.placed, graph.blocks, graph.cut(columns.astype(REAL)))


def fetched(graph: ClusterGraph, vectors: Sequence[Handle]) -> FloatArray:
    """Columns from the workers, in the user's order."""
    return graph.joined(graph.tasks.results(graph.tasks.each("restore", _restored, graph.blocks, vectors)))


def laplace_scores(problem: Problem, graph: ClusterGraph, g: FloatArray | None = None) -> ClusterScores:
    """Scores that are 0 or 1 at the labels and harmonic elsewhere, on the weights ``g_i w_ij g_j``."""
    tasks, blocks, n = graph.tasks, graph.blocks, graph.n_blocks
    root = np.sqrt(graph.degrees)
    weighted = root if g is None else g * root
    image = fetched(graph, product(graph, placed(graph, weighted[:, None])))[:, 0]
    new_root = np.sqrt(np.maximum(weighted * image, 0.0))
    scaling = np.divide(weighted, new_root, out=np.zeros_like(root), where=new_root > 0)
    labels = graph.cut(problem.labels.astype(np.int32))
    factors = graph.cut((scaling * new_root).astype(REAL))
    fields = tasks.each("labels", _label_field, blocks, labels, factors, [problem.n_classes] * n)
    inside = tasks.keep(placed(graph, np.where(problem.is_known, 0.0, scaling)[:, None]))
    b = tasks.each("right-hand-side", np.multiply, inside, product(graph, fields))
    solution = conjugate_gradients(graph, inside, tasks.keep(b))
    roots, reachable = graph.cut(new_root.astype(REAL)), graph.cut(problem.reachable)
    values = tasks.keep(tasks.each("scores", _scores, blocks, solution.x, roots, labels, reachable))
    return ClusterScores(values, solution.iterations, solution.residual)


def poisson_weights(problem: Problem, graph: ClusterGraph) -> tuple[FloatArray, Solution]:
    """Positive vertex weights that are large near labels, as in `graphwell.solve.harmonic`."""
    whole: Any = graph  # what `centred` asks of a graph, its components, is there
    source = centred(whole, problem.is_known.astype(float))
    root = np.sqrt(graph.degrees)
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    b = graph.tasks.keep(placed(graph, (inverse * source)[:, None]))
    ones = graph.tasks.keep(graph.tasks.each("column", np.ones_like, b))
    solution = conjugate_gradients(graph, ones, b)
    g = centred(whole, inverse[:, None] * fetched(graph, solution.x), graph.degrees)[:, 0]
    lowest = group_minima(graph.components, g, graph.n_components)
    return g - lowest[graph.components] + SMALLEST_WEIGHT, solution


def diffusion_scores(problem: Problem, graph: ClusterGraph) -> ClusterScores:
    """Laplace learning on Poisson weights."""
    g, solution = poisson_weights(problem, graph)
    scores = laplace_scores(problem, graph, g)
    residual = max(scores.residual, solution.residual)
    return ClusterScores(scores.values, scores.iterations + solution.iterations, residual)


def _outlets(block: Block, vectors: FloatArray) -> FloatArray:
    return vectors[block.outlets]


def _restored(block: Block, vectors: FloatArray) -> FloatArray:
    return block.rows.restored(vectors)


def _label_field(block: Block, labels: IntArray, factors: FloatArray, n_classes: int) -> FloatArray:
    """One column per class: `factors` at its known vertices."""
    field = np.zeros((len(labels), n_classes), dtype=REAL)
    known = np.flatnonzero(labels >= 0)
    field[known, labels[known]] = factors[known]
    return block.placed(field)


def _scores(
    block: Block, x: FloatArray, root: FloatArray, labels: IntArray, reachable: BoolArray
) -> FloatArray:
    values = block.rows.restored(x)
    values *= np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)[:, None]
    known = np.flatnonzero(labels >= 0)
    values[known] = 0.0
    values[known, labels[known]] = 1.0
    values[~reachable] = 0.0
    return values
