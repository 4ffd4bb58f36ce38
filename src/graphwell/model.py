"""The energies that are minimised, after the paper: wells, the difference between states, and their sums.

Every class is a branch of a star: an integer state is the tip of a branch, a half-integer state the centre
where all branches meet. `r_hat` is the distance from the centre, `rho` the distance along the star, so no
class is nearer to another than the rest.

The double sum of equation (13) visits every edge twice, so its gradient would hold ``2 ε G``; the paper's
algorithm steps along ``ε G``. The energy here counts each edge once and is the one whose gradient the
algorithm uses.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray, IntArray


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


def binary_energy(
    u: npt.ArrayLike, L_s: Any, epsilon: float, fidelity: npt.ArrayLike, known: npt.ArrayLike
) -> float:
    """Energy of the two-class model. Equation (6).

    Parameters
    ----------
    u : array of shape (n,)
        States; the classes are -1 and +1.
    L_s : sparse or dense matrix of shape (n, n)
        Symmetric normalised Laplacian.
    epsilon : float
        Width of the interface.
    fidelity : array of shape (n,)
        Weight of each known label, 0 where the label is unknown.
    known : array of shape (n,)
        Known labels; ignored where ``fidelity`` is 0.

    Examples
    --------
    >>> binary_energy([1.0, -1.0], np.array([[1.0, -1.0], [-1.0, 1.0]]), 1.0, [0, 0], [0, 0])
    2.0
    """
    u = np.asarray(u, dtype=float)
    smoothing = epsilon / 2 * float(u @ (L_s @ u))
    return smoothing + float(double_well(u).sum()) / epsilon + _fidelity_energy(u, fidelity, known)


def multiclass_energy(
    u: npt.ArrayLike, S: Any, epsilon: float, fidelity: npt.ArrayLike, known: npt.ArrayLike
) -> float:
    """Energy of the multiclass model, each edge counted once. Equation (13).

    Parameters are those of `binary_energy`, with the normalised affinity ``S`` in place of the
    Laplacian and integer classes from 0 on.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> S = csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> multiclass_energy([0.0, 1.0], S, 1.0, [0, 0], [0, 0])
    0.5
    """
    u = np.asarray(u, dtype=float)
    edges = S.tocoo()
    both_directions = float((edges.data * rho(u[edges.row], u[edges.col]) ** 2).sum())
    smoothing = epsilon / 4 * both_directions
    return smoothing + float(periodic_well(u).sum()) / epsilon + _fidelity_energy(u, fidelity, known)


def multiclass_gradient(
    u: npt.ArrayLike, S: Any, epsilon: float, fidelity: npt.ArrayLike, known: npt.ArrayLike
) -> FloatArray:
    """Gradient of `multiclass_energy` away from the half-integers. Equations (15) and (16).

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> S = csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> multiclass_gradient([0.0, 1.0], S, 1.0, [0, 0], [0, 0])
    array([-1., -1.])
    """
    u = np.asarray(u, dtype=float)
    edges = S.tocoo()
    r, y = r_hat(u), label(u)
    signed = np.where(y[edges.row] == y[edges.col], -1.0, 1.0) * r[edges.col]
    pull = np.bincount(edges.row, edges.data * (r[edges.row] + signed), minlength=len(u))
    known_force = np.asarray(fidelity, dtype=float) * (u - np.asarray(known, dtype=float))
    return epsilon * r_hat_slope(u) * pull + periodic_well_slope(u) / epsilon + known_force


def _fidelity_energy(u: FloatArray, fidelity: npt.ArrayLike, known: npt.ArrayLike) -> float:
    distance = u - np.asarray(known, dtype=float)
    return float((np.asarray(fidelity, dtype=float) / 2 * distance**2).sum())
