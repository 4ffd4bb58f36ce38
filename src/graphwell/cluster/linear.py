"""Conjugate gradients on vectors that stay on the workers.

The method is that of `graphwell.solve.linear`. One exchange of scalars per iteration is enough, because the
norm of the next residual follows from products of the present one; it is taken anew from the residual in the
next iteration, so that no error adds up. Iterations are handed to Dask several at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray
from graphwell.cluster.block import Block
from graphwell.cluster.graph import ClusterGraph
from graphwell.cluster.tasks import Handle
from graphwell.solve.linear import MAX_ITERATIONS, TOLERANCE

ITERATIONS_AT_ONCE = 10


@dataclass(frozen=True)
class Solution:
    """Solution of a linear system, a block of rows on each worker; see `graphwell.solve.linear.Solution`."""

    x: list[Handle]
    iterations: int
    residual: float


@dataclass(frozen=True)
class Vectors:
    """The vectors of a block: solution, residual and direction; and the squared norm to be reached."""

    x: FloatArray
    r: FloatArray
    p: FloatArray
    target: FloatArray | None = None


@dataclass(frozen=True)
class Image:
    """The matrix times the direction, and the products of a block's vectors that steps follow from."""

    w: FloatArray
    dots: FloatArray


def conjugate_gradients(graph: ClusterGraph, inside: Sequence[Handle], b: Sequence[Handle]) -> Solution:
    """Solve ``(I - A S A) x = b`` for all columns of `b` at once, with ``A = diag(inside)``.

    Parameters
    ----------
    graph : ClusterGraph
    inside : list of handles
        An array of shape (n_own, 1) for each block.
    b : list of handles
        An array of shape (n_own, m) for each block.
    """
    tasks, blocks = graph.tasks, graph.blocks
    vectors = tasks.each("cg-begin", begin, b)
    iterations, at_first = 0, None
    while True:
        of_batch = []
        for _ in range(ITERATIONS_AT_ONCE):
            exports = tasks.each("cg-export", direction, blocks, inside, vectors)
            images = tasks.each("cg-product", image, blocks, inside, vectors, graph.every(exports))
            of_batch.append(tasks.each("cg-dots", dots_of, images))
            vectors = tasks.each("cg-move", move, vectors, images, [of_batch[-1]] * graph.n_blocks)
        tasks.keep([*vectors, *of_batch[0], *of_batch[-1]])
        iterations += ITERATIONS_AT_ONCE
        if at_first is None:
            at_first = np.sum(tasks.results(of_batch[0]), axis=0)[-1]
        squared = np.sum(tasks.results(of_batch[-1]), axis=0)[-1]
        if iterations >= MAX_ITERATIONS or (squared <= TOLERANCE**2 * at_first).all():
            break
    scale = np.where(at_first > 0, at_first, 1.0)
    residual = float(np.sqrt(squared / scale).max(initial=0.0))
    return Solution(tasks.each("cg-solution", solution_of, vectors), iterations, residual)


def begin(b: FloatArray) -> Vectors:
    """Start from zero."""
    return Vectors(np.zeros_like(b), b, b)


def direction(block: Block, inside: FloatArray, vectors: Vectors) -> FloatArray:
    """What other blocks need of the direction."""
    return (inside * vectors.p)[block.boundary]


def image(block: Block, inside: FloatArray, vectors: Vectors, exports: Sequence[FloatArray]) -> Image:
    """Apply the matrix to the direction; products of the vectors, one row each: pw, rw, ww, rr."""
    w = vectors.p - inside * block.product(inside * vectors.p, exports)
    pairs = ((vectors.p, w), (vectors.r, w), (w, w), (vectors.r, vectors.r))
    return Image(w, np.stack([np.einsum("ij,ij->j", a, b, dtype=np.float64) for a, b in pairs]))


def dots_of(image: Image) -> FloatArray:
    """The scalars of an image alone."""
    return image.dots


def move(vectors: Vectors, image: Image, dots: Sequence[FloatArray]) -> Vectors:
    """One step along the direction, and the next direction; a column that has converged stands still."""
    pw, rw, ww, rr = np.sum(dots, axis=0)
    target = TOLERANCE**2 * rr if vectors.target is None else vectors.target
    moving = (rr > target) & (pw > 0)
    if not moving.any():
        return replace(vectors, target=target)
    step = np.divide(rr, pw, out=np.zeros_like(rr), where=moving)
    following = np.maximum(rr - 2 * step * rw + step**2 * ww, 0.0)
    ratio = np.divide(following, rr, out=np.zeros_like(rr), where=moving)
    real = vectors.x.dtype
    x = vectors.x + step.astype(real) * vectors.p
    r = vectors.r - step.astype(real) * image.w
    p = ratio.astype(real) * vectors.p
    p += r * moving.astype(real)
    return Vectors(x, r, p, target)


def solution_of(vectors: Vectors) -> FloatArray:
    """The solution alone."""
    return vectors.x
