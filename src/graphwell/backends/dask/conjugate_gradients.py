"""Conjugate gradients on vectors that stay on the workers.

One exchange of scalars per iteration is enough, because the norm of the next residual follows from products
of the present one; it is taken anew from the residual in the next iteration, so that no error adds up.
Iterations are handed to Dask several at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.base import Solution
from graphwell.backends.conjugate_gradients import TOLERANCE, share_done
from graphwell.backends.dask.block import GraphBlock
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Handle
from graphwell.backends.dask.worker_cache import Chains
from graphwell.progress import tell

ITERATIONS_AT_ONCE = 10


@dataclass(frozen=True)
class Vectors:
    """The vectors of a block: solution, residual, direction and its image; the squared norm to be reached."""

    x: FloatArray
    r: FloatArray
    p: FloatArray
    image: FloatArray | None = None
    target: FloatArray | None = None


def solve_on_workers(
    graph: DaskGraph, inside: Sequence[Handle], b: Sequence[Handle], max_iterations: int
) -> Solution:
    """Solve ``(I - A S A) x = b`` for all columns of `b` at once, with ``A = diag(inside)``.

    Parameters
    ----------
    graph : DaskGraph
    inside : list of handles
        A column for each block, in the order of its layout.
    b : list of handles
        A block of columns for each block of the graph, in the same order.
    max_iterations : int
    """
    tasks, own, n = graph.tasks, (graph.blocks, inside), graph.n_blocks
    chains = Chains(tasks, "cg-begin", begin, *own, b)
    iterations, at_first = 0, None
    while True:
        dots = []
        for _ in range(ITERATIONS_AT_ONCE):
            dots.append(chains.step("cg-product", apply, *own, graph.every(chains.exports)))
            chains.step("cg-move", move, *own, [dots[-1]] * n)
        tasks.at_home([*chains.exports, *dots[0], *dots[-1]])
        iterations += ITERATIONS_AT_ONCE
        if at_first is None:
            at_first = np.sum(tasks.results(dots[0]), axis=0)[-1]
        squared = np.sum(tasks.results(dots[-1]), axis=0)[-1]
        scale = np.where(at_first > 0, at_first, 1.0)
        tell(share_done(squared / scale, TOLERANCE**2))
        if iterations >= max_iterations or (squared <= TOLERANCE**2 * at_first).all():
            break
    x = tasks.at_home(chains.step("cg-solution", solution))
    tell(1.0)
    return Solution(x, iterations, float(np.sqrt(squared / scale).max(initial=0.0)))


def begin(block: GraphBlock, inside: FloatArray, b: FloatArray) -> tuple[Vectors, FloatArray]:
    """Start from zero; other blocks need their part of the direction."""
    vectors = Vectors(np.zeros_like(b), b.copy(), b.copy())
    return vectors, direction(block, inside, vectors)


def apply(
    vectors: Vectors, block: GraphBlock, inside: FloatArray, exports: Sequence[FloatArray]
) -> tuple[Vectors, FloatArray]:
    """Apply the matrix to the direction; products of the vectors, one row each: pw, rw, ww, rr."""
    from graphwell.backends.cpu.cg_kernels import products

    w = block.product(inside * vectors.p, exports)
    w *= -inside
    w += vectors.p
    return replace(vectors, image=w), products(vectors.p, vectors.r, w)


def move(
    vectors: Vectors, block: GraphBlock, inside: FloatArray, dots: Sequence[FloatArray]
) -> tuple[Vectors, FloatArray]:
    """One step along the direction, and the next direction; a column that has converged stands still."""
    from graphwell.backends.cpu.cg_kernels import advance

    pw, rw, ww, rr = np.sum(dots, axis=0)
    target = TOLERANCE**2 * rr if vectors.target is None else vectors.target
    moving = (rr > target) & (pw > 0)
    step = np.divide(rr, pw, out=np.zeros_like(rr), where=moving)
    following = np.maximum(rr - 2 * step * rw + step**2 * ww, 0.0)
    ratio = np.divide(following, rr, out=np.zeros_like(rr), where=moving)
    factors = (values.astype(vectors.x.dtype) for values in (step, ratio, moving))
    advance(vectors.x, vectors.r, vectors.p, vectors.image, *factors)
    vectors = replace(vectors, image=None, target=target)
    return vectors, direction(block, inside, vectors)


def direction(block: GraphBlock, inside: FloatArray, vectors: Vectors) -> FloatArray:
    """What other blocks need of the direction."""
    return inside[block.outlets] * vectors.p[block.outlets]


def solution(vectors: Vectors) -> tuple[None, FloatArray]:
    """The solution alone."""
    return None, vectors.x
