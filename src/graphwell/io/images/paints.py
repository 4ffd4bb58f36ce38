"""Which colours of a marked picture are paints: those of flat spots, then those that no mixture explains.

A pixel at the edge of a stroke has a colour between those of the paint and of the ground below. Compression
keeps brightness sharp and smears hues over blocks of pixels: after it, a mixture may hold another share of a
colour's hue than of its brightness.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.io.images.base import unpacked

ROUNDING = 3.0
"""By how much a mixture may differ from what it should be, each channel from 0 to 255."""
SMEARED_HUE, RINGING = 24.0, 48.0
"""The same for hue and for brightness after compression."""
ALIKE = 60.0
"""Colours of one paint after compression lie within this distance of its commonest."""
BRIGHTNESS = np.array([0.299, 0.587, 0.114], dtype=np.float32)
HUES = np.array([[-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]], dtype=np.float32).T
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
MOST_WORK = 300_000_000


@dataclass(frozen=True, eq=False)
class Layer:
    """Changed pixels of a marked picture, over what is below them."""

    colors: IntArray  # packed
    changed: BoolArray  # where they are not the ground
    ground: IntArray | None  # colours below; None where transparent, so that edges have no mixed colours
    exact: bool = True  # whether colours are as they were painted; compression changes them


@dataclass(frozen=True, eq=False)
class Paints:
    """The paints of a layer."""

    colors: IntArray  # packed, in ascending order
    places: IntArray  # of each pixel's paint among them, or -1
    mixed: int  # marked pixels of another colour than their paint
    left: int  # changed pixels that got no class
    clear: bool  # whether paints explain nearly all that was changed


def no_paints(layer: Layer, *, clear: bool) -> Paints:
    """No paints: because nothing was changed, or because it is not clear what was."""
    none = np.array([], dtype=np.int64)
    return Paints(none, np.full(layer.colors.shape, -1, dtype=np.int32), 0, int(layer.changed.sum()), clear)


def is_mixture(seen: FloatArray, start: FloatArray, end: FloatArray, *, exact: bool) -> BoolArray:
    """Whether each colour is mixed of two others."""
    if exact:
        return _misfit(seen, start, end) <= ROUNDING
    ends = start @ BRIGHTNESS, end @ BRIGHTNESS
    bright = seen @ BRIGHTNESS
    between = (bright >= np.minimum(*ends) - RINGING) & (bright <= np.maximum(*ends) + RINGING)
    return np.asarray(between & (_misfit(seen @ HUES, start @ HUES, end @ HUES) <= SMEARED_HUE))


def share(seen: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each colour lies on the way from a start to an end, from 0 to 1."""
    line = end - start
    length = np.maximum(np.einsum("...c,...c->...", line, line), 1e-9)
    return np.asarray(np.clip(np.einsum("...c,...c->...", seen - start, line) / length, 0, 1))


def gathered(points: FloatArray, counts: FloatArray) -> tuple[IntArray, FloatArray]:
    """Each colour joined to the commonest one near it: number of its group, and colour of each group."""
    leader = np.full(len(points), -1)
    names: list[FloatArray] = []
    for first in np.argsort(-counts, kind="stable"):
        if leader[first] < 0:
            near = (leader < 0) & (np.linalg.norm(points - points[first], axis=1) < ALIKE)
            leader[near] = len(names)
            names.append(points[first])
    return leader, np.array(names)


def closest(points: IntArray) -> float:
    """Distance of the two colours that are nearest to each other."""
    gaps = np.linalg.norm((points[:, None] - points[None]).astype(float), axis=2)
    return float(gaps[np.triu_indices(len(points), 1)].min(initial=np.inf))


def _misfit(seen: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """By how much each colour misses the line from a start to an end."""
    off = np.abs(seen - (start + share(seen, start, end)[..., None] * (end - start)))
    return reduce(np.maximum, np.moveaxis(off, -1, 0))


class PaintSearch:
    """Paints found so far, and the changed pixels that they explain.

    Of each changed pixel: its colour `seen` and that of the ground `below` (None where transparent), its kind
    of colour (`kinds`; `names` are the colours of the kinds), whether it was surely painted (`clear`), and
    whether the kinds `taken` as paints explain it.
    """

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.seen = unpacked(layer.colors[layer.changed]).astype(np.float32)
        self.below = self._below()

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
        if self.layer.exact and len(spots) > MOST_CLASSES:  # too many, whatever they explain
            self.taken = spots.tolist()
            return
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
