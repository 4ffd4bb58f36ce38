"""Conjugate gradients on the blocks of a graph, with one exchange for each iteration.

A block keeps the residual and the direction of its halo too. It hears the images of the direction there
together with the products of all blocks, and moves its own rows and the halo's alike. The norm of the next
residual follows from products of the present one; it is taken anew in the next iteration, so that no error
adds up.
"""

from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.blocks.block import PRECISION, GraphBlock
from graphwell.backends.blocks.programs import Program, Said, rounding_magnet
from graphwell.backends.conjugate_gradients import TOLERANCE, share_done
from graphwell.backends.system import fast_width

LARGEST_EIGENVALUE = 2.0
"""Of a matrix ``I - A S A``: it bounds the image of a vector."""


def solve(block: GraphBlock, inside: FloatArray, b: FloatArray, *, max_iterations: int) -> Program:
    """Solve ``(I - A S A) x = b`` for all columns at once, with ``A = diag(inside)``.

    It returns the rows of the solution that the block owns, the number of iterations, and the largest
    relative residual. `inside` is a column, `b` a block of columns, in the order of the layout.
    """
    n, width = b.shape
    both = np.column_stack([inside, b])
    largest = np.abs(b).max(axis=0, initial=0.0).astype(np.float64)
    heard = yield Said(both, np.array([block.n_own]), largest)
    whole = np.concatenate([both, heard.halo])
    system = BlockSystem.of(block, np.ascontiguousarray(whole[:, 0]))
    r = np.zeros((len(whole), fast_width(width)), PRECISION)
    r[:, :width] = whole[:, 1:]
    x, p, image = np.zeros_like(r), r.copy(), np.zeros_like(r)
    bounds = np.zeros((2, r.shape[1]))
    bounds[:, :width] = np.sqrt(heard.sums[0]) * heard.peaks
    at_first, iterations, done = None, 0, 0.0
    while True:
        sums = system.apply(p, r, image, *bounds)
        heard = yield Said(image[:n], sums, done=done)
        image[n:] = heard.halo
        pw, rw, ww, rr = heard.sums
        at_first = rr if at_first is None else at_first
        moving = (rr > TOLERANCE**2 * at_first) & (pw > 0)
        scale = np.where(at_first > 0, at_first, 1.0)
        done = share_done(rr / scale, TOLERANCE**2)
        if iterations == max_iterations or not moving.any():
            return x[:n, :width].copy(), iterations, float(np.sqrt(rr / scale).max(initial=0.0))
        step = np.divide(rr, pw, out=np.zeros_like(rr), where=moving)
        following = np.maximum(rr - 2 * step * rw + step**2 * ww, 1e-9 * rr)
        ratio = np.divide(following, rr, out=np.zeros_like(rr), where=moving)
        system.advance(x, r, p, image, step, ratio, moving)
        length = np.sqrt(np.where(moving, following, rr))
        bounds = np.stack([np.where(moving, length + ratio * bounds[0], 0.0), length])
        iterations += 1


@dataclass(frozen=True)
class BlockSystem:
    """The rows of ``I - A S A`` that a block owns, and its entries of ``A S A``."""

    block: GraphBlock
    values: FloatArray

    @classmethod
    def of(cls, block: GraphBlock, inside: FloatArray) -> "BlockSystem":
        """Scale the rows; `inside` has a value for each position and for the halo."""
        from graphwell.backends.cpu import cg_kernels

        rows = block.rows
        values = np.empty_like(rows.values)
        block.share(cg_kernels.scale_entries, rows.starts, rows.columns, rows.values, inside, values)
        return cls(block, values)

    def apply(
        self, p: FloatArray, r: FloatArray, image: FloatArray, length_p: FloatArray, length_r: FloatArray
    ) -> FloatArray:
        """Write the matrix times `p` into `image`; return the exact sums of ``pw, rw, ww, rr``, w the image.

        The lengths are bounds on the norms of `p` and `r` over all blocks.
        """
        from graphwell.backends.cpu import cg_kernels

        rows, most = self.block.rows, LARGEST_EIGENVALUE
        bounds = [most * length_p**2, most * length_p * length_r, (most * length_p) ** 2, length_r**2]
        sums = np.zeros((len(rows.parts) - 1, 4, p.shape[1]))
        edges = (rows.starts, rows.columns, self.values)
        self.block.share(cg_kernels.apply, *edges, p, r, image, rounding_magnet(np.array(bounds)), sums)
        return np.asarray(sums.sum(axis=0))

    def advance(
        self,
        x: FloatArray,
        r: FloatArray,
        p: FloatArray,
        image: FloatArray,
        step: FloatArray,
        ratio: FloatArray,
        moving: FloatArray,
    ) -> None:
        """One step along the direction, and the next direction; a column that has converged stands still."""
        from graphwell.backends.cpu import cg_kernels

        factors = [values.astype(PRECISION) for values in (step, ratio, moving)]
        self.block.share_rows(len(x), lambda i, j: cg_kernels.advance(i, j, x, r, p, image, *factors))


def solution_of(solved: tuple[FloatArray, int, float]) -> FloatArray:
    """The solution itself."""
    return solved[0]


def end_of(solved: tuple[FloatArray, int, float]) -> tuple[int, float]:
    """Iterations, and what was left."""
    return solved[1:]
