"""The two Ginzburg-Landau energies on a graph, and the gradient that Algorithm 1 descends.

The double sum of equation (13) visits every edge twice, so its gradient would hold ``2 ε G``; the
paper's algorithm steps along ``ε G``. The energy here counts each edge once and is the one whose
gradient the algorithm uses.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from graphwell._types import FloatArray
from graphwell.model.difference import label, r_hat, r_hat_slope, rho
from graphwell.model.potential import double_well, periodic_well, periodic_well_slope


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
