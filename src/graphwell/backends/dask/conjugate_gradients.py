"""Conjugate gradients on vectors that stay on the workers.

The method is that of `graphwell.solve.linear`. One exchange of scalars per iteration is enough, because the
norm of the next residual follows from products of the present one; it is taken anew from the residual in the
next iteration, so that no error adds up. Iterations are handed to Dask several at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.dask.block import Block
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.tasks import Handle, Tasks
from graphwell.backends.dask.worker_cache import DisplacedError, stash, unstash
from graphwell.progress import tell
from graphwell.solve.linear import MAX_ITERATIONS, TOLERANCE, share_done

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

    def copy(self) -> "Vectors":
        """Return vectors that can be written to."""
        return replace(self, x=self.x.copy(), r=self.r.copy(), p=self.p.copy())


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
        A column for each block, in the order of its layout.
    b : list of handles
        A block of columns for each block of the graph, in the same order.
    """
    try:
        return _solved(graph.tasks, _Chained(graph, inside, b))
    except DisplacedError:
        graph.tasks.settle(graph.n_blocks)
        return _solved(graph.tasks, _Plain(graph, inside, b))


def _solved(tasks: Tasks, run: "_Chained | _Plain") -> Solution:
    """Iterate until every column has converged."""
    iterations, at_first = 0, None
    while True:
        dots = [run.iterate() for _ in range(ITERATIONS_AT_ONCE)]
        run.wait([*run.state(), *dots[0], *dots[-1]])
        iterations += ITERATIONS_AT_ONCE
        if at_first is None:
            at_first = np.sum(tasks.results(dots[0]), axis=0)[-1]
        squared = np.sum(tasks.results(dots[-1]), axis=0)[-1]
        tell(share_done(squared / np.where(at_first > 0, at_first, 1.0), TOLERANCE**2))
        if iterations >= MAX_ITERATIONS or (squared <= TOLERANCE**2 * at_first).all():
            break
    scale = np.where(at_first > 0, at_first, 1.0)
    residual = float(np.sqrt(squared / scale).max(initial=0.0))
    x = run.solution()
    run.wait(x)
    tell(1.0)
    return Solution(x, iterations, residual)


class _Chained:
    """Two tasks per block and iteration; the vectors stay in the memory of the workers."""

    def __init__(self, graph: ClusterGraph, inside: Sequence[Handle], b: Sequence[Handle]) -> None:
        self.graph, self.tasks, self.inside, self.number = graph, graph.tasks, inside, 0
        self.tasks.named += 1
        run = f"{self.tasks.run}-{self.tasks.named}"
        self.chains = [f"gradients of block {p} in {run}" for p in range(graph.n_blocks)]
        self.exports = self.tasks.each(
            "cg-begin", begin_here, graph.blocks, inside, b, self.chains, bound=True
        )

    def iterate(self) -> list[Handle]:
        blocks, n = self.graph.blocks, self.graph.n_blocks
        chain = (self.chains, [self.number] * n)
        near = (self.exports, self.graph.every(self.exports))
        dots = self.tasks.each("cg-product", image_here, blocks, self.inside, *chain, *near, bound=True)
        self.exports = self.tasks.each(
            "cg-move", move_here, blocks, self.inside, *chain, [dots] * n, bound=True
        )
        self.number += 1
        return dots

    def wait(self, handles: list[Handle]) -> None:
        self.tasks.at_home(handles)

    def state(self) -> list[Handle]:
        return self.exports

    def solution(self) -> list[Handle]:
        numbers = [self.number] * self.graph.n_blocks
        return self.tasks.each("cg-solution", solution_here, self.chains, numbers, self.exports, bound=True)


class _Plain:
    """Four tasks per block and iteration, whose results Dask holds and recovers."""

    def __init__(self, graph: ClusterGraph, inside: Sequence[Handle], b: Sequence[Handle]) -> None:
        self.graph, self.tasks, self.inside = graph, graph.tasks, inside
        self.vectors = self.tasks.each("cg-begin", begin, b)

    def iterate(self) -> list[Handle]:
        tasks, blocks = self.tasks, self.graph.blocks
        exports = tasks.each("cg-export", direction, blocks, self.inside, self.vectors)
        near = self.graph.every(exports)
        images = tasks.each("cg-product", image, blocks, self.inside, self.vectors, near)
        dots = tasks.each("cg-dots", dots_of, images)
        self.vectors = tasks.each("cg-move", move, self.vectors, images, [dots] * self.graph.n_blocks)
        return dots

    def wait(self, handles: list[Handle]) -> None:
        self.tasks.wait(handles)

    def state(self) -> list[Handle]:
        return self.vectors

    def solution(self) -> list[Handle]:
        return self.tasks.each("cg-solution", solution_of, self.vectors)


def begin_here(block: Block, inside: FloatArray, b: FloatArray, chain: str) -> FloatArray:
    """Start from zero, the vectors kept here; return what other blocks need of the direction."""
    vectors = begin(b)
    stash(chain, 0, vectors)
    return direction(block, inside, vectors)


def image_here(
    block: Block,
    inside: FloatArray,
    chain: str,
    number: int,
    own: FloatArray,
    exports: Sequence[FloatArray],
) -> FloatArray:
    """Apply the matrix to the direction kept here, which waits for `own`; return the products."""
    vectors = unstash(chain, 2 * number)
    found = image(block, inside, vectors, exports)
    stash(chain, 2 * number + 1, (vectors, found))
    return found.dots


def move_here(
    block: Block, inside: FloatArray, chain: str, number: int, dots: Sequence[FloatArray]
) -> FloatArray:
    """Move the vectors kept here; return what other blocks need of the next direction."""
    vectors, found = unstash(chain, 2 * number + 1)
    vectors = moved_in_place(vectors, found, dots)
    stash(chain, 2 * number + 2, vectors)
    return direction(block, inside, vectors)


def solution_here(chain: str, number: int, own: FloatArray) -> FloatArray:
    """The solution kept here."""
    return solution_of(unstash(chain, 2 * number))


def begin(b: FloatArray) -> Vectors:
    """Start from zero."""
    return Vectors(np.zeros_like(b), b.copy(), b.copy())


def direction(block: Block, inside: FloatArray, vectors: Vectors) -> FloatArray:
    """What other blocks need of the direction."""
    return inside[block.outlets] * vectors.p[block.outlets]


def image(block: Block, inside: FloatArray, vectors: Vectors, exports: Sequence[FloatArray]) -> Image:
    """Apply the matrix to the direction; products of the vectors, one row each: pw, rw, ww, rr."""
    from graphwell.backends.cpu.cg_kernels import products

    w = block.product(inside * vectors.p, exports)
    w *= -inside
    w += vectors.p
    return Image(w, products(vectors.p, vectors.r, w))


def dots_of(image: Image) -> FloatArray:
    """The scalars of an image alone."""
    return image.dots


def move(vectors: Vectors, image: Image, dots: Sequence[FloatArray]) -> Vectors:
    """One step along the direction, and the next direction; a column that has converged stands still."""
    return moved_in_place(vectors.copy(), image, dots)


def moved_in_place(vectors: Vectors, image: Image, dots: Sequence[FloatArray]) -> Vectors:
    """`move` for vectors that nobody else holds."""
    from graphwell.backends.cpu.cg_kernels import advance

    pw, rw, ww, rr = np.sum(dots, axis=0)
    target = TOLERANCE**2 * rr if vectors.target is None else vectors.target
    moving = (rr > target) & (pw > 0)
    step = np.divide(rr, pw, out=np.zeros_like(rr), where=moving)
    following = np.maximum(rr - 2 * step * rw + step**2 * ww, 0.0)
    ratio = np.divide(following, rr, out=np.zeros_like(rr), where=moving)
    factors = (values.astype(vectors.x.dtype) for values in (step, ratio, moving))
    advance(vectors.x, vectors.r, vectors.p, image.w, *factors)
    return replace(vectors, target=target)


def solution_of(vectors: Vectors) -> FloatArray:
    """The solution alone."""
    return vectors.x
