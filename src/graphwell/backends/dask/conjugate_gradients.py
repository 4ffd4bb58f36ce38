"""Conjugate gradients on vectors that stay on the workers.

One exchange of scalars per iteration is enough, because the norm of the next residual follows from products
of the present one; it is taken anew from the residual in the next iteration, so that no error adds up.
Iterations are handed to Dask several at a time. The solution passes through the client: if Dask had to get it
from the iterations again, a worker that is lost later would take it away for good.
"""

from collections.abc import Sequence

import numpy as np

from graphwell.backends.base import Solution
from graphwell.backends.blocks import gradients
from graphwell.backends.conjugate_gradients import TOLERANCE, share_done
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.tasks import Handle, given
from graphwell.backends.dask.worker_cache import Chains
from graphwell.progress import tell

ITERATIONS_AT_ONCE = 10


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
    chains = Chains(tasks, "cg-begin", gradients.begin, *own, b)
    iterations, at_first = 0, None
    while True:
        dots = []
        for _ in range(ITERATIONS_AT_ONCE):
            dots.append(chains.step("cg-product", gradients.apply, *own, graph.every(chains.exports)))
            chains.step("cg-move", gradients.move, *own, [dots[-1]] * n)
        tasks.wait([*chains.exports, *dots[0], *dots[-1]])
        iterations += ITERATIONS_AT_ONCE
        if at_first is None:
            at_first = np.sum(tasks.results(dots[0]), axis=0)[-1]
        squared = np.sum(tasks.results(dots[-1]), axis=0)[-1]
        scale = np.where(at_first > 0, at_first, 1.0)
        tell(share_done(squared / scale, TOLERANCE**2))
        if iterations >= max_iterations or (squared <= TOLERANCE**2 * at_first).all():
            break
    x = tasks.results(chains.step("cg-solution", gradients.solution))
    tell(1.0)
    kept = tasks.keep(tasks.each("solution", given, x))
    return Solution(kept, iterations, float(np.sqrt(squared / scale).max(initial=0.0)))
