"""Marks painted in colours: on nothing, on a plain ground or on a copy of the picture.

Every pixel that differs from the ground is a share of a paint over it, and is marked if that share is at
least a half. Paints are the colours of flat spots, then those of thin strokes that no mixture of others
explains. A pixel at the edge of a stroke has a colour between those of the paint and of the ground below.
Compression keeps brightness sharp and smears hues over blocks of pixels: after it, a mixture may hold another
share of a colour's hue than of its brightness, and only flat spots that clearly differ from the ground count.
How many files are read as they were painted: docs/decisions.md, "Marks as painted".
"""

from dataclasses import dataclass
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
FEW_COLORS = 16  # such a picture is on black though no colour covers half of it: antialiasing makes more
# Chosen on other pictures than those of docs/decisions.md; the single experiments are not recorded.
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
RARE = 0.02  # of all marks are mixtures that no two colours explain, as where three strokes meet
LEAST_THIN, COMMON = 20, 0.1  # pixels of the smallest stroke without a flat spot; share that has its colour
MOST_WORK = 300_000_000
BLOCK, PLAIN = 16, 0.75  # farther from marks than a block of compression, a plain ground is of one colour
CRUMB = 10  # pixels of a mark over a copy, in the mean; two photographs of one thing differ in crumbs
UNEXPLAINED, NO_MARKS = 0.1, 0.75  # of the pixels no paint explains at most; from here on they are no marks


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
    search = _PaintSearch(pixels, colors, exact=exact)
    paints, of, clear = search.found()
    n_changed, n_paints = len(of), len(paints)
    if not clear and not 0 < n_paints <= MOST_CLASSES:
        problem = (
            "{field} {}: on the ground ({}), {:,} changed pixels show {} colours, which is no set of marks; "
            "name the ground with {background} or {strokes_on_picture=True}, paint with a hard brush, and "
            "save as PNG."
        )
        many = "no plain" if n_paints == 0 else f"more than {MOST_CLASSES} plain"
        raise OptionError("seeds", problem, path, ground, n_changed, many)
    if not (clear or painting.snap):
        problem = (
            "{field} {}: on the ground ({}), {:,} of {:,} changed pixels have colours that are no mixture of "
            "the {} plain ones; paint with a hard brush of 6 pixels or more and save as PNG, or use "
            "{snap=True} to give them to the nearest plain colour."
        )
        raise OptionError("seeds", problem, path, ground, int((of < 0).sum()), n_changed, n_paints)
    of = of if clear else search.nearest(paints)
    places = np.full(search.where.shape, -1, dtype=np.int32)
    places[search.where] = of
    marked_classes(path, places)
    notes = []
    if ground not in ("transparent", "black"):
        notes.append(Sentence("The marks were taken to be painted on {}.", (ground,)))
    return _marks(paints, places, notes)


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


class _PaintSearch:
    """The paints that explain the pixels which are not the ground.

    Colours are of a few kinds: each its own where they are exact, else joined to the commonest near them.
    Kinds that are `taken` for paints explain their own pixels, and mixtures with the ground or another paint
    in the connected components (`parts`) where both occur.
    """

    def __init__(self, pixels: Any, ground: IntArray | None, *, exact: bool) -> None:
        opacity = pixels[..., 3]
        self.where = opacity >= max(1, int(opacity.max()) / 2)
        self.exact, self.packed = exact, _packed(pixels)
        self.is_plain = ground is not None and ground.ndim == 1
        if ground is not None:
            off = _difference(pixels, ground)
            near = off[self.where & (off < MOST_NOISE)]
            self.exact = exact and (near.size == 0 or bool((near == 0).mean() >= EXACT_SHARE))
            quartile = float(np.quantile(near, 0.75)) if near.size else 0.0
            self.where &= off > (0.0 if self.exact else max(LEAST_NOISE, NOISE * quartile))
        self.rgb = pixels[self.where][:, :3].astype(np.float32)
        self.below = None  # where the ground is transparent edges have no mixed colours
        contrast = np.ones(len(self.rgb))
        self.clear = np.ones(len(self.rgb), dtype=bool)  # surely painted: compression changes the ground too
        if ground is not None:
            below = (ground if self.is_plain else ground[self.where]).astype(np.float32)
            self.below = np.broadcast_to(below, self.rgb.shape)
            apart = np.abs(self.rgb - self.below)
            contrast = apart.sum(axis=1)
            self.clear = self.clear if self.exact else apart.max(axis=1, initial=0) >= CLEAR_OF_GROUND
        self.parts = ndimage.label(self.where, np.ones((3, 3)))[0][self.where]
        colors, self.kinds = np.unique(_packed(self.rgb), return_inverse=True)
        self.names = _unpacked(colors).astype(np.float32)
        if not self.exact:
            counts = np.bincount(self.kinds, self.clear, len(colors))
            names: list[FloatArray] = []
            leader = np.full(len(colors), -1)
            for first in np.argsort(-counts, kind="stable"):
                if leader[first] < 0:
                    away = np.linalg.norm(self.names - self.names[first], axis=1)
                    leader[(leader < 0) & (away < ALIKE)] = len(names)
                    names.append(self.names[first])
            self.kinds, self.names = leader[self.kinds], np.array(names).reshape(-1, 3)
        sizes = np.bincount(self.kinds[self.clear], minlength=len(self.names))
        # Mean contrast of a kind to the ground; on nothing, how common it is.
        contrasts = np.bincount(self.kinds, contrast * self.clear, len(self.names))
        self.contrasts = contrasts if self.below is None else contrasts / np.maximum(sizes, 1)
        self.explained = np.zeros(len(self.rgb), dtype=bool)
        self.taken: list[int] = []
        self.homes: list[BoolArray] = []  # of each paint, the pixels of the components where it occurs

    def found(self) -> tuple[IntArray, IntArray, bool]:
        """The paints, packed; that of each changed pixel, or -1; whether they explain nearly all pixels."""
        nothing = np.array([], dtype=np.int64), np.full(len(self.rgb), -1), len(self.rgb) == 0
        if nothing[2] or (not self.exact and self.clear.sum() > MOST * self.where.size):
            return nothing
        self._take_flat_spots()
        left = len(np.unique(self.kinds[~self.explained]))
        if len(self.taken) > MOST_CLASSES or (self.exact and left * len(self.rgb) > MOST_WORK):
            return nothing  # more to explain than any antialiased strokes leave
        self._take_thin_strokes()
        kinds = sorted(self.taken, key=lambda kind: int(_packed(self.names[kind])))
        of, gap = np.full(len(self.rgb), -1), np.full(len(self.rgb), np.inf)
        for place, kind in enumerate(kinds):
            off = np.linalg.norm(self.rgb - self.names[kind], axis=1)
            if self.below is None:
                fits = off <= ROUNDING
            else:
                fits = self._is_mixture(slice(None), self.below, self.names[kind])
                fits &= _share(self.rgb, self.below, self.names[kind]) >= 0.5
            nearer = fits & (off < gap)
            of[nearer], gap[nearer] = place, off[nearer]
        lost = 1 - self.explained[self.clear].mean() if self.clear.any() else 0.0
        if lost > NO_MARKS or not (self.exact or self._looks_painted(of)):
            return nothing
        clear = lost <= UNEXPLAINED and len(kinds) <= MOST_CLASSES
        if self.below is None:  # without a ground most marks have the colour of a paint
            clear &= (of >= 0).mean() >= MOST
        return (_packed(self.names[kinds]) if kinds else nothing[0]), of, bool(clear)

    def _take_flat_spots(self) -> None:
        """Colours of squares of three by three pixels of one kind, those farthest from the ground first."""
        numbers = np.full(self.where.shape, -1, dtype=np.int32)
        numbers[self.where] = self.kinds
        # Beyond the edge lies what is at it.
        alike = [f(numbers, 3, mode="nearest") for f in (ndimage.minimum_filter, ndimage.maximum_filter)]
        flat = (alike[0] == alike[1])[self.where]
        counts = np.bincount(self.kinds[flat & self.clear], minlength=len(self.names))
        spots = np.flatnonzero(counts)
        for kind in spots[np.argsort(-self.contrasts[spots], kind="stable")].tolist():
            if len(self.taken) > MOST_CLASSES:
                return
            # What compression made of the edges of a paint is none.
            if self.exact or self.explained[(self.kinds == kind) & self.clear].mean() <= 0.5:
                self._take(kind)

    def _take_thin_strokes(self) -> None:
        """Paints of strokes without flat spots: of what is unexplained, the colour farthest from the ground.

        Where there is a paint already, few such pixels are mixtures that no two colours explain.
        """
        painted, done = np.zeros((2, int(self.parts.max()) + 1), dtype=bool)
        for home in self.homes:
            painted[self.parts[home]] = True
        few, least = (RARE * len(self.rgb), 1) if self.exact else (np.inf, LEAST_THIN)
        while len(self.taken) <= MOST_CLASSES:
            left = self.clear & ~self.explained
            sizes = np.bincount(self.parts[left], minlength=len(painted))
            sizes[done | painted & (sizes < few)] = 0
            part = int(sizes.argmax())
            if sizes[part] < least:
                return
            counts = np.bincount(self.kinds[left & (self.parts == part)], minlength=len(self.names))
            enough = few if painted[part] else COMMON * counts.max()
            common = np.flatnonzero(counts >= enough)
            if len(common):
                self._take(int(common[np.argmax(self.contrasts[common])]))
                painted[self.parts[self.homes[-1]]] = True
            else:
                done[part] = True

    def _take(self, kind: int) -> None:
        """One more paint."""
        own = self.kinds == kind
        home = np.isin(self.parts, self.parts[own])
        self.explained |= own
        if self.below is not None:
            self._explain(home, self.below, self.names[kind])
        for other, its_home in zip(self.taken, self.homes, strict=True):
            self._explain(home & its_home, self.names[other], self.names[kind])
        self.taken.append(kind)
        self.homes.append(home)

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

    def nearest(self, colors: IntArray) -> IntArray:
        """The nearest paint of every changed pixel, or -1 where the ground is nearer."""
        away = np.linalg.norm(self.rgb[:, None] - _unpacked(colors), axis=2)
        nearest = away.argmin(axis=1)
        if self.below is not None:
            nearest[np.linalg.norm(self.rgb - self.below, axis=1) < away.min(axis=1)] = -1
        return nearest

    def _looks_painted(self, of: IntArray) -> bool:
        """Whether compressed marks are not the edges and textures of a photograph."""
        marked = np.zeros(self.where.shape, dtype=bool)
        marked[self.where] = of >= 0
        if not 0 < marked.mean() <= MOST:
            return False
        if not self.is_plain:  # over a copy they are more than crumbs
            return bool(marked.sum() > CRUMB * ndimage.label(marked, np.ones((3, 3)))[1])
        away = self.packed[
            ndimage.maximum_filter(marked, 2 * BLOCK + 1) == 0
        ]  # a plain ground is plain there
        return bool(np.unique(away, return_counts=True)[1].max(initial=0) >= PLAIN * away.size)


def _misfit(rgb: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """By how much each colour misses the line from a start to an end."""
    off = np.abs(rgb - (start + _share(rgb, start, end)[..., None] * (end - start)))
    return np.asarray(off.max(axis=-1))


def _share(rgb: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each colour lies on the way from a start to an end, from 0 to 1."""
    line = end - start
    length = np.maximum(np.einsum("...c,...c->...", line, line), 1e-9)
    return np.asarray(np.clip(np.einsum("...c,...c->...", rgb - start, line) / length, 0, 1))
