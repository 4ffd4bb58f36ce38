"""Classes as colours: telling the colours that were painted from those that antialiasing and JPEG made."""

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray

MOST_CLASSES = 64
"""A picture with more colours than this was compressed or blurred."""
RARE, RARE_AMONG_MANY = 0.02, 0.2
"""Mixed colours have fewer pixels than this share of the commonest colour; less is known in a blur."""
NEAR, NEAR_AMONG_MANY = 24.0, 72.0
"""Distance of colours, each channel from 0 to 255, within which one may be a blemish of the other."""
PALETTE = (
    (31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189),
    (140, 86, 75), (227, 119, 194), (127, 127, 127), (188, 189, 34), (23, 190, 207),
)  # fmt: skip
BLACK = np.zeros((1, 3))


def packed(rgb: IntArray) -> IntArray:
    """Red, green and blue as one number.

    Examples
    --------
    >>> hex(packed(np.array([255, 127, 14])))
    '0xff7f0e'
    """
    wide = np.asarray(rgb).astype(np.int64)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


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
    from colorsys import hsv_to_rgb

    if number < len(PALETTE):
        return PALETTE[number]
    red, green, blue = hsv_to_rgb((number + 1.2) * 0.618034 % 1.0, 0.55, 0.85)  # hues by the golden ratio
    return round(255 * red), round(255 * green), round(255 * blue)


def painted_colors(picture: IntArray, marked: BoolArray, *, on_black: bool) -> IntArray:
    """The packed colours of a picture that were painted; the others are mixtures of them.

    A colour is a mixture if it is rare, lies near a commoner colour or between two of them, and its pixels
    touch such colours. In a picture of very many colours, like ones are first taken together, and the
    first two signs are enough.

    Parameters
    ----------
    picture : array of shape (height, width)
        Packed colours.
    marked : array of shape (height, width)
        Where they count.
    on_black : bool
        Whether the ground is black, so that colours may be mixed with it.

    Examples
    --------
    >>> row = np.array([[0xFF0000] * 100 + [0x800080] + [0x0000FF] * 100])
    >>> [hex(color) for color in painted_colors(row, row > 0, on_black=True)]
    ['0xff', '0xff0000']
    """
    colors, counts = np.unique(picture[marked], return_counts=True)
    if len(colors) > MOST_CLASSES:
        colors, counts = _gathered(colors, counts)
        return np.sort(colors[_unmixed(colors, counts, RARE_AMONG_MANY, NEAR_AMONG_MANY, on_black)])
    painted = colors[_unmixed(colors, counts, RARE, NEAR, on_black)]
    from scipy import ndimage

    touched = ndimage.binary_dilation(np.isin(picture, painted) & marked, np.ones((5, 5)))
    alone = [c for c in np.setdiff1d(colors, painted) if touched[marked & (picture == c)].mean() < 0.5]
    return np.sort(np.concatenate([painted, np.array(alone, dtype=painted.dtype)]))


def nearest_painted(colors: IntArray, painted: IntArray, *, on_black: bool) -> IntArray:
    """The painted colour nearest to each packed colour; -1 where that is the black ground.

    Examples
    --------
    >>> nearest_painted(np.array([0xF00000, 0x100000]), np.array([0xFF0000]), on_black=True).tolist()
    [16711680, -1]
    """
    from scipy.spatial import cKDTree

    points, names = unpacked(painted).astype(float), painted
    if on_black:
        points, names = np.concatenate([points, BLACK]), np.append(painted, -1)
    return np.asarray(names[cKDTree(points).query(unpacked(colors).astype(float))[1]])


def _gathered(colors: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Each colour joined to the commonest one near it, with their pixels together."""
    order = np.argsort(-counts, kind="stable")
    points = unpacked(colors[order]).astype(float)
    totals, free = counts[order].copy(), np.ones(len(order), dtype=bool)
    leaders: list[int] = []
    while free.any() and len(leaders) < 4 * MOST_CLASSES:
        first = int(free.argmax())
        near = free & (np.linalg.norm(points - points[first], axis=1) < NEAR_AMONG_MANY)
        totals[first] = totals[near].sum()
        leaders.append(first)
        free &= ~near
        free[first] = False
    return colors[order[leaders]], totals[leaders]


def _unmixed(colors: IntArray, counts: IntArray, rare: float, near: float, on_black: bool) -> list[int]:
    """From the commonest on, colours that are neither near one before nor mixed from two of them."""
    points = unpacked(colors).astype(float)
    ground = BLACK if on_black else np.empty((0, 3))
    chosen: list[int] = []
    for i in np.argsort(-counts, kind="stable"):
        known = np.concatenate([ground, points[chosen]])
        is_ground = rare == RARE_AMONG_MANY and _near(points[i], ground, near)
        is_rare = counts[i] < rare * counts.max()
        mixed = is_rare and (_near(points[i], known, near) or _between(points[i], known, near))
        if not mixed and not is_ground and len(chosen) < MOST_CLASSES:
            chosen.append(int(i))
    return chosen


def _near(point: FloatArray, known: FloatArray, near: float) -> bool:
    return bool((np.linalg.norm(known - point, axis=1) < near).any())


def _between(point: FloatArray, known: FloatArray, near: float) -> bool:
    """Whether a colour lies near a line from one known colour to another."""
    starts, ends = (known[side] for side in np.triu_indices(len(known), 1))
    lines = ends - starts
    share = ((point - starts) * lines).sum(axis=1) / (lines**2).sum(axis=1)
    feet = starts + np.clip(share, 0, 1)[:, None] * lines
    return bool((np.linalg.norm(feet - point, axis=1) < near).any())
