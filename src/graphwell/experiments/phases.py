"""Phases of a grey picture whose levels are known, on the grid of its pixels (after Li and Kim 2011).

Each pixel has a phase, whose wells are the whole numbers: k for the k-th grey level. The phases minimise

    sum_pixels |grad u|^2 / 2 + well(u) / epsilon^2 + fidelity / 2 (u - u0)^2

where `u0` is the grey value, read on the scale of the levels. A step is split in three, each solved exactly:
heat on the grid, by cosines; the pull to `u0`; and the periodic well, pixel by pixel.
"""

from collections.abc import Sequence

import numpy as np
from scipy import fft

from graphwell._checks import positive_number, whole_number
from graphwell._types import FloatArray, IntArray
from graphwell.errors import in_short


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
    Mathematics with Applications 62 (2011). Cost: a cosine transform of the picture for each step. It needs
    to be told the grey level of each class, and no marks. It fails under noise as wide as the distance of the
    levels, and at borders between levels that are not neighbours: with less fidelity than by default, thin
    lines of the levels between them are left there.

    Parameters
    ----------
    image : array of shape (height, width)
        Grey values.
    levels : sequence of float
        Grey level of each class, rising.
    epsilon : float
        Width of the borders, in pixels.
    fidelity : float
        Weight of the grey values.
    step_size : float
        Time step.
    n_steps : int

    Returns
    -------
    array of shape (height, width)
        Number of the level of each pixel.

    Examples
    --------
    >>> picture = np.array([[0.1, 0.0, 0.9], [0.0, 0.1, 1.0]])
    >>> segment_by_phases(picture, [0.0, 1.0])
    array([[0, 0, 1],
           [0, 0, 1]])
    """
    wells = _checked(image, levels)
    step = positive_number("step_size", step_size)
    pull = step * positive_number("fidelity", fidelity)
    speed = step / positive_number("epsilon", epsilon) ** 2
    begin = np.interp(image, wells, np.arange(len(wells)))
    shrink = 1 / (1 + step * laplacian_of_cosines(*begin.shape))
    u = begin
    for _ in range(whole_number("n_steps", n_steps)):
        u = fft.idctn(shrink * fft.dctn(u, norm="ortho"), norm="ortho")
        u = (u + pull * begin) / (1 + pull)
        u = towards_wells(u, speed)
    return np.clip(np.rint(u), 0, len(wells) - 1).astype(np.int64)


def towards_wells(u: FloatArray, time: float) -> FloatArray:
    """Where phases are after some time in the periodic well ``v^2 (1 - v)^2``, `v` being the fractional part.

    Examples
    --------
    >>> towards_wells(np.array([0.0, 0.5, 1.1, 2.9]), 100.0)
    array([0. , 0.5, 1. , 3. ])
    """
    floor = np.floor(u)
    side = 2 * (u - floor) - 1  # its slope is side (1 - side^2), up to a factor
    fading = np.exp(-2 * time)
    return np.asarray(floor + (1 + side / np.sqrt(fading + side**2 * (1 - fading))) / 2)


def laplacian_of_cosines(height: int, width: int) -> FloatArray:
    """Eigenvalues of the grid's Laplacian in the order of the cosine transform.

    Examples
    --------
    >>> laplacian_of_cosines(1, 2).round(6)
    array([[0., 2.]])
    """
    rows, columns = (2 - 2 * np.cos(np.pi * np.arange(side) / side) for side in (height, width))
    return np.asarray(rows[:, None] + columns)


def _checked(image: FloatArray, levels: Sequence[float]) -> FloatArray:
    """The levels, if picture and levels are what they should be."""
    wells = np.asarray(levels, dtype=float)
    if np.ndim(image) != 2 or not np.isfinite(image).all():
        raise ValueError(f"image must be a picture of finite grey values, got the shape {np.shape(image)}.")
    if wells.ndim != 1 or len(wells) < 2 or not (np.diff(wells) > 0).all():
        raise ValueError(f"levels must be two grey levels or more, rising; got {in_short(levels)}.")
    return wells
