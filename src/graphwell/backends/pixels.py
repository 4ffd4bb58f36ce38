"""The verbs of pictures: what their segmentation asks of the place where it runs.

A picture lies on a padded grid, flat, so that a neighbour is a fixed step away and no index is stored. Arrays
are those of the engine's library `xp`; only the shape of the grid is known to the host.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

# A value for every point of a flat grid, or several along the first axis: arrays of the engine's library.
Plane: TypeAlias = Any
# Two numbers for each plane, to be divided; 0 where the second is 0, as there nothing is left to do.
Ratio: TypeAlias = tuple[Plane, Plane]
# Stored weights are multiples of this.
UNIT = np.float32(1 / 65535)


class Lattice(Protocol):
    """A flat grid with a margin that no link leaves."""

    size: int
    begin: int  # no point before it belongs to the picture
    end: int  # nor does any from here on
    steps: Plane  # to the neighbours that come later; those before mirror them
    nearness: Plane  # what the distance of each step leaves of the weight
    pieces: Plane  # points are linked to those of the same piece; 0 is no piece


@dataclass(frozen=True, eq=False)
class Movers:
    """Points that may change their class."""

    points: Plane  # flat places
    weights: Plane  # of all their links, in the order of the engine
    sums: Plane  # of the weights of each
    evidence: Plane  # of shape (n, n_classes): one further neighbour, which adds up to 1


class PixelEngine(Protocol):
    """The verbs that pictures are segmented in."""

    xp: Any
    """The library of the arrays: NumPy, or one that answers to the same names."""
    ndimage: Any
    """Its filters: `scipy.ndimage`, or what answers to the same names."""

    def asarray(self, values: Any) -> Plane:
        """Bring values from the host."""

    def to_host(self, values: Plane) -> Any:
        """Return values as a NumPy array."""

    def memory_for(self, n_points: int, needed: int) -> AbstractContextManager[None]:
        """Say in a sentence if a picture of so many points, which needs so many bytes, does not fit here."""

    def link(self, lattice: Lattice, values: Plane, sharpness: float, weakest: float) -> Plane:
        """Return the weights ``max(exp(-|c_i - c_j|² sharpness), weakest) nearness`` of all forward links."""

    def product(self, lattice: Lattice, weights: Plane, planes: Plane) -> Plane:
        """Return the weights times each plane."""

    def apply(
        self, lattice: Lattice, weights: Plane, degrees: Plane, free: Plane, p: Plane, image: Plane
    ) -> Plane:
        """Write the Laplacian of the free points times `p` into `image`; return the sums of ``p image``."""

    def advance(
        self, lattice: Lattice, inverse: Plane, x: Plane, r: Plane, p: Plane, image: Plane, ratio: Ratio
    ) -> Plane:
        """Add ``ratio p`` to `x`, take ``ratio image`` from `r`; return the sums of ``r r inverse``."""

    def turn(self, lattice: Lattice, inverse: Plane, r: Plane, p: Plane, ratio: Ratio) -> None:
        """Replace `p` by ``inverse r + ratio p``."""

    def joined(self, lattice: Lattice, weights: Plane, weakest: Plane) -> Plane:
        """Return the first of all points that links above the weakest join to a point."""

    def movers(
        self,
        lattice: Lattice,
        values: Plane,
        points: Plane,
        evidence: Plane,
        sharpness: float,
        weakest: float,
    ) -> Movers:
        """Return some points with the weights of all their links."""

    def sweep(
        self,
        lattice: Lattice,
        movers: Movers,
        trust: float,
        now: tuple[Plane, Plane],
        spare: tuple[Plane, Plane],
        epsilon: float,
        step_size: float,
        count: int,
    ) -> tuple[float, int]:
        """Do `count` Jacobi sweeps of some points, in place; return the energy and the changes of class.

        `now` are labels and ``r = 1/2 - |offset|``; `spare` is a copy of them to work in.
        """

    def shares(self, lattice: Lattice, movers: Movers, labels: Plane, r: Plane) -> Plane:
        """Return the share of the class of each point in what it and its neighbours say."""

    def log_likelihoods(self, values: Plane, logs: Any, means: Any, roots: Any) -> Plane:
        """Return the logarithm of the density of each column of `values` under one mixture.

        The arrays of the host `logs`, `means` and `roots` are as in `segmentation.color_model.Mixture`.
        """
