"""Classes as colours."""

from colorsys import hsv_to_rgb

import numpy as np

from graphwell._types import IntArray

PALETTE = (
    (31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189),
    (140, 86, 75), (227, 119, 194), (127, 127, 127), (188, 189, 34), (23, 190, 207),
)  # fmt: skip


def packed(rgb: IntArray) -> IntArray:
    """Red, green and blue as one number.

    Examples
    --------
    >>> hex(packed(np.array([255, 127, 14])))
    '0xff7f0e'
    """
    red, green, blue = (np.asarray(rgb)[..., c].astype(np.int32) for c in range(3))
    return red << 16 | green << 8 | blue


def unpacked(colors: IntArray) -> IntArray:
    """Red, green and blue of packed colours, along a last axis."""
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=-1)


def palette_color(number: int) -> tuple[int, int, int]:
    """A colour for a class that came without one; any number of them, well apart.

    Examples
    --------
    >>> palette_color(0), palette_color(10)
    ((31, 119, 180), (217, 98, 153))
    """
    if number < len(PALETTE):
        return PALETTE[number]
    red, green, blue = hsv_to_rgb((number + 1.2) * 0.618034 % 1.0, 0.55, 0.85)  # hues by the golden ratio
    return round(255 * red), round(255 * green), round(255 * blue)
