"""Marks painted in colours: on nothing, on a plain ground or on a copy of the picture.

Every pixel that differs from the ground is a share of a paint over it, and is marked if that share is at
least a half. Paints are the colours of flat spots, then those of thin strokes that no mixture of others
explains. A pixel at the edge of a stroke has a colour between those of the paint and of the ground below.
Compression keeps brightness sharp and smears hues over blocks of pixels: after it, a mixture may hold another
share of a colour's hue than of its brightness, and only flat spots that clearly differ from the ground count.
How many files are read as they were painted: docs/pictures.md, "Marks as painted".
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.drawings import Marks, color_of, marked_classes

NAMED = {"black": (0, 0, 0), "white": (255, 255, 255)}
BACKGROUNDS = ("auto", "transparent", *NAMED)
OPAQUE = UNKNOWN = 255
MOST_CLASSES = 64  # a picture with more paints than this is no picture of marks
FEW_COLORS = (
    16  # a picture of so few has the ground black, though no colour covers half: antialiasing makes more
)
# Chosen on other pictures than the 17 of docs/pictures.md; the single experiments are not recorded.
LEAST_EVEN = 0.75  # of the pixels have the number of those above and to the left; fewer in dark photographs
LIKE = 24  # pixels that differ by no more in any channel, of 0 to 255, may be equal but for compression
SAMPLE = 1_000_000  # pixels that a ground is recognised on
MOST = 0.5  # a ground covers at least this share of the picture, marks in blurred colours at most
NOISE, LEAST_NOISE, MOST_NOISE = 3.0, 8.0, 48  # compressed ground differs by so many upper quartiles
EXACT_SHARE = 0.9  # of the ground is as it was where nothing was compressed
ROUNDING = 3.0  # by how much a mixture may differ from what it should be, each channel from 0 to 255
SMEARED_HUE, RINGING = 24.0, 48.0  # the same for hue and for brightness after compression
BRIGHTNESS = np.array([0.299, 0.587, 0.114], dtype=np.float32)
HUES = np.array([[-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]], dtype=np.float32).T
ALIKE = 60.0  # colours of one paint after compression lie within this distance of its commonest
CLEAR_OF_GROUND = 64.0  # paint differs by so much from a compressed ground
FAINT = 0.2  # and that of a thin stroke by this share of what the strongest paint does
RARE = 0.02  # of all marks are mixtures that no two colours explain, as where three strokes meet
LEAST_SPOTS = 4  # flat spots of a paint after compression
LEAST_THIN, COMMON = 20, 0.1  # pixels of the smallest stroke without a flat spot; share that has its colour
MOST_WORK = 300_000_000
NEARLY, LEAST_NEARLY = 4.0, 0.2  # on nothing, so many marks are so near to their paint
BLOCK, PLAIN = 16, 0.75  # farther from marks than a block of compression, a plain ground is of one colour
CRUMB = 10  # pixels of a mark over a copy, in the mean; two photographs of one thing differ in crumbs
UNEXPLAINED = 0.1  # largest share of painted pixels that no paint explains


@dataclass(frozen=True, kw_only=True)
class Painting:
    """How the colours of a seeds picture are to be understood."""

    background: str = "auto"
    """Which pixels are unknown: "transparent", "black", "white", a colour like "#ff7f0e", or "auto": of a
    transparent ground, the commonest colour and the picture itself, what explains most pixels."""
    on_picture: bool = False  # the marks were painted over a copy of the picture
    snap: bool = False  # give colours that are no clear mixture to the nearest paint instead of refusing them


def check_background(background: str) -> None:
    """Refuse what is neither the name of a ground nor a colour."""
    if background not in BACKGROUNDS:
        try:
            color_of(background)
        except ValueError:
            problem = "{field} must be one of {} or a colour like #ff7f0e, got {!r}."
            raise OptionError("background", problem, ", ".join(BACKGROUNDS), background) from None


def read_painted(
    path: Path, pixels: Any, painting: Painting, picture: FloatArray | None, *, exact: bool
) -> Marks:
    """The marks of a picture of colours, which are `exact` where nothing was compressed."""
    if painting.background == "transparent" and bool((pixels[..., 3] == OPAQUE).all()):
        problem = '{field} {} has no transparent pixel to mean unknown; use {background="black"}.'
        raise OptionError("seeds", problem, path)
    is_open = painting.background == "auto" and not painting.on_picture
    coded = _coded_classes(pixels) if exact and is_open else None
    if coded is not None:
        note = Sentence("The greys of the marks were taken for numbers of classes.")
        return _marks(np.arange(MOST_CLASSES) * 0x010101, coded, [note])
    ground, colors = _find_ground(pixels, painting, picture)
    changed = _changed(colors, pixels, exact=exact)
    paints = _find_paints(changed)
    n_changed, n_paints = len(changed.rgb), len(paints.colors)
    if not paints.clear and not 0 < n_paints <= MOST_CLASSES:
        problem = (
            "{field} {}: on the ground ({}), {:,} changed pixels show {} colours, which is no set of marks; "
            "name the ground with {background} or {strokes_on_picture=True}, paint with a hard brush, and "
            "save as PNG."
        )
        many = "no plain" if n_paints == 0 else f"more than {MOST_CLASSES} plain"
        raise OptionError("seeds", problem, path, ground, n_changed, many)
    if not (paints.clear or painting.snap):
        problem = (
            "{field} {}: on the ground ({}), {:,} of {:,} changed pixels have colours that are no mixture of "
            "the {} plain ones; paint with a hard brush of 6 pixels or more and save as PNG, or use "
            "{snap=True} to give them to the nearest plain colour."
        )
        raise OptionError("seeds", problem, path, ground, int((paints.of < 0).sum()), n_changed, n_paints)
    of = paints.of if paints.clear else _nearest(changed, paints.colors)
    places = np.full(changed.where.shape, -1, dtype=np.int32)
    places[changed.where] = of
    marked_classes(path, places)
    notes = []
    if ground not in ("transparent", "black"):
        notes.append(Sentence("The marks were taken to be painted on {}.", (ground,)))
    mixed = int((_packed(changed.rgb) != paints.colors[of])[of >= 0].sum())
    if mixed or (of < 0).any():
        text = (
            "{:,} marked pixels had mixed colours and took the class that they hold most of; {:,} hold "
            "less than half of any, and are not marked."
        )
        notes.append(Sentence(text, (mixed, int((of < 0).sum()))))
    return _marks(paints.colors, places, notes)


def _marks(colors: IntArray, places: IntArray, notes: list[Sentence]) -> Marks:
    """Marks by the places of their colours, of which some may have no pixel."""
    marked = places >= 0
    used, numbers = np.unique(places[marked], return_inverse=True)
    classes = np.full(marked.shape, -1)
    classes[marked] = numbers
    names = {i: f"#{color:06x}" for i, color in enumerate(colors[used])}
    return Marks(classes, names, {i: color_of(name) for i, name in names.items()}, tuple(notes))


def _coded_classes(pixels: Any) -> IntArray | None:
    """Numbers of classes in a picture of such numbers; None for any other picture.

    Such a picture is grey and even, and holds the numbers of at least two classes with few gaps: 0, 1, 2 and
    so on, each below 64. Unknown is 255, or 0 where there is no 255.
    """
    values = pixels[..., 0].astype(np.int16)
    if (pixels[..., 1:3] != pixels[..., :1]).any() or (pixels[..., 3] != OPAQUE).any():
        return None
    found = np.unique(values)
    unknown = UNKNOWN if UNKNOWN in found else 0
    codes = found[found != unknown]
    if len(codes) < 2 or codes[-1] >= min(MOST_CLASSES, 2 * len(codes) + 1):
        return None
    above, left = (np.diff(values, axis=a, prepend=values.take([0], a)) for a in (0, 1))
    if ((above == 0) & (left == 0)).mean() < LEAST_EVEN:
        return None
    return np.where(values == unknown, -1, values)


# ------------------------------------------------------------------------------------------------- grounds


def _find_ground(pixels: Any, painting: Painting, picture: Any) -> tuple[str, IntArray | None]:
    """Name and colours of the ground below the marks; "auto" takes that which explains most pixels."""
    shown = None if picture is None else _shown_colors(picture)
    copy = "a copy of the picture", shown
    if painting.on_picture:
        if shown is None:
            problem = "{field} needs a picture of 1, 3 or 4 channels from 0 to 1, or of integers."
            raise OptionError("strokes_on_picture", problem)
        return copy
    if painting.background == "transparent":
        return "transparent", None
    if painting.background != "auto":
        return _plain(NAMED.get(painting.background) or color_of(painting.background))
    step = max(1, int(np.sqrt(pixels.shape[0] * pixels.shape[1] / SAMPLE)))
    sample = pixels[::step, ::step]
    opaque, copied = sample[..., 3] >= OPAQUE / 2, 0.0
    if shown is not None and opaque.any():
        copied = float((_difference(sample, shown[::step, ::step]) <= LIKE)[opaque].mean())
    if not opaque.all():
        return copy if copied >= MOST else ("transparent", None)
    colors, counts = np.unique(_packed(sample), return_counts=True)
    commonest = _unpacked(colors[counts.argmax()])
    plain = float((_difference(sample, commonest) <= LIKE).mean())
    if max(copied, plain) >= MOST:
        return copy if copied > plain else _plain(tuple(commonest.tolist()))
    if len(colors) <= FEW_COLORS or colors[0] == 0:
        return _plain(NAMED["black"])
    problem = (
        "{field}: no colour covers half of the marks, and they are no copy of the picture; name the colour "
        "that means unknown with {background}, or use {strokes_on_picture=True}."
    )
    raise OptionError("seeds", problem)


def _shown_colors(picture: Any) -> IntArray | None:
    """Colours of a picture from 0 to 255, as an editor shows it; None if it is no grey or colour picture."""
    values = picture.reshape(*picture.shape[:2], -1)
    if values.shape[2] not in (1, 3, 4):
        return None
    values = values[..., :3]
    if values.dtype != np.uint8:
        largest = float(np.iinfo(values.dtype).max) if values.dtype.kind in "iu" else 1.0
        if not (values.min() >= 0 and values.max() <= largest):
            return None
        values = np.round(values * np.float32(255 / largest)).astype(np.uint8)
    return np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values


def _plain(color: tuple[int, int, int]) -> tuple[str, IntArray]:
    names = {known: name for name, known in NAMED.items()}
    return names.get(color, "#{:02x}{:02x}{:02x}".format(*color)), np.array(color)


@dataclass(frozen=True, eq=False)
class _Changed:
    """The pixels that are not the ground."""

    where: BoolArray  # in the picture
    rgb: FloatArray  # their colours
    below: (
        FloatArray | None
    )  # those of the ground; None where transparent, so that edges have no mixed colours
    exact: bool  # whether colours are as they were painted; compression changes them
    plain: IntArray | None = None  # the packed picture, where the ground is of one colour


def _changed(ground: IntArray | None, pixels: Any, *, exact: bool) -> _Changed:
    opacity = pixels[..., 3]
    where = opacity >= max(1, int(opacity.max()) / 2)
    if ground is None:
        return _Changed(where, pixels[where][:, :3].astype(np.float32), None, exact)
    off = _difference(pixels, ground)
    near = off[where & (off < MOST_NOISE)]
    exact = exact and (near.size == 0 or bool((near == 0).mean() >= EXACT_SHARE))
    quartile = float(np.quantile(near, 0.75)) if near.size else 0.0
    where &= off > (0.0 if exact else max(LEAST_NOISE, NOISE * quartile))
    rgb = pixels[where][:, :3].astype(np.float32)
    below = (ground if np.ndim(ground) == 1 else ground[where]).astype(np.float32)
    plain = _packed(pixels) if np.ndim(ground) == 1 else None
    return _Changed(where, rgb, np.broadcast_to(below, rgb.shape), exact, plain)


def _difference(pixels: Any, colors: IntArray) -> IntArray:
    """Largest difference of a channel."""
    off = np.abs(pixels[..., :3].astype(np.int16) - colors[..., :3].astype(np.int16))
    return np.asarray(off.max(axis=-1))


def _packed(rgb: Any) -> IntArray:
    """Red, green and blue as one number."""
    red, green, blue = (np.asarray(rgb)[..., c].astype(np.int32) for c in range(3))
    return red << 16 | green << 8 | blue


def _unpacked(colors: IntArray) -> IntArray:
    """Red, green and blue of packed colours, along a last axis."""
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=-1)


# -------------------------------------------------------------------------------------------------- paints


@dataclass(frozen=True, eq=False)
class _Paints:
    """The paints of changed pixels."""

    colors: IntArray  # packed, in ascending order
    of: IntArray  # each changed pixel's paint among them, or -1
    clear: bool  # whether paints explain nearly all that was changed


def _find_paints(changed: _Changed) -> _Paints:
    """All paints; what is no picture of exact colours is looked at again as a compressed one."""
    if not len(changed.rgb):
        return _no_paints(changed, clear=True)
    found = _PaintSearch(changed).found()
    if not found.clear and changed.exact:
        return _PaintSearch(replace(changed, exact=False)).found()
    return found


def _no_paints(changed: _Changed, *, clear: bool = False) -> _Paints:
    return _Paints(np.array([], dtype=np.int64), np.full(len(changed.rgb), -1), clear)


def _nearest(changed: _Changed, colors: IntArray) -> IntArray:
    """The nearest paint of every changed pixel, or -1 where the ground is nearer."""
    away = np.linalg.norm(changed.rgb[:, None] - _unpacked(colors), axis=2)
    nearest = away.argmin(axis=1)
    if changed.below is not None:
        nearest[np.linalg.norm(changed.rgb - changed.below, axis=1) < away.min(axis=1)] = -1
    return nearest


class _PaintSearch:
    """Paints found so far, and the changed pixels that they explain.

    Colours are of a few kinds, some of which are `taken` for paints. `parts` are connected components.
    """

    def __init__(self, changed: _Changed) -> None:
        self.changed, self.exact = changed, changed.exact
        self.rgb, self.below = changed.rgb, changed.below
        self.clear = np.ones(len(self.rgb), dtype=bool)  # surely painted
        if self.below is not None and not self.exact:  # compression changed the ground too
            self.clear = np.abs(self.rgb - self.below).max(axis=1) >= CLEAR_OF_GROUND
        self.parts = ndimage.label(changed.where, np.ones((3, 3)))[0][changed.where]
        colors, self.kinds = np.unique(_packed(self.rgb), return_inverse=True)
        self.names = _unpacked(colors).astype(np.float32)
        if not self.exact:  # each colour is joined to the commonest one near it
            counts = np.bincount(self.kinds, self.clear, len(colors))
            names: list[FloatArray] = []
            leader = np.full(len(colors), -1)
            for first in np.argsort(-counts, kind="stable"):
                if leader[first] < 0:
                    away = np.linalg.norm(self.names - self.names[first], axis=1)
                    leader[(leader < 0) & (away < ALIKE)] = len(names)
                    names.append(self.names[first])
            self.kinds, self.names = leader[self.kinds], np.array(names)
        self.sizes = np.bincount(self.kinds[self.clear], minlength=len(self.names))
        self.explained = np.zeros(len(self.rgb), dtype=bool)
        self.taken: list[int] = []
        self.homes: dict[int, BoolArray] = {}
        self.contrasts = self.sizes.astype(float)  # of each kind to the ground; on nothing, how common it is
        if self.below is not None:
            off = np.where(self.clear, np.abs(self.rgb - self.below) @ np.ones(3, dtype=np.float32), 0)
            self.contrasts = np.bincount(self.kinds, off, len(self.names)) / np.maximum(self.sizes, 1)

    def found(self) -> _Paints:
        """All paints, and every changed pixel with the paint that it holds most of."""
        if not self.exact and self.clear.sum() > MOST * self.changed.where.size:
            return _no_paints(self.changed)
        self._take_flat_spots()
        if self.exact:
            left = len(np.unique(self.kinds[~self.explained]))
            if len(self.taken) > MOST_CLASSES or left * len(self.rgb) > MOST_WORK:
                return _no_paints(self.changed)  # more to explain than any antialiased strokes leave
            self._take_unexplained()
        else:
            self._take_thin_strokes()
        kinds = sorted(self.taken, key=lambda kind: int(_packed(self.names[kind])))
        of, gap = np.full(len(self.rgb), -1), np.full(len(self.rgb), np.inf)
        for place, kind in enumerate(kinds):
            off = np.linalg.norm(self.rgb - self.names[kind], axis=1)
            if self.below is None:
                fits = off <= (ROUNDING if self.exact else ALIKE)
            else:
                fits = self._is_mixture(slice(None), self.below, self.names[kind])
                fits &= _share(self.rgb, self.below, self.names[kind]) >= 0.5
            nearer = fits & (off < gap)
            of[nearer], gap[nearer] = place, off[nearer]
        colors = _packed(self.names[kinds]) if kinds else np.array([], dtype=np.int64)
        if not self.exact and not _looks_painted(self.changed, colors, of):
            return _no_paints(self.changed)
        lost = 1 - self.explained[self.clear].mean() if self.clear.any() else 0.0
        return _Paints(colors, of, bool(lost <= UNEXPLAINED and len(colors) <= MOST_CLASSES))

    def _take_flat_spots(self) -> None:
        """Colours of squares of three by three pixels of one kind, those farthest from the ground first."""
        numbers = np.full(self.changed.where.shape, -1, dtype=np.int32)
        numbers[self.changed.where] = self.kinds
        # Beyond the edge lies what is at it.
        alike = [f(numbers, 3, mode="nearest") for f in (ndimage.minimum_filter, ndimage.maximum_filter)]
        flat = (alike[0] == alike[1])[self.changed.where]
        counts = np.bincount(self.kinds[flat & self.clear], minlength=len(self.names))
        spots = np.flatnonzero(counts >= (1 if self.exact else LEAST_SPOTS))
        if self.exact and len(spots) > MOST_CLASSES:  # too many, whatever they explain
            self.taken = spots.tolist()
            return
        for kind in spots[np.argsort(-self.contrasts[spots], kind="stable")][: 4 * MOST_CLASSES].tolist():
            if not self.exact and self.explained[(self.kinds == kind) & self.clear].mean() > 0.5:
                continue  # what compression made of the edges of a paint
            self._take(kind)
            if len(self.taken) > MOST_CLASSES:
                break

    def _take_unexplained(self) -> None:
        """Colours of thin strokes that no mixture explains, then without those that later ones explain."""
        sure = set(self.taken)
        for kind in np.argsort(-self.contrasts, kind="stable").tolist():  # farthest from the ground first
            if len(self.taken) > MOST_CLASSES:
                break
            own = self.kinds == kind
            if not self.explained[own].all():
                touches = any(self._home(other)[self.parts[own]].any() for other in self.taken)
                if self.sizes[kind] >= RARE * len(self.rgb) or not touches:
                    self._take(kind)
        for kind in sorted(set(self.taken) - sure, key=lambda kind: float(self.contrasts[kind])):
            before = self.taken, self.explained
            self.taken, self.explained = [], np.zeros(len(self.rgb), dtype=bool)
            for other in before[0]:
                if other != kind:
                    self._take(other)
            if not self.explained[self.kinds == kind].all():
                self.taken, self.explained = before

    def _take_thin_strokes(self) -> None:
        """A paint for each part that has none after compression: its strokes are too thin for flat spots."""
        painted = np.zeros(int(self.parts.max()) + 1, dtype=bool)
        for kind in self.taken:
            painted |= self._home(kind)
        sizes = np.where(painted, 0, np.bincount(self.parts, self.clear, len(painted)))
        for part in np.argsort(-sizes, kind="stable")[:MOST_CLASSES]:
            if sizes[part] < LEAST_THIN or len(self.taken) > MOST_CLASSES:
                return
            own = (self.parts == part) & self.clear
            for other in self.taken:
                start = self.names[other] if self.below is None else self.below
                self._explain(own, start, self.names[other])
            counts = np.bincount(self.kinds[own], minlength=len(self.names))
            common = np.flatnonzero(counts >= COMMON * own.sum())
            if self.explained[own].mean() > 0.5 or not len(common):
                continue
            kind = int(common[np.argmax(self.contrasts[common])])
            if self.contrasts[kind] >= FAINT * self.contrasts.max():
                self._take(kind)

    def _home(self, kind: int) -> BoolArray:
        """The connected components in which a kind of colour occurs."""
        if kind not in self.homes:
            self.homes[kind] = np.zeros(int(self.parts.max()) + 1, dtype=bool)
            self.homes[kind][self.parts[self.kinds == kind]] = True
        return self.homes[kind]

    def _take(self, kind: int) -> None:
        """One more paint, which explains its own colour, and mixtures where it and another one occur."""
        self.explained |= self.kinds == kind
        home = self._home(kind)[self.parts]
        if self.below is not None:
            self._explain(home, self.below, self.names[kind])
        for other in self.taken:
            self._explain(home & self._home(other)[self.parts], self.names[other], self.names[kind])
        self.taken.append(kind)

    def _explain(self, which: BoolArray, start: FloatArray, end: FloatArray) -> None:
        left = np.flatnonzero(which & ~self.explained)
        self.explained[left] = self._is_mixture(left, start if start.ndim == 1 else start[left], end)

    def _is_mixture(self, which: Any, start: FloatArray, end: FloatArray) -> BoolArray:
        """Whether each colour is mixed of two others."""
        rgb = self.rgb[which]
        if self.exact:
            return _misfit(rgb, start, end) <= ROUNDING
        ends = start @ BRIGHTNESS, end @ BRIGHTNESS
        bright = rgb @ BRIGHTNESS
        between = (bright >= np.minimum(*ends) - RINGING) & (bright <= np.maximum(*ends) + RINGING)
        return np.asarray(between & (_misfit(rgb @ HUES, start @ HUES, end @ HUES) <= SMEARED_HUE))


def _misfit(rgb: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """By how much each colour misses the line from a start to an end."""
    off = np.abs(rgb - (start + _share(rgb, start, end)[..., None] * (end - start)))
    return np.asarray(off.max(axis=-1))


def _share(rgb: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each colour lies on the way from a start to an end, from 0 to 1."""
    line = end - start
    length = np.maximum(np.einsum("...c,...c->...", line, line), 1e-9)
    return np.asarray(np.clip(np.einsum("...c,...c->...", rgb - start, line) / length, 0, 1))


def _looks_painted(changed: _Changed, colors: IntArray, of: IntArray) -> bool:
    """Whether compressed marks are not the edges and textures of a photograph."""
    marked = np.zeros(changed.where.shape, dtype=bool)
    marked[changed.where] = of >= 0
    if not 0 < marked.mean() <= MOST:
        return False
    if changed.below is None:  # on nothing, many marks have nearly the colour of a paint
        off = changed.rgb[of >= 0] - _unpacked(colors[of[of >= 0]])
        return bool((np.linalg.norm(off, axis=1) <= NEARLY).mean() >= LEAST_NEARLY)
    if changed.plain is None:  # over a copy they are more than crumbs
        return bool(marked.sum() > CRUMB * ndimage.label(marked, np.ones((3, 3)))[1])
    away = changed.plain[ndimage.maximum_filter(marked, 2 * BLOCK + 1) == 0]  # a plain ground is plain there
    return bool(np.unique(away, return_counts=True)[1].max(initial=0) >= PLAIN * away.size)
