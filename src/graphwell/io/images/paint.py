"""Which pixels of a marked picture were painted, and in which colours.

A pixel at the edge of a stroke has a colour between that of the paint and that of the ground below. So paints
are found first: colours of flat spots, then colours that no mixture explains. Every other pixel is a share of
a paint over its ground, and is marked if that share is at least a half.

After compression, only flat spots that clearly differ from the ground count.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.io.images.blends import ALIKE, ROUNDING, closest, gathered, is_mixture, share
from graphwell.io.images.colors import packed, unpacked

MOST_CLASSES = 64
"""A picture with more paints than this is no picture of marks."""
FEW_COLORS = 16
"""Of so few colours, all that are not rare are meant: antialiasing makes more."""
CLEAR_OF_GROUND, FAINT = 64.0, 0.2
"""Where compression changed the ground too, paint differs from it by so much, and by this share of what the
strongest paint does."""
RARE = 0.02
"""Mixtures that no two colours explain, as where three strokes meet, have a smaller share of all marks."""
STAIN, LEAST_SPOTS = 0.05, 4
"""Stains of compression have fewer flat spots than this share of those of the paint that they lie beside."""
LEAST_THIN, COMMON = 20, 0.1
"""Pixels of the smallest stroke without a flat spot, and the share of them that have its colour."""
MOST_MARKED, NEARLY, LEAST_NEARLY = 0.5, 32.0, 0.25
"""Many colours are strokes only if they mark no more than this share of the picture, and if this share of the
marks is so near to its paint. Photographs are not like that."""
MOST_WORK = 300_000_000
CROWDED = 24.0
"""Among many colours, paints that are nearer to each other than this are one paint after compression."""
UNEXPLAINED = 0.1
"""Largest share of painted pixels that no paint explains."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Changed pixels of a marked picture, over what is below them.

    Attributes
    ----------
    colors : array of shape (height, width)
        Packed colours.
    changed : array of shape (height, width)
        Where they are not the ground.
    ground : array of shape (height, width, 3) or (3,), optional
        Colours below; None where the ground is transparent, so that edges have no mixed colours.
    exact : bool
        Whether colours are as they were painted; compression changes them.
    """

    colors: IntArray
    changed: BoolArray
    ground: IntArray | None
    exact: bool = True


@dataclass(frozen=True, eq=False)
class Paints:
    """The paints of a layer.

    Attributes
    ----------
    colors : array of shape (n_paints,)
        Packed, in ascending order.
    places : array of shape (height, width)
        Place of each pixel's paint among them, or -1.
    mixed, left : int
        Marked pixels of another colour than their paint, and changed pixels that got no class.
    clear : bool
        Whether paints explain nearly all that was changed.
    """

    colors: IntArray
    places: IntArray
    mixed: int
    left: int
    clear: bool


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
        return _nothing(layer, clear=True)
    found = _found(layer)
    return found if found.clear or not layer.exact else _found(replace(layer, exact=False))


def _nothing(layer: Layer, *, clear: bool) -> Paints:
    none = np.array([], dtype=np.int64)
    return Paints(none, np.full(layer.colors.shape, -1, dtype=np.int32), 0, int(layer.changed.sum()), clear)


def _found(layer: Layer) -> Paints:
    search = _Search(layer)
    if not layer.exact and search.clear.sum() > MOST_MARKED * layer.changed.size:
        return _nothing(layer, clear=False)
    search.take_flat_spots()
    if layer.exact:
        if search.is_endless():
            return _nothing(layer, clear=False)
        search.take_unexplained()
        search.drop_mixtures()
    else:
        search.take_thin_strokes()
    return search.marks()


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


class _Search:
    """Paints found so far, and the changed pixels that they explain."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.seen = unpacked(layer.colors[layer.changed]).astype(np.float32)
        self.below = self._below()
        from scipy import ndimage

        self.parts = ndimage.label(layer.changed, np.ones((3, 3)))[0][layer.changed]
        self.clear = self._clear_of_ground()
        self.kinds, self.names = self._kinds()
        self.sizes = np.bincount(self.kinds[self.clear], minlength=len(self.names))
        self.explained = np.zeros(len(self.seen), dtype=bool)
        self.taken: list[int] = []
        self.sure: set[int] = set()
        self.homes: dict[int, BoolArray] = {}
        self.flat = self.sizes

    def _below(self) -> FloatArray | None:
        ground = self.layer.ground
        if ground is None:
            return None
        if np.ndim(ground) == 1:
            return np.broadcast_to(np.asarray(ground, dtype=np.float32), self.seen.shape)
        return np.asarray(ground[self.layer.changed], dtype=np.float32)

    def _clear_of_ground(self) -> BoolArray:
        """Pixels that were surely painted: where compression changed the ground, not all that differ were."""
        if self.layer.exact or self.below is None:
            return np.ones(len(self.seen), dtype=bool)
        off = np.abs(self.seen - self.below)
        return np.asarray(reduce(np.maximum, off.T) >= CLEAR_OF_GROUND)

    def _kinds(self) -> tuple[IntArray, FloatArray]:
        """Number of the kind of colour of each changed pixel, and the colour of each kind."""
        colors, kinds = np.unique(self.layer.colors[self.layer.changed], return_inverse=True)
        points = unpacked(colors).astype(np.float32)
        if self.layer.exact:
            return kinds, points
        groups, names = gathered(points, np.bincount(kinds, self.clear, len(points)))
        return groups[kinds], names

    def take_flat_spots(self) -> None:
        """Colours of squares of three by three pixels of one kind, those farthest from the ground first."""
        flat = self._flat() & self.clear
        counts = np.bincount(self.kinds[flat], minlength=len(self.names))
        self.flat = counts
        contrasts = self._contrasts()
        spots = np.flatnonzero(counts >= (1 if self.layer.exact else LEAST_SPOTS))
        for kind in spots[np.argsort(-contrasts[spots], kind="stable")][: 4 * MOST_CLASSES]:
            faint = contrasts[kind] < FAINT * contrasts[spots].max()
            if self.layer.exact or not (faint or self._stain(int(kind))):
                self._take(int(kind))
            if len(self.taken) > MOST_CLASSES:
                break
        self.sure = set(self.taken)

    def _flat(self) -> BoolArray:
        """Changed pixels whose eight neighbours are of their kind; beyond the edge lies what is at it."""
        kinds = np.full(self.layer.colors.shape, -1, dtype=np.int32)
        kinds[self.layer.changed] = self.kinds
        kinds = np.pad(kinds, 1, mode="edge")
        rows, columns = np.nonzero(self.layer.changed)
        own, found = self.kinds, np.ones(len(self.kinds), dtype=bool)
        for row, column in np.ndindex(3, 3):
            found[found] = kinds[rows[found] + row, columns[found] + column] == own[found]
        return found

    def _stain(self, kind: int) -> bool:
        """Whether a kind of colour is what compression made of the edges of a paint."""
        own = self.kinds == kind
        if self.explained[own & self.clear].mean() > 0.5:
            return True
        beside = [other for other in self.taken if self._home(other)[self.parts[own]].mean() > 0.5]
        return any(self.flat[kind] < STAIN * self.flat[other] for other in beside)

    def is_endless(self) -> bool:
        """Whether there is more to explain than any antialiased strokes leave."""
        left = len(np.unique(self.kinds[~self.explained]))
        return len(self.taken) > MOST_CLASSES or left * len(self.seen) > MOST_WORK

    def take_unexplained(self) -> None:
        """Colours of thin strokes that no mixture explains, those farthest from the ground first."""
        if len(self.names) <= FEW_COLORS:
            for kind in np.flatnonzero(self.sizes >= RARE * self.sizes.max()):
                if kind not in self.sure:
                    self._take(int(kind))
            self.sure = set(self.taken)
        for kind in np.argsort(-self._contrasts(), kind="stable"):
            if len(self.taken) > MOST_CLASSES:
                return
            common = self.sizes[kind] >= RARE * len(self.seen)
            if not self.explained[self.kinds == kind].all() and (common or self._alone(kind)):
                self._take(int(kind))

    def take_thin_strokes(self) -> None:
        """A paint for each part that has none after compression: its strokes are too thin for flat spots."""
        painted = np.zeros(int(self.parts.max()) + 1, dtype=bool)
        for kind in self.taken:
            painted |= self._home(kind)
        sizes = np.where(painted, 0, np.bincount(self.parts, self.clear, len(painted)))
        for part in np.argsort(-sizes, kind="stable")[:MOST_CLASSES]:
            if sizes[part] < LEAST_THIN or len(self.taken) > MOST_CLASSES:
                return
            found = self._paint_of((self.parts == part) & self.clear)
            if found is not None:
                self._take(found)

    def _paint_of(self, own: BoolArray) -> int | None:
        """The common kind of some pixels that is farthest from the ground; None where it is no new paint."""
        for other in self.taken:
            left = own & ~self.explained
            start = self.names[other] if self.below is None else self.below[left]
            self._explain(left, start, self.names[other])
        counts = np.bincount(self.kinds[own], minlength=len(self.names))
        common = np.flatnonzero(counts >= COMMON * own.sum())
        if self.explained[own].mean() > 0.5 or not len(common):
            return None
        contrasts = self._contrasts()
        kind = int(common[np.argmax(contrasts[common])])
        return kind if contrasts[kind] >= FAINT * contrasts.max() else None

    def drop_mixtures(self) -> None:
        """Leave out colours of thin strokes that later ones explain, those next to the ground first."""
        contrasts = self._contrasts()
        for kind in sorted(set(self.taken) - self.sure, key=lambda kind: float(contrasts[kind])):
            before = self.taken, self.explained
            self.taken, self.explained = [], np.zeros(len(self.seen), dtype=bool)
            for other in before[0]:
                if other != kind:
                    self._take(other)
            if not self.explained[self.kinds == kind].all():
                self.taken, self.explained = before

    def _contrasts(self) -> FloatArray:
        """How far each kind of colour is from the ground below it; where there is none, how common it is."""
        if self.below is None:
            return self.sizes.astype(float)
        off = np.where(self.clear, np.abs(self.seen - self.below) @ np.ones(3, dtype=np.float32), 0)
        return np.asarray(np.bincount(self.kinds, off, len(self.names)) / np.maximum(self.sizes, 1))

    def _alone(self, kind: int) -> bool:
        """Whether a kind of colour touches no paint."""
        own = self.parts[self.kinds == kind]
        return not any(self._home(other)[own].any() for other in self.taken)

    def _home(self, kind: int) -> BoolArray:
        """The connected parts in which a kind of colour occurs."""
        if kind not in self.homes:
            self.homes[kind] = np.zeros(int(self.parts.max()) + 1, dtype=bool)
            self.homes[kind][self.parts[self.kinds == kind]] = True
        return self.homes[kind]

    def _take(self, kind: int) -> None:
        self.explained |= self.kinds == kind
        home = self._home(kind)[self.parts]
        if self.below is not None:
            left = ~self.explained & home
            self._explain(left, self.below[left], self.names[kind])
        for other in self.taken:
            left = ~self.explained & home & self._home(other)[self.parts]
            self._explain(left, self.names[other], self.names[kind])
        self.taken.append(kind)

    def _explain(self, which: BoolArray, start: FloatArray, end: FloatArray) -> None:
        self.explained[which] = is_mixture(self.seen[which], start, end, exact=self.layer.exact)

    def marks(self) -> Paints:
        """Give every changed pixel the paint that it holds most of."""
        kinds = sorted(self.taken, key=lambda kind: int(packed(self.names[kind])))
        best, gap = np.zeros(len(self.seen), dtype=np.int64), np.full(len(self.seen), np.inf)
        for place, kind in enumerate(kinds):
            off = self._off(self.names[kind])
            best, gap = np.where(off < gap, place, best), np.minimum(off, gap)
        places = np.full(self.layer.colors.shape, -1, dtype=np.int32)
        places[self.layer.changed] = np.where(np.isfinite(gap), best, -1)
        colors = packed(self.names[kinds]) if kinds else np.array([], dtype=np.int64)
        return self._counted(colors, places)

    def _off(self, paint: FloatArray) -> FloatArray:
        """Distance of each changed pixel from a paint; infinite where it holds less than half of it."""
        away = self.seen - paint
        off = np.sqrt(np.einsum("nc,nc->n", away, away))
        if self.below is None:
            fits = off <= (ROUNDING if self.layer.exact else ALIKE)
        else:
            fits = is_mixture(self.seen, self.below, paint, exact=self.layer.exact)
            fits &= share(self.seen, self.below, paint) >= 0.5
        return np.where(fits, off, np.inf)

    def _counted(self, colors: IntArray, places: IntArray) -> Paints:
        marked = places >= 0
        if not self.layer.exact and not self._looks_painted(colors, places):
            return _nothing(self.layer, clear=False)
        lost = 1 - self.explained[self.clear].mean() if self.clear.any() else 0.0
        mixed = int((self.layer.colors[marked] != colors[places[marked]]).sum())
        crowded = self.layer.exact and len(self.names) > FEW_COLORS and closest(unpacked(colors)) < CROWDED
        clear = bool(lost <= UNEXPLAINED and len(colors) <= MOST_CLASSES and not crowded)
        return Paints(colors, places, mixed, int(self.layer.changed.sum() - marked.sum()), clear)

    def _looks_painted(self, colors: IntArray, places: IntArray) -> bool:
        """Whether marks leave most of the picture free, and many have nearly the colour of a paint."""
        marked = places >= 0
        if not marked.any() or marked.mean() > MOST_MARKED:
            return False
        off = unpacked(self.layer.colors[marked]) - unpacked(colors[places[marked]])
        return bool((np.linalg.norm(off, axis=1) <= NEARLY).mean() >= LEAST_NEARLY)
