"""Which pixels of a marked picture were painted, and in which colours.

A pixel at the edge of a stroke has a colour between that of the paint and that of the ground below. So paints
are found first: colours of flat spots, then colours that no mixture explains. Every other pixel is a share of
a paint over its ground, and is marked if that share is at least a half.

After compression, only flat spots that clearly differ from the ground count.
"""

from dataclasses import replace

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.io.images.blends import ALIKE, ROUNDING, closest, is_mixture, share
from graphwell.io.images.colors import packed, unpacked
from graphwell.io.images.layers import Layer, Paints, no_paints
from graphwell.io.images.paint_search import FEW_COLORS, MOST_CLASSES, PaintSearch

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


def find_paints(layer: Layer) -> Paints:
    """Find the paints of a layer, and the pixels of each.

    What is no picture of exact colours is looked at again as a compressed one.

    Examples
    --------
    >>> row = np.array([[0xFF0000] * 90 + [0x800080] + [0x0000FF] * 90])
    >>> found = find_paints(Layer(row, row > 0, np.zeros(3, int)))
    >>> [hex(color) for color in found.colors], found.left, found.clear
    (['0xff', '0xff0000'], 1, True)
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
    if layer.ground is None:
        return True
    if np.ndim(layer.ground) > 1:
        return bool(marked.sum() > CRUMB * ndimage.label(marked, np.ones((3, 3)))[1])
    away = layer.colors[ndimage.maximum_filter(marked, 2 * BLOCK + 1) == 0]
    counts = np.unique(away, return_counts=True)[1]
    return bool(counts.max(initial=0) >= PLAIN * away.size)
