"""Colours as the eye compares them."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
LAB_UNIT = 100.0
ROWS_AT_A_TIME = 64


def is_color(values: FloatArray) -> bool:
    """Whether values of shape (*shape, n_channels) are red, green and blue, with or without opacity."""
    return values.shape[-1] in (3, 4) and float(values[..., :3].min()) >= 0


def to_lab(values: FloatArray, xp: Any = np) -> FloatArray:
    """Red, green and blue from 0 to 1 as L*a*b* divided by 100; further channels stay.

    `xp` is the library of the values.

    Examples
    --------
    >>> to_lab(np.array([[[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]], dtype=np.float32)).round(2).tolist()
    [[[1.0, 0.0, 0.0], [0.5299999713897705, 0.800000011920929, 0.6700000166893005]]]
    """
    found = values.astype(np.float32)
    white = TO_XYZ.sum(axis=1)
    matrix = xp.asarray((TO_XYZ / white[:, None]).T.astype(np.float32))
    for begin in range(0, len(values), ROWS_AT_A_TIME):  # a large picture must not be copied five times
        rows = found[begin : begin + ROWS_AT_A_TIME]
        rows[..., :3] = _lab(rows[..., :3], matrix)
    return found


def _lab(rgb: FloatArray, matrix: FloatArray) -> FloatArray:
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92).astype(np.float32)
    xyz = linear @ matrix
    bent = np.where(xyz > 216 / 24389, np.cbrt(xyz), xyz * (24389 / 27 / 116) + 16 / 116)
    x, y, z = (bent[..., c] for c in range(3))
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1) / LAB_UNIT
