"""What marks were painted on: nothing, a plain colour, or a copy of the picture."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.colors import packed, unpacked
from graphwell.io.images.drawings.base import color_of
from graphwell.io.images.layers import Layer
from graphwell.io.images.paint_search import FEW_COLORS

NAMED = {"black": (0, 0, 0), "white": (255, 255, 255)}
BACKGROUNDS = ("auto", "transparent", *NAMED)
LIKE = 24
"""Pixels that differ by no more in any channel, of 0 to 255, may be equal but for compression."""
MOST = 0.5
"""A ground covers at least this share of the picture."""
NOISE, LEAST_NOISE, MOST_NOISE = 3.0, 8.0, 48
"""Compressed pixels of the ground differ from it by so many upper quartiles of the smaller differences."""
EXACT_SHARE = 0.9
SAMPLE = 1_000_000
OPAQUE = 255


@dataclass(frozen=True, eq=False)
class Ground:
    """What is below the marks.

    Attributes
    ----------
    name : str
        As a sentence names it.
    colors : array of shape (height, width, 3) or (3,), optional
        From 0 to 255; None for a transparent ground.
    """

    name: str
    colors: IntArray | None

    def below(self, pixels: Any, *, exact: bool) -> Layer:
        """The pixels that are not the ground, as a layer over it.

        Parameters
        ----------
        pixels : array of shape (height, width, 4)
            Red, green, blue and opacity, from 0 to 255.
        exact : bool
            Whether the file keeps colours as they are.
        """
        opacity = pixels[..., 3]
        seen = opacity >= max(1, int(opacity.max()) / 2)
        if self.colors is None:
            return Layer(packed(pixels[..., :3]), seen, None, exact)
        off = _difference(pixels, self.colors)
        near = off[seen & (off < MOST_NOISE)]
        exact = exact and (near.size == 0 or bool((near == 0).mean() >= EXACT_SHARE))
        noise = 0.0 if exact else max(LEAST_NOISE, NOISE * _upper_quartile(near))
        return Layer(packed(pixels[..., :3]), seen & (off > noise), self.colors, exact)


def find_ground(pixels: Any, background: str, picture: IntArray | None, *, on_picture: bool) -> Ground:
    """Say what marks were painted on.

    Parameters
    ----------
    pixels : array of shape (height, width, 4)
        The marks: red, green, blue and opacity, from 0 to 255.
    background : str
        "transparent", "black", "white", a colour like "#ff7f0e", or "auto": whatever explains most pixels of
        a transparent ground, the commonest colour, and the picture.
    picture : array of shape (height, width, 3), optional
        Its colours, where it has any.
    on_picture : bool
        Whether the user says so.

    Examples
    --------
    >>> marks = np.full((2, 4, 4), 255)
    >>> marks[0, 0, :3] = 255, 0, 0
    >>> find_ground(marks, "auto", None, on_picture=False).name
    'white'
    """
    if on_picture:
        if picture is None:
            problem = "{field} needs a picture of 1, 3 or 4 channels from 0 to 1, or of integers."
            raise OptionError("strokes_on_picture", problem)
        return Ground("a copy of the picture", picture)
    if background == "auto":
        return _recognised(pixels, picture)
    if background == "transparent":
        return Ground("transparent", None)
    return _plain(NAMED[background] if background in NAMED else color_of(background))


def check_background(background: str) -> None:
    """Refuse what names no ground."""
    try:
        if background not in BACKGROUNDS:
            color_of(background)
    except ValueError:
        problem = "{field} must be one of {} or a colour like #ff7f0e, got {!r}."
        raise OptionError("background", problem, ", ".join(BACKGROUNDS), background) from None


def shown_colors(picture: FloatArray) -> IntArray | None:
    """Colours of a picture from 0 to 255, as an editor shows it; None for what is no grey or colour picture.

    Examples
    --------
    >>> shown_colors(np.array([[0.0, 1.0]])).tolist()
    [[[0, 0, 0], [255, 255, 255]]]
    """
    values = picture.reshape(*picture.shape[:2], -1)
    if values.shape[2] not in (1, 3, 4):
        return None
    values = values[..., :3]
    if values.dtype == np.uint8:
        return np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values
    largest = float(np.iinfo(values.dtype).max) if values.dtype.kind in "iu" else 1.0
    if not (values.min() >= 0 and values.max() <= largest):
        return None
    eight = np.round(values * np.float32(255 / largest)).astype(np.uint8)
    return np.repeat(eight, 3, axis=2) if eight.shape[2] == 1 else eight


def _recognised(pixels: Any, picture: IntArray | None) -> Ground:
    step = max(1, int(np.sqrt(pixels.shape[0] * pixels.shape[1] / SAMPLE)))
    sample = pixels[::step, ::step]
    shown = sample[..., 3] >= OPAQUE / 2
    if picture is not None and shown.any():
        copied = float((_difference(sample, picture[::step, ::step]) <= LIKE)[shown].mean())
    else:
        copied = 0.0
    if not shown.all():
        return Ground("a copy of the picture", picture) if copied >= MOST else Ground("transparent", None)
    colors, counts = np.unique(packed(sample[..., :3]), return_counts=True)
    commonest = unpacked(colors[counts.argmax()])
    plain = float((_difference(sample, commonest) <= LIKE).mean())
    if max(copied, plain) >= MOST:
        return (
            Ground("a copy of the picture", picture) if copied > plain else _plain(tuple(commonest.tolist()))
        )
    if len(colors) <= FEW_COLORS or colors[0] == 0:
        return _plain(NAMED["black"])
    problem = (
        "{field}: no colour covers half of the marks, and they are no copy of the picture; name the colour "
        "that means unknown with {background}, or use {strokes_on_picture=True}."
    )
    raise OptionError("seeds", problem)


def _plain(color: tuple[int, int, int]) -> Ground:
    names = {known: name for name, known in NAMED.items()}
    return Ground(names.get(color, "#{:02x}{:02x}{:02x}".format(*color)), np.array(color))


def _difference(pixels: Any, colors: IntArray) -> IntArray:
    """Largest difference of a channel."""
    channels = (np.abs(pixels[..., c].astype(np.int16) - colors[..., c].astype(np.int16)) for c in range(3))
    return reduce(np.maximum, channels)


def _upper_quartile(values: IntArray) -> float:
    return float(np.quantile(values, 0.75)) if values.size else 0.0
