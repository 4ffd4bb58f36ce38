"""Conjugate gradients on the blocks of a graph, with one exchange for each iteration.

A block keeps the residual and the direction of its halo too. It hears the images of the direction there
together with the products of all blocks, and moves its own rows and the halo's alike. The norm of the next
residual follows from products of the present one; it is taken anew in the next iteration, so that no error
adds up. So do its sums over the groups of a coarse view.
"""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.blocks.block import PRECISION, GraphBlock
from graphwell.backends.blocks.correction import CoarseView, Correction, coarse_level
from graphwell.backends.blocks.programs import Program, Said, rounding_magnet
from graphwell.backends.conjugate_gradients import TOLERANCE, fast_width, share_done

LARGEST_EIGENVALUE = 2.0
"""Of a matrix ``I - A S A``: it bounds the image of a vector."""


def solve(
    block: GraphBlock, inside: FloatArray, b: FloatArray, view: CoarseView | None, *, max_iterations: int
) -> Program:
    """Solve ``(I - A S A) x = b`` for all columns at once, with ``A = diag(inside)``.

    It returns the rows of the solution that the block owns, the number of iterations, and the largest
    relative residual. `inside` is a column, `b` a block of columns, in the order of the layout. Steps go
    along the residual, and along its correction where there is a coarse view.
    """
    n, width = b.shape
    system, r, bounds, correction = yield from _set_up(block, inside, b, view)
    x, p, image = np.zeros_like(r), r.copy(), np.zeros_like(r)
    bounds[0] += correction.add(p, np.ones(r.shape[1]))
    at_first, iterations, done = None, 0, 0.0
    while True:
        sums = system.apply(p, r, image, *bounds)
        grouped = correction.sums(r, bounds[1]), correction.sums(image, LARGEST_EIGENVALUE * bounds[0])
        heard = yield Said(image[:n], np.concatenate([sums, *grouped]), done=done)
        image[n:] = heard.halo
        (pw, rw, ww, rr), (of_r, of_image) = heard.sums[:4], np.split(heard.sums[4:], 2)
        gained = rr + (of_r * correction.found).sum(axis=0)
        at_first = rr if at_first is None else at_first
        moving = (rr > TOLERANCE**2 * at_first) & (pw > 0)
        scale = np.where(at_first > 0, at_first, 1.0)
        done = share_done(rr / scale, TOLERANCE**2)
        if iterations == max_iterations or not moving.any():
            return x[:n, :width].copy(), iterations, float(np.sqrt(rr / scale).max(initial=0.0))
        step = np.divide(gained, pw, out=np.zeros_like(rr), where=moving)
        following = np.maximum(rr - 2 * step * rw + step**2 * ww, 1e-9 * rr)
        gains = following + correction.find(of_r - step * of_image)
        ratio = np.divide(gains, gained, out=np.zeros_like(rr), where=moving)
        system.advance(x, r, p, image, step, ratio, moving)
        length = np.sqrt(np.where(moving, following, rr))
        bounds = np.stack([np.where(moving, length + ratio * bounds[0], 0.0), length])
        bounds[0] += correction.add(p, moving)
        iterations += 1


def _set_up(block: GraphBlock, inside: FloatArray, b: FloatArray, view: CoarseView | None) -> Program:
    """The system, the first residual on the block and its halo, bounds of norms, and the correction."""
    width = b.shape[1]
    seen = CoarseView.none(len(b)) if view is None else view.where(inside[:, 0] > 0)
    both = np.column_stack([inside, seen.level, seen.groups, b]).astype(PRECISION)
    largest = np.abs(b).max(axis=0, initial=0.0).astype(np.float64)
    heard = yield Said(both, np.array([block.n_own]), np.concatenate([largest, seen.highest()]))
    whole = np.concatenate([both, heard.halo])
    system = BlockSystem.of(block, np.ascontiguousarray(whole[:, 0]))
    r = np.zeros((len(whole), fast_width(width)), PRECISION)
    r[:, :width] = whole[:, -width:]
    bounds = np.zeros((2, r.shape[1]))
    bounds[:, :width] = np.sqrt(heard.sums[0]) * heard.peaks[:width]
    if view is None:
        return system, r, bounds, Correction.none(block, r.shape[1])
    everywhere = replace(seen, level=whole[:, 1], groups=whole[:, 2].astype(np.int32))
    ends = (heard.peaks[width:], int(heard.sums[0]))
    correction = yield from coarse_level(block, system.values, everywhere, *ends)
    heard = yield Said(both[:, :0], correction.sums(r, bounds[1]))
    correction.find(heard.sums)
    return system, r, bounds, correction


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
