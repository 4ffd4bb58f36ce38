"""Loops over blocks of columns, compiled: what conjugate gradients do between two products."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.graph.compiled import compiled


@compiled()
def products(p: FloatArray, r: FloatArray, w: FloatArray) -> FloatArray:
    """Sums over the rows of ``p w``, ``r w``, ``w w`` and ``r r`` for each column, in double precision."""
    n, width = p.shape
    found = np.zeros((4, width))
    for i in range(n):
        for c in range(width):
            a, b, d = np.float64(p[i, c]), np.float64(r[i, c]), np.float64(w[i, c])
            found[0, c] += a * d
            found[1, c] += b * d
            found[2, c] += d * d
            found[3, c] += b * b
    return found


@compiled()
def advance(
    x: FloatArray,
    r: FloatArray,
    p: FloatArray,
    w: FloatArray,
    step: FloatArray,
    ratio: FloatArray,
    moving: FloatArray,
) -> None:
    """Move `x` and `r` along `p`, and turn `p`, in place; where `moving` is 0, `p` becomes 0."""
    n, width = x.shape
    for i in range(n):
        for c in range(width):
            x[i, c] += step[c] * p[i, c]
            r[i, c] -= step[c] * w[i, c]
            p[i, c] = ratio[c] * p[i, c] + moving[c] * r[i, c]
