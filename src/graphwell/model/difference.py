"""How far two states are apart when no class is nearer to another than the rest.

Every class is a branch of a star: an integer state is the tip of a branch, a half-integer state the
centre where all branches meet. ``r_hat`` is the distance from the centre, ``rho`` the distance along
the star.
"""

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray, IntArray
from graphwell.model.potential import fractional_part


def label(u: npt.ArrayLike) -> IntArray:
    """Class of a state, the nearest integer: ``floor(u + 1/2)``. Equation (10).

    Examples
    --------
    >>> label([-0.5, 0.4, 0.5, 2.3])
    array([0, 0, 1, 2])
    """
    return np.floor(np.asarray(u, dtype=float) + 0.5).astype(np.int64)


def r_hat(u: npt.ArrayLike) -> FloatArray:
    """Distance to the nearest half-integer, ``|1/2 - {u}|``. Equation (11).

    Examples
    --------
    >>> r_hat([0.0, 0.25, 0.5, 0.9])
    array([0.5 , 0.25, 0.  , 0.4 ])
    """
    return np.abs(0.5 - fractional_part(u))


def r_hat_slope(u: npt.ArrayLike) -> FloatArray:
    """Slope of ``r_hat``: -1 on the right of an integer, +1 on its left.

    Examples
    --------
    >>> r_hat_slope([0.2, 0.8])
    array([-1.,  1.])
    """
    return np.where(fractional_part(u) < 0.5, -1.0, 1.0)


def rho(u: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
    """Generalised difference: ``r_hat`` added across classes, subtracted inside one. Equation (12).

    Examples
    --------
    >>> rho([0.0, 0.0, 0.0], [0.2, 1.0, 7.0])
    array([0.2, 1. , 1. ])
    """
    r_u, r_v = r_hat(u), r_hat(v)
    return np.where(label(u) == label(v), np.abs(r_u - r_v), r_u + r_v)
