"""The verbs of pictures: what their segmentation asks of the place where it runs, and how the CPU does it.

A picture lies on a padded grid, flat, so that a neighbour is a fixed step away and no index is stored. Arrays
are those of the engine's library `xp`; only the shape of the grid is known to the host. The loops are in
`stencil`; `backends/cuda/pixels.py` has the same verbs.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import ndimage

from graphwell._threads import ThreadPool, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu import stencil
from graphwell.graph.compiled import compiled

# A value for every point of a flat grid, or several along the first axis: arrays of the engine's library.
Plane: TypeAlias = Any
# Two numbers for each plane, to be divided; 0 where the second is 0, as there nothing is left to do.
Ratio: TypeAlias = tuple[Plane, Plane]
# A flat grid with a margin that no link leaves: `segmentation.stencil.PixelGrid`.
Lattice: TypeAlias = Any
# Rows of a part.
ROWS = 1024
# The exponential of less is lost beside 1 in single precision.
NEGLIGIBLE = np.float32(-18.0)


@dataclass(frozen=True, eq=False)
class Movers:
    """Points that may change their class."""

    points: Plane  # flat places
    weights: Plane  # of all their links, in the order of the engine
    sums: Plane  # of the weights of each
    evidence: Plane  # of shape (n, n_classes): one further neighbour, which adds up to 1


@compiled(nogil=True, fastmath={"contract", "nsz", "reassoc"})
def log_likelihoods(
    first_part: int,
    last_part: int,
    values: FloatArray,
    logs: FloatArray,
    means: FloatArray,
    roots: FloatArray,
    out: FloatArray,
) -> None:
    """Write the logarithm of the density of each column of `values` under one mixture.

    `logs` are of the share and the height of each Gaussian; `roots` are lower triangles, whose squares are
    the inverse covariances.
    """
    found, best = np.empty((len(logs), ROWS), np.float32), np.empty(ROWS, np.float32)
    along = np.empty(ROWS, np.float32)
    for part in range(first_part, last_part):
        low = part * ROWS
        n = min(ROWS, values.shape[1] - low)
        best[:n] = -np.inf
        for g in range(len(logs)):
            here = found[g]
            here[:n] = logs[g]
            for a in range(len(values)):
                along[:n] = 0
                for b in range(a + 1):
                    root, mean, channel = roots[g, a, b], means[g, b], values[b, low : low + n]
                    for i in range(n):
                        along[i] += root * (channel[i] - mean)
                for i in range(n):
                    here[i] -= np.float32(0.5) * along[i] * along[i]
            for i in range(n):
                best[i] = max(best[i], here[i])
        for i in range(n):
            total = np.float32(0)
            for g in range(len(logs)):
                less = found[g, i] - best[i]
                if less > NEGLIGIBLE:
                    total += np.exp(less)
            out[low + i] = best[i] + np.log(total)


class Pixels:
    """Pictures as arrays of NumPy. The result does not depend on the number of threads."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.xp: Any = np
        self.ndimage: Any = ndimage
        self.pool = ThreadPool(thread_count(n_jobs))

    def asarray(self, values: Any) -> Any:
        """Return the values as an array."""
        return np.asarray(values)

    def to_host(self, values: Any) -> Any:
        """Return the array itself."""
        return values

    def memory_for(self, n_points: int, needed: int) -> AbstractContextManager[None]:
        """Say if a picture that needs so many bytes does not fit: here that was asked before."""
        return nullcontext()

    def link(self, lattice: Lattice, values: FloatArray, sharpness: float, weakest: float) -> IntArray:
        """Return the weights ``max(exp(-|c_i - c_j|² sharpness), weakest) nearness`` of all forward links."""
        weights = np.zeros((len(lattice.steps), lattice.size), dtype=np.uint16)
        links, limits = (lattice.pieces, lattice.nearness), (sharpness, weakest)
        self._over_grid(stencil.link, lattice, links, values, limits, weights)
        return weights

    def product(self, lattice: Lattice, weights: IntArray, planes: FloatArray) -> FloatArray:
        """Return the weights times each plane."""
        out = np.zeros_like(planes)
        self._over_grid(stencil.multiply, lattice, weights, planes, out)
        return out

    def apply(
        self,
        lattice: Lattice,
        weights: IntArray,
        degrees: FloatArray,
        free: FloatArray,
        p: FloatArray,
        image: FloatArray,
    ) -> FloatArray:
        """Write the Laplacian of the free points times `p` into `image`; return the sums of ``p image``."""
        dots = np.zeros((_parts(lattice), len(p)))
        self._over_grid(stencil.apply, lattice, (weights, degrees, free), p, image, dots)
        return dots.sum(axis=0)

    def advance(
        self,
        lattice: Lattice,
        inverse: FloatArray,
        x: FloatArray,
        r: FloatArray,
        p: FloatArray,
        image: FloatArray,
        ratio: Ratio,
    ) -> FloatArray:
        """Add ``ratio p`` to `x`, take ``ratio image`` from `r`; return the sums of ``r r inverse``."""
        dots = np.zeros((_parts(lattice), len(p)))
        self._over_grid(stencil.advance, lattice, inverse, (x, r, p, image), _divided(*ratio), dots)
        return dots.sum(axis=0)

    def turn(self, lattice: Lattice, inverse: FloatArray, r: FloatArray, p: FloatArray, ratio: Ratio) -> None:
        """Replace `p` by ``inverse r + ratio p``."""
        self._over_grid(stencil.turn, lattice, inverse, r, p, _divided(*ratio))

    def joined(self, lattice: Lattice, weights: IntArray, weakest: IntArray) -> IntArray:
        """Return the first of all points that links above the weakest join to a point."""
        parents = np.arange(lattice.size, dtype=np.int32)
        stencil.join(lattice.begin, lattice.end, lattice.steps, weights, weakest, parents)
        return parents

    def movers(
        self,
        lattice: Lattice,
        values: FloatArray,
        points: IntArray,
        evidence: FloatArray,
        sharpness: float,
        weakest: float,
    ) -> Movers:
        """Return some points with the weights of all their links, those of one point side by side."""
        weights = np.empty((len(points), 2 * len(lattice.steps)), dtype=np.uint16)
        some = Movers(
            points,
            weights,
            np.empty(len(points), dtype=np.float32),
            np.ascontiguousarray(evidence, dtype=np.float32),
        )
        links = (lattice.steps, lattice.pieces, lattice.nearness)
        found = (some.weights, some.sums)
        self._over_points(stencil.link_some, points, points, values, links, (sharpness, weakest), *found)
        return some

    def sweep(
        self,
        lattice: Lattice,
        movers: Movers,
        trust: float,
        now: tuple[IntArray, FloatArray],
        spare: tuple[IntArray, FloatArray],
        epsilon: float,
        step_size: float,
        count: int,
    ) -> tuple[float, int]:
        """Do `count` Jacobi sweeps of some points, in place; return the energy and the changes of class.

        `now` are labels and ``r = 1/2 - |offset|``; `spare` is a copy of them to work in.
        """
        points, n_parts = movers.points, -(-len(movers.points) // stencil.POINTS)
        changes, energies = np.zeros(n_parts, dtype=np.int64), np.zeros(n_parts)
        begin, changed, some = now, 0, (points, movers.weights, movers.sums, movers.evidence)
        for _ in range(count):
            moving = (lattice.steps, some, trust, now, spare, epsilon, step_size)
            self._over_points(stencil.sweep_some, points, *moving, changes, energies)
            changed += int(changes.sum())
            now, spare = spare, now
        if now is not begin:
            for kept, found in zip(begin, now, strict=True):
                kept[points] = found[points]
        return float(energies.sum()), changed

    def shares(self, lattice: Lattice, movers: Movers, labels: IntArray, r: FloatArray) -> FloatArray:
        """Return the share of the class of each point among its neighbours and itself."""
        out = np.empty(len(movers.points), dtype=np.float32)
        links = (movers.points, lattice.steps, movers.weights)
        self._over_points(stencil.shares_of_some, movers.points, *links, (labels, r), out)
        return out

    def log_likelihoods(self, values: FloatArray, logs: Any, means: Any, roots: Any) -> FloatArray:
        """Return the logarithm of the density of each column of `values` under one mixture."""
        out = np.empty(values.shape[1], dtype=np.float32)
        model = tuple(part.astype(np.float32) for part in (logs, means, roots))
        n_parts = -(-values.shape[1] // ROWS)
        self.pool.share(
            n_parts,
            lambda first, last: log_likelihoods(first, last, values, *model, out),
        )
        return out

    def _over_grid(self, kernel: Callable[..., Any], lattice: Lattice, *arguments: Any) -> None:
        """Have the threads do a kernel on the whole grid."""
        grid = (lattice.begin, lattice.end, lattice.steps)
        self.pool.share(_parts(lattice), lambda first, last: kernel(first, last, grid, *arguments))

    def _over_points(self, kernel: Callable[..., Any], points: IntArray, *arguments: Any) -> None:
        """Have the threads do a kernel on some points."""
        n_parts = -(-len(points) // stencil.POINTS)
        self.pool.share(n_parts, lambda first, last: kernel(first, last, *arguments))


def _parts(lattice: Lattice) -> int:
    """Into how many parts the threads cut a grid."""
    return max(0, -(-(lattice.end - lattice.begin) // stencil.CHUNK))


def _divided(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotients, 0 where there is nothing left to do."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
