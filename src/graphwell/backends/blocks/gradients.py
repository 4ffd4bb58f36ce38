"""The steps of conjugate gradients on one block, between two exchanges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.blocks.block import GraphBlock
from graphwell.backends.conjugate_gradients import TOLERANCE


@dataclass(frozen=True)
class Iterate:
    """Solution, residual, direction and its image on one block; and the squared norm to be reached."""

    x: FloatArray
    r: FloatArray
    p: FloatArray
    image: FloatArray | None = None
    target: FloatArray | None = None


def begin(block: GraphBlock, inside: FloatArray, b: FloatArray) -> tuple[Iterate, FloatArray]:
    """Start from zero; other blocks need their part of the direction."""
    vectors = Iterate(np.zeros_like(b), b.copy(), b.copy())
    return vectors, direction(block, inside, vectors)


def apply(
    vectors: Iterate, block: GraphBlock, inside: FloatArray, exports: Sequence[FloatArray]
) -> tuple[Iterate, FloatArray]:
    """Apply the matrix to the direction; products of the vectors, one row each: pw, rw, ww, rr."""
    from graphwell.backends.cpu.cg_kernels import products

    w = block.product(inside * vectors.p, exports)
    w *= -inside
    w += vectors.p
    return replace(vectors, image=w), products(vectors.p, vectors.r, w)


def move(
    vectors: Iterate, block: GraphBlock, inside: FloatArray, dots: Sequence[FloatArray]
) -> tuple[Iterate, FloatArray]:
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


def direction(block: GraphBlock, inside: FloatArray, vectors: Iterate) -> FloatArray:
    """What other blocks need of the direction."""
    return inside[block.outlets] * vectors.p[block.outlets]


def solution(vectors: Iterate) -> tuple[None, FloatArray]:
    """The solution alone."""
    return None, vectors.x
