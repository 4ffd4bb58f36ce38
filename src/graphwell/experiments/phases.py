"""Phases of a grey picture whose levels are known, on the grid of its pixels (after Li and Kim 2011).

Each pixel has a phase, whose wells are the whole numbers: k for the k-th grey level. The phases minimise

    sum_pixels |grad u|^2 / 2 + well(u) / epsilon^2 + fidelity / 2 (u - u0)^2

where `u0` is the grey value, read on the scale of the levels. A step is split in three, each solved exactly:
heat on the grid, by cosines; the pull to `u0`; and the periodic well, pixel by pixel.
"""

from collections.abc import Sequence

import numpy as np
from scipy import fft

from graphwell._types import FloatArray, IntArray


def segment_by_phases(
    image: FloatArray,
    levels: Sequence[float],
    *,
    epsilon: float = 0.5,
    fidelity: float = 8.0,
    step_size: float = 0.02,
    n_steps: int = 30,
) -> IntArray:
    """Give each pixel one of the known grey levels, neighbours mostly the same.

    Source: Y. Li, J. Kim, "Multiphase image segmentation using a phase-field model", Computers and
    Mathematics with Applications 62 (2011). It needs the grey level of each class (rising), and no marks. It
    fails under noise as wide as the distance of the levels, and at borders between levels that are not
    neighbours: with less fidelity than by default, thin lines of the levels between them are left there.

    Examples
    --------
    >>> picture = np.array([[0.1, 0.0, 0.9], [0.0, 0.1, 1.0]])
    >>> segment_by_phases(picture, [0.0, 1.0])
    array([[0, 0, 1],
           [0, 0, 1]])
    """
    begin = np.interp(image, levels, np.arange(len(levels)))
    # Eigenvalues of the grid's Laplacian in the order of the cosine transform.
    rows, columns = (2 - 2 * np.cos(np.pi * np.arange(side) / side) for side in begin.shape)
    shrink = 1 / (1 + step_size * (rows[:, None] + columns))
    pull = step_size * fidelity
    u = begin
    for _ in range(n_steps):
        u = fft.idctn(shrink * fft.dctn(u, norm="ortho"), norm="ortho")
        u = (u + pull * begin) / (1 + pull)
        u = towards_wells(u, step_size / epsilon**2)
    return np.clip(np.rint(u), 0, len(levels) - 1).astype(np.int64)


def towards_wells(u: FloatArray, time: float) -> FloatArray:
    """Phases after some time in the periodic well ``v^2 (1 - v)^2``, `v` being the fractional part."""
    floor = np.floor(u)
    side = 2 * (u - floor) - 1  # its slope is side (1 - side^2), up to a factor
    fading = np.exp(-2 * time)
    return np.asarray(floor + (1 + side / np.sqrt(fading + side**2 * (1 - fading))) / 2)
