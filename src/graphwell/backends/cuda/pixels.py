"""Pictures on one NVIDIA GPU: the verbs of `graphwell.backends.cpu.pixels` as CUDA kernels."""

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from graphwell.backends.cpu.pixels import Lattice, Movers, Ratio
from graphwell.backends.cuda._cupy import (
    THREADS,
    GpuArray,
    cuda_kernel,
    cupy,
    filters,
    launch,
    memory_in_words,
)
from graphwell.backends.cuda.plan import struct


class CudaPixels:
    """Pictures as arrays of CuPy.

    Parameters
    ----------
    n_jobs : int, optional
        Not used: the GPU has its own threads.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.xp, self.ndimage = cupy(), filters()
        self._grids: WeakKeyDictionary[Lattice, Any] = WeakKeyDictionary()

    def asarray(self, values: Any) -> GpuArray:
        """Bring values from the host."""
        values = np.asarray(values)
        return self.xp.asarray(values.astype(values.dtype.newbyteorder("="), copy=False))

    def to_host(self, values: GpuArray) -> Any:
        """Fetch values."""
        return values if isinstance(values, np.ndarray) else values.get()

    def memory_for(self, n_points: int, needed: int) -> AbstractContextManager[None]:
        """Refuse a picture that does not fit, and say in a sentence if memory ends on the way."""
        return memory_in_words(f"a picture of {n_points:,} points", needed, "a smaller picture")

    def link(self, lattice: Lattice, values: GpuArray, sharpness: float, weakest: float) -> GpuArray:
        """Return the weights of all forward links, in units of 1 / 65535."""
        weights = self.xp.zeros((len(lattice.steps), lattice.size), dtype=np.uint16)
        limits = np.float32(sharpness), np.float32(weakest)
        self._over_planes("link", lattice, 1, values, np.int32(len(values)), *limits, weights)
        return weights

    def product(self, lattice: Lattice, weights: GpuArray, planes: GpuArray) -> GpuArray:
        """Return the weights times each plane."""
        out = self.xp.zeros_like(planes)
        self._over_planes("multiply", lattice, len(planes), weights, planes, out)
        return out

    def apply(
        self,
        lattice: Lattice,
        weights: GpuArray,
        degrees: GpuArray,
        free: GpuArray,
        p: GpuArray,
        image: GpuArray,
    ) -> GpuArray:
        """Write the Laplacian of the free points times `p` into `image`; return the sums of ``p image``."""
        parts = self._parts(lattice, len(p))
        self._over_planes("apply", lattice, len(p), weights, degrees, free, p, image, parts)
        return parts.sum(axis=1)

    def advance(
        self,
        lattice: Lattice,
        inverse: GpuArray,
        x: GpuArray,
        r: GpuArray,
        p: GpuArray,
        image: GpuArray,
        ratio: Ratio,
    ) -> GpuArray:
        """Add ``ratio p`` to `x`, take ``ratio image`` from `r`; return the sums of ``r r inverse``."""
        parts = self._parts(lattice, len(p))
        self._over_planes("advance", lattice, len(p), inverse, x, r, p, image, *ratio, parts)
        return parts.sum(axis=1)

    def turn(self, lattice: Lattice, inverse: GpuArray, r: GpuArray, p: GpuArray, ratio: Ratio) -> None:
        """Replace `p` by ``inverse r + ratio p``."""
        self._over_planes("turn", lattice, len(p), inverse, r, p, *ratio)

    def joined(self, lattice: Lattice, weights: GpuArray, weakest: GpuArray) -> GpuArray:
        """Return the first of all points that links above the weakest join to a point."""
        parents = self.xp.arange(lattice.size, dtype=np.int32)
        self._over_planes("join", lattice, 1, weights, weakest, parents)
        launch(_kernel("flatten"), lattice.size, (parents, lattice.size))
        return parents

    def movers(
        self,
        lattice: Lattice,
        values: GpuArray,
        points: GpuArray,
        evidence: GpuArray,
        sharpness: float,
        weakest: float,
    ) -> Movers:
        """Return some points with the weights of all their links, those of one step side by side."""
        weights = self.xp.empty((2 * len(lattice.steps), len(points)), dtype=np.uint16)
        sums = self.xp.empty(len(points), dtype=np.float32)
        some = Movers(points, weights, sums, self.xp.ascontiguousarray(evidence, dtype=np.float32))
        limits = np.float32(sharpness), np.float32(weakest)
        launch(
            _kernel("link_some"),
            len(points),
            (self._grid(lattice), _movers(some), values, len(values), *limits),
        )
        return some

    def sweep(
        self,
        lattice: Lattice,
        movers: Movers,
        trust: float,
        now: tuple[GpuArray, GpuArray],
        spare: tuple[GpuArray, GpuArray],
        epsilon: float,
        step_size: float,
        count: int,
    ) -> tuple[float, int]:
        """Do `count` Jacobi sweeps of some points, in place; return the energy and the changes of class."""
        n = len(movers.points)
        changes = self.xp.zeros(1, dtype=np.uint64)
        energies = self.xp.zeros(-(-n // THREADS))
        function, begin = _kernel("sweep_some", now[0]), now
        fixed = self._grid(lattice), _movers(movers), np.float32(trust)
        step = np.float64(epsilon), np.float32(step_size), changes, energies
        for _ in range(count):
            launch(function, n, (*fixed, *now, *spare, *step))
            now, spare = spare, now
        if now is not begin:
            for kept, found in zip(begin, now, strict=True):
                kept[movers.points] = found[movers.points]
        return float(energies.sum()), int(changes[0])

    def shares(self, lattice: Lattice, movers: Movers, labels: GpuArray, r: GpuArray) -> GpuArray:
        """Return the share of the class of each point in what it and its neighbours say."""
        out = self.xp.empty(len(movers.points), dtype=np.float32)
        arguments = self._grid(lattice), _movers(movers), labels, r, out
        launch(_kernel("shares_of_some", labels), len(out), arguments)
        return out

    def log_likelihoods(self, values: GpuArray, logs: Any, means: Any, roots: Any) -> GpuArray:
        """Return the logarithm of the density of each column of `values` under one mixture."""
        n_channels, n = values.shape
        model = (self.asarray(part).astype(np.float32, order="C") for part in (logs, means, roots))
        out = self.xp.empty(n, dtype=np.float32)
        launch(_kernel("log_likelihoods"), n, (values, n_channels, np.int64(n), *model, len(logs), out))
        return out

    def _parts(self, lattice: Lattice, n_planes: int) -> GpuArray:
        """Room for the sums of each block."""
        return self.xp.empty((n_planes, _blocks(lattice)))

    def _over_planes(self, name: str, lattice: Lattice, n_planes: int, *arguments: Any) -> None:
        """Run a kernel on all points of some planes, each plane a row of blocks."""
        _kernel(name)((_blocks(lattice), n_planes), (THREADS,), (self._grid(lattice), *arguments))

    def _grid(self, lattice: Lattice) -> Any:
        """The grid as kernels take it; made once, as conjugate gradients ask for it a thousand times."""
        if lattice not in self._grids:
            self._grids[lattice] = _grid(lattice)
        return self._grids[lattice]


@lru_cache(maxsize=32)
def _named(name: str, label: str) -> Any:
    return cuda_kernel("pixels.cu", name, LABEL=label)


def _kernel(name: str, labels: GpuArray | None = None) -> Any:
    wide = labels is not None and labels.dtype.itemsize > 2
    return _named(name, "int" if wide else "short")


def _blocks(lattice: Lattice) -> int:
    return max(1, -(-(lattice.end - lattice.begin) // THREADS))


def _grid(lattice: Lattice) -> Any:
    """The grid as kernels take it."""
    return struct(
        size=np.int64(lattice.size),
        begin=np.int64(lattice.begin),
        end=np.int64(lattice.end),
        steps=lattice.steps.data.ptr,
        nearness=lattice.nearness.data.ptr,
        pieces=lattice.pieces.data.ptr,
        n_steps=np.int32(len(lattice.steps)),
    )


def _movers(movers: Movers) -> Any:
    return struct(
        points=movers.points.data.ptr,
        weights=movers.weights.data.ptr,
        sums=movers.sums.data.ptr,
        evidence=movers.evidence.data.ptr,
        n=np.int32(len(movers.points)),
        n_classes=np.int32(movers.evidence.shape[1]),
    )
