"""Conjugate gradients of small systems on the GPU: several iterations without a word from the host.

The steps are those of `graphwell.backends.conjugate_gradients`, bit for bit. Where an iteration takes the GPU
a hundredth of a millisecond, waiting for its sums takes ten times as long.
"""

from typing import Any

import numpy as np

from graphwell.backends.conjugate_gradients import TOLERANCE, Solution, share_done
from graphwell.backends.cuda import reductions
from graphwell.backends.cuda._cupy import THREADS, GpuArray, cuda_kernel, cupy, kind_of
from graphwell.backends.cuda.plan import struct
from graphwell.backends.cuda.system import CudaSystem
from graphwell.progress import tell

ITERATIONS_BETWEEN_LOOKS = 8
SMALL = 1 << 22
"""Numbers of a block: to go on in vain with larger ones would cost more than to look."""


def is_small(block: Any) -> bool:
    """Whether a block is solved for without the host."""
    return block.shape[1] <= reductions.MOST_FACTORS and block.size <= SMALL


def solve_on_gpu(system: CudaSystem, b: GpuArray, max_iterations: int) -> Solution:
    """Solve a system for all columns of `b` at once, as `conjugate_gradients` does."""
    cp, r = cupy(), system.enter(b)
    n, width = r.shape
    x, p, image = cp.zeros_like(r), r.copy(), cp.empty_like(r)
    squared = system.dots(r, r)
    state = cp.asarray(np.stack([squared, TOLERANCE**2 * squared, squared, squared]))
    factors, count = cp.zeros((2, width), dtype=r.dtype), cp.zeros(1, dtype=np.int32)
    blocks, parts = reductions.parts_of(r)
    columns = struct(
        **{name: state[i].data.ptr for i, name in enumerate(("squared", "target", "curvature", "left"))},
        **{name: factors[i].data.ptr for i, name in enumerate(("step", "ratio"))},
    )
    real, sizes = kind_of(r), (np.int64(n), np.int32(width))
    find, take, turn = (
        cuda_kernel("reductions.cu", name, REAL=real) for name in ("find_steps", "take_steps", "turn")
    )
    arrived, everywhere, grid = reductions.arrived(), -(-r.size // THREADS), (blocks,)
    done, on_host = 0, state.get()
    while done < max_iterations and (on_host[0] > on_host[1]).any():
        for _ in range(min(ITERATIONS_BETWEEN_LOOKS, max_iterations - done)):
            system.multiply(p, image)
            find(grid, (THREADS,), (columns, p, image, parts, arrived, *sizes))
            take(grid, (THREADS,), (columns, x, r, p, image, parts, arrived, count, *sizes))
            turn((everywhere,), (THREADS,), (columns, p, r, np.int64(r.size), np.int32(width)))
            done += 1
        on_host = state.get()
        scale = np.where(squared > 0, squared, 1.0)
        tell(max(done / (max_iterations + 1), share_done(on_host[0] / scale, TOLERANCE**2)))
    tell(1.0)
    residual = np.sqrt(on_host[3] / np.where(squared > 0, squared, 1.0)).max(initial=0.0)
    return Solution(system.leave(x)[:, : b.shape[1]], int(count[0]), float(residual))
