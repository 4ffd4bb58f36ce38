"""Which pixels of a marked picture were painted, on what ground, and in which colours.

The ground is nothing, a plain colour, or a copy of the picture. Every pixel that differs from it is a share
of a paint over its ground, and is marked if that share is at least a half. After compression, only flat
spots that clearly differ from the ground count.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.base import color_of, packed, unpacked
from graphwell.io.images.paints import (
    ALIKE,
    FEW_COLORS,
    MOST_CLASSES,
    ROUNDING,
    Layer,
    Paints,
    PaintSearch,
    closest,
    is_mixture,
    no_paints,
    share,
)

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
MOST_MARKED, NEARLY, NEARLY_ON_NOTHING, LEAST_NEARLY = 0.5, 32.0, 4.0, 0.2
"""Many colours are strokes only if they mark no more than this share of the picture, and if this share of the
marks is so near to its paint: nearer on a transparent ground, as no format compresses that."""
BLOCK, PLAIN = 16, 0.75
"""Compression works in blocks of at most so many pixels. Farther than that from all marks, a plain ground is
still of one colour, up to strokes that were not found; that of a photograph is not."""
CRUMB = 10
"""Marks over a copy have more pixels than this in the mean; what differs in two photographs of one thing lies
scattered along edges."""
CROWDED = 24.0
"""Among many mixed colours, paints that are nearer to each other than this are one after compression."""
UNEXPLAINED = 0.1
"""Largest share of painted pixels that no paint explains."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The ground below the marks."""

    name: str  # as a sentence names it
    colors: IntArray | None
    """Of shape (height, width, 3) or (3,), from 0 to 255; None for a transparent ground."""

    def below(self, pixels: Any, *, exact: bool) -> Layer:
        """The pixels that are not the ground, as a layer over it."""
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
    """The ground that marks were painted on; "auto" takes that which explains most pixels."""
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
    """Colours of a picture from 0 to 255, as an editor shows it; None if it is no grey or colour picture."""
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


def find_paints(layer: Layer) -> Paints:
    """Find the paints of a layer, and the pixels of each.

    What is no picture of exact colours is looked at again as a compressed one.
    """
    if not layer.changed.any():
        return no_paints(layer, clear=True)
    found = _found(layer)
    return found if found.clear or not layer.exact else _found(replace(layer, exact=False))


def _found(layer: Layer) -> Paints:
    search = PaintSearch(layer)
    if not layer.exact and search.clear.sum() > MOST_MARKED * layer.changed.size:
        return no_paints(layer, clear=False)
    search.take_flat_spots()
    if layer.exact:
        if search.is_endless():
            return no_paints(layer, clear=False)
        search.take_unexplained()
        search.drop_mixtures()
    else:
        search.take_thin_strokes()
    return _marks(search)


def snapped(layer: Layer, paints: Paints) -> Paints:
    """The same paints, with every changed pixel given to the nearest of them or to the ground."""
    from scipy.spatial import cKDTree

    seen = unpacked(layer.colors[layer.changed]).astype(float)
    gap, nearest = cKDTree(unpacked(paints.colors).astype(float)).query(seen)
    if layer.ground is not None:
        ground = layer.ground if np.ndim(layer.ground) == 1 else layer.ground[layer.changed]
        nearest = np.where(np.linalg.norm(seen - ground, axis=1) < gap, -1, nearest)
    places = np.full(layer.colors.shape, -1, dtype=np.int32)
    places[layer.changed] = nearest
    left = int((nearest < 0).sum())
    return replace(paints, places=places, mixed=len(seen) - left, left=left)


def _marks(search: PaintSearch) -> Paints:
    """Give every changed pixel the paint that it holds most of."""
    kinds = sorted(search.taken, key=lambda kind: int(packed(search.names[kind])))
    best, gap = np.zeros(len(search.seen), dtype=np.int64), np.full(len(search.seen), np.inf)
    for place, kind in enumerate(kinds):
        off = _off(search, search.names[kind])
        best, gap = np.where(off < gap, place, best), np.minimum(off, gap)
    places = np.full(search.layer.colors.shape, -1, dtype=np.int32)
    places[search.layer.changed] = np.where(np.isfinite(gap), best, -1)
    colors = packed(search.names[kinds]) if kinds else np.array([], dtype=np.int64)
    return _counted(search, colors, places)


def _off(search: PaintSearch, paint: FloatArray) -> FloatArray:
    """Distance of each changed pixel from a paint; infinite where it holds less than half of it."""
    away = search.seen - paint
    off = np.sqrt(np.einsum("nc,nc->n", away, away))
    if search.below is None:
        fits = off <= (ROUNDING if search.layer.exact else ALIKE)
    else:
        fits = is_mixture(search.seen, search.below, paint, exact=search.layer.exact)
        fits &= share(search.seen, search.below, paint) >= 0.5
    return np.where(fits, off, np.inf)


def _counted(search: PaintSearch, colors: IntArray, places: IntArray) -> Paints:
    marked = places >= 0
    if not search.layer.exact and not _looks_painted(search.layer, colors, places):
        return no_paints(search.layer, clear=False)
    lost = 1 - search.explained[search.clear].mean() if search.clear.any() else 0.0
    mixed = int((search.layer.colors[marked] != colors[places[marked]]).sum())
    many = len(search.names) > FEW_COLORS and mixed > UNEXPLAINED * marked.sum()
    crowded = search.layer.exact and many and closest(unpacked(colors)) < CROWDED
    clear = bool(lost <= UNEXPLAINED and len(colors) <= MOST_CLASSES and not crowded)
    return Paints(colors, places, mixed, int(search.layer.changed.sum() - marked.sum()), clear)


def _looks_painted(layer: Layer, colors: IntArray, places: IntArray) -> bool:
    """Whether marks leave most of the picture as it was, and many have nearly the colour of a paint."""
    marked = places >= 0
    if not marked.any() or marked.mean() > MOST_MARKED:
        return False
    off = unpacked(layer.colors[marked]) - unpacked(colors[places[marked]])
    most = NEARLY if layer.ground is not None else NEARLY_ON_NOTHING
    nearly = (np.linalg.norm(off, axis=1) <= most).mean() >= LEAST_NEARLY
    return bool(nearly) and _fits_ground(layer, marked)


def _fits_ground(layer: Layer, marked: BoolArray) -> bool:
    """Whether a plain ground is plain away from the marks, or marks over a copy are more than crumbs."""
    from scipy import ndimage

    if layer.ground is None:
        return True
    if np.ndim(layer.ground) > 1:
        return bool(marked.sum() > CRUMB * ndimage.label(marked, np.ones((3, 3)))[1])
    away = layer.colors[ndimage.maximum_filter(marked, 2 * BLOCK + 1) == 0]
    counts = np.unique(away, return_counts=True)[1]
    return bool(counts.max(initial=0) >= PLAIN * away.size)
