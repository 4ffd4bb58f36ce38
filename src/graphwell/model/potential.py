"""The wells that pull every state towards a class."""

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray


def double_well(u: npt.ArrayLike) -> FloatArray:
    """Double well with minima at -1 and +1: ``(u² - 1)² / 4``. Equation (2).

    Examples
    --------
    >>> double_well([-1.0, 0.0, 1.0])
    array([0.  , 0.25, 0.  ])
    """
    u = np.asarray(u, dtype=float)
    return (u * u - 1) ** 2 / 4


def double_well_slope(u: npt.ArrayLike) -> FloatArray:
    """Slope of the double well, ``u³ - u``.

    Examples
    --------
    >>> double_well_slope([0.5, 2.0])
    array([-0.375,  6.   ])
    """
    u = np.asarray(u, dtype=float)
    return u * (u * u - 1)


def fractional_part(u: npt.ArrayLike) -> FloatArray:
    """``{u} = u - floor(u)``, in [0, 1). Equation (9).

    Examples
    --------
    >>> fractional_part([1.25, -0.25])
    array([0.25, 0.75])
    """
    u = np.asarray(u, dtype=float)
    return u - np.floor(u)


def periodic_well(u: npt.ArrayLike) -> FloatArray:
    """One well at every integer: ``{u}² ({u} - 1)² / 2``. Equation (8).

    Examples
    --------
    >>> periodic_well([0.0, 0.5, 3.0])
    array([0.     , 0.03125, 0.     ])
    """
    f = fractional_part(u)
    return (f * (f - 1)) ** 2 / 2


def periodic_well_slope(u: npt.ArrayLike) -> FloatArray:
    """Slope of the periodic well, ``{u} ({u} - 1) (2 {u} - 1)``. Equation (17).

    Examples
    --------
    >>> periodic_well_slope([0.0, 0.25, 0.5])
    array([ 0.     ,  0.09375, -0.     ])
    """
    f = fractional_part(u)
    return f * (f - 1) * (2 * f - 1)
