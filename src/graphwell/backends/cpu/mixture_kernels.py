"""How likely colours are under mixtures of Gaussians, compiled by numba."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.graph.compiled import compiled

ROWS = 1024
"""Rows of a part."""
NEGLIGIBLE = np.float32(-18.0)
"""The exponential of less is lost beside 1 in single precision."""


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

    Parameters
    ----------
    values : array of shape (n_channels, n)
    logs : array of shape (n_parts,)
        Logarithm of share and height of each Gaussian.
    means, roots : arrays of shape (n_parts, n_channels) and (n_parts, n_channels, n_channels)
        `roots` are lower triangles: the inverse covariances are their squares.
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
