"""Marks painted in colours: on nothing, on a plain ground or on a copy of the picture.

Every pixel that differs from the ground is a share of a paint over it, and is marked if that share is at
least a half. Paints are the colours of flat spots, then those of thin strokes that no mixture of others
explains. Files must keep colours as they are: JPEG makes more paints of the edges of a stroke.
How many files are read as they were painted: docs/decisions.md, "Marks as painted".
"""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.drawings import Marks, color_of, marked_classes

BACKGROUNDS = ("auto", "transparent", "picture")
A_COPY = "a copy of the picture"
BLACK = "#000000"
OPAQUE = UNKNOWN = 255
MOST_CLASSES = 64  # a picture with more paints than this is no picture of marks
FEW_COLORS = 16  # such a picture is on black though no colour covers half of it: antialiasing makes more
# Chosen on other pictures than those of docs/decisions.md; the single experiments are not recorded.
LEAST_EVEN = 0.75  # of the pixels have the number of those above and to the left; fewer in dark photographs
LIKE = 24  # pixels that differ by no more in any channel, of 0 to 255, may be of one ground
SAMPLE = 1_000_000  # pixels that a ground is recognised on
MOST = 0.5  # a ground covers at least this share of the picture
ROUNDING = 3.0  # mixtures, and copies that another program decoded, differ by so much, of 0 to 255
NEAR_GROUND, EXACT_SHARE = 16, 0.8  # of the pixels near the ground this share is on it, or it is a photograph
RARE = 0.02  # of all marks are mixtures that no two colours explain, as where three strokes meet
COMMON = 0.1  # share of the commonest colour that a paint of a thin stroke has
MOST_WORK = 300_000_000
UNEXPLAINED = 0.1  # of the changed pixels at most


def check_background(background: str) -> None:
    """Refuse what is neither the name of a ground nor a colour."""
    if background not in BACKGROUNDS:
        try:
            color_of(background)
        except ValueError:
            problem = "{field} must be one of {} or a colour like black or #ff7f0e, got {!r}."
            raise OptionError("background", problem, ", ".join(BACKGROUNDS), background) from None


def read_painted(path: Path, pixels: Any, background: str, picture: FloatArray | None) -> Marks:
    """The marks of a picture of red, green, blue and opacity.

    The background says which pixels are unknown; with "auto" it is, of a transparent ground, the commonest
    colour and the picture itself, what explains most pixels.
    """
    if background == "transparent" and bool((pixels[..., 3] == OPAQUE).all()):
        problem = '{field} {} has no transparent pixel to mean unknown; use {background="black"}.'
        raise OptionError("seeds", problem, path)
    notes = []
    places = _coded_classes(pixels) if background == "auto" else None
    if places is not None:
        paints = np.arange(MOST_CLASSES) * 0x010101
        notes.append(Sentence("The greys of the marks were taken for numbers of classes."))
    else:
        ground, colors = _find_ground(pixels, background, picture)
        search = _PaintSearch(pixels, colors)
        paints, of = search.found()
        lost = int((~search.explained).sum())
        # Without a ground most marks have the colour of a paint.
        unclear = lost > UNEXPLAINED * len(of) or (colors is None and (of < 0).sum() > MOST * len(of))
        if unclear or len(paints) > MOST_CLASSES:
            problem = (
                "{field} {}: on the ground ({}), {:,} of {:,} changed pixels have colours that are no "
                "mixture of the {} plain ones; name the ground with {background}, paint with a hard brush, "
                "and save as PNG."
            )
            raise OptionError("seeds", problem, path, ground, lost, len(of), len(paints))
        places = np.full(search.where.shape, -1, dtype=np.int32)
        places[search.where] = of
        if ground not in ("transparent", "black", BLACK):
            notes.append(Sentence("The marks were taken to be painted on {}.", (ground,)))
    marked_classes(path, places)
    marked = places >= 0  # some paints may have no pixel
    used, numbers = np.unique(places[marked], return_inverse=True)
    classes = np.full(marked.shape, -1)
    classes[marked] = numbers
    names = {i: f"#{color:06x}" for i, color in enumerate(paints[used])}
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


def _find_ground(pixels: Any, background: str, picture: Any) -> tuple[str, IntArray | None]:
    """Name and colours of the ground below the marks; "auto" takes that which explains most pixels."""
    shown = None if picture is None else _shown_colors(picture)
    if background == "picture":
        if shown is None:
            problem = '{field} "picture" needs a picture of 1, 3 or 4 channels from 0 to 1, or of integers.'
            raise OptionError("background", problem)
        return A_COPY, shown
    if background == "transparent":
        return "transparent", None
    if background != "auto":
        return background, np.array(color_of(background))
    step = max(1, int(np.sqrt(pixels.shape[0] * pixels.shape[1] / SAMPLE)))
    sample = pixels[::step, ::step]
    opaque, copied = sample[..., 3] >= OPAQUE / 2, 0.0
    if shown is not None and opaque.any():
        copied = float((_difference(sample, shown[::step, ::step]) <= LIKE)[opaque].mean())
    if not opaque.all():
        return (A_COPY, shown) if copied >= MOST else ("transparent", None)
    colors, counts = np.unique(_packed(sample), return_counts=True)
    commonest = _unpacked(colors[counts.argmax()])
    plain = float((_difference(sample, commonest) <= LIKE).mean())
    if max(copied, plain) >= MOST:
        return (A_COPY, shown) if copied > plain else (f"#{colors[counts.argmax()]:06x}", commonest)
    if len(colors) <= FEW_COLORS or colors[0] == 0:
        return BLACK, np.zeros(3, dtype=np.int64)
    problem = (
        "{field}: no colour covers half of the marks, and they are no copy of the picture; name the colour "
        'that means unknown with {background}, or use {background="picture"}.'
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

    Colours that are `taken` for paints explain their own pixels, and mixtures with the ground or another
    paint in the connected components (`parts`) where both occur.
    """

    def __init__(self, pixels: Any, ground: IntArray | None) -> None:
        opacity = pixels[..., 3]
        self.where = opacity >= max(1, int(opacity.max()) / 2)
        self.is_exact = True
        if ground is not None:
            off, rounding = _difference(pixels, ground), 0.0 if ground.ndim == 1 else ROUNDING
            near = self.where & (off < NEAR_GROUND)
            self.where &= off > rounding
            self.is_exact = bool((near & self.where).sum() <= (1 - EXACT_SHARE) * near.sum())
        self.rgb = pixels[self.where][:, :3].astype(np.float32)
        self.below = None  # where the ground is transparent edges have no mixed colours
        if ground is not None:
            below = (ground if ground.ndim == 1 else ground[self.where]).astype(np.float32)
            self.below = np.broadcast_to(below, self.rgb.shape)
        numbers, n_parts = ndimage.label(self.where, np.ones((3, 3)))
        self.parts, self.painted = numbers[self.where], np.zeros(n_parts + 1, dtype=bool)
        self.colors, self.of_color = np.unique(_packed(self.rgb), return_inverse=True)
        # Mean contrast of a colour to the ground; on nothing, how common it is.
        self.contrasts = np.bincount(self.of_color, minlength=len(self.colors)).astype(np.float64)
        if self.below is not None:
            apart = np.abs(self.rgb - self.below).sum(axis=1)
            self.contrasts = np.bincount(self.of_color, apart) / np.maximum(self.contrasts, 1)
        self.explained = np.zeros(len(self.rgb), dtype=bool)
        self.taken: list[int] = []
        self.homes: list[BoolArray] = []  # of each paint, the pixels of the components where it occurs

    def found(self) -> tuple[IntArray, IntArray]:
        """The paints, packed, and that of each changed pixel, or -1."""
        if self.is_exact:
            # Colours of squares of three by three pixels, those farthest from the ground first. Beyond the
            # edge lies what is at it.
            numbers = np.full(self.where.shape, -1, dtype=np.int32)
            numbers[self.where] = self.of_color
            least = ndimage.minimum_filter(numbers, 3, mode="nearest")
            most = ndimage.maximum_filter(numbers, 3, mode="nearest")
            spots = np.unique(self.of_color[(least == most)[self.where]])
            spots = spots[np.argsort(-self.contrasts[spots], kind="stable")]
            for color in spots[: MOST_CLASSES + 1].tolist():
                self._take(color)
            # More to explain than any antialiased strokes leave is no picture of marks.
            if len(np.unique(self.of_color[~self.explained])) * len(self.rgb) <= MOST_WORK:
                self._take_thin_strokes()
        paints = self.colors[sorted(self.taken)]
        of, gap = np.full(len(self.rgb), -1), np.full(len(self.rgb), np.inf)
        for place, paint in enumerate(_unpacked(paints).astype(np.float32)):
            off = np.linalg.norm(self.rgb - paint, axis=1)
            fits = off <= ROUNDING
            if self.below is not None:
                share, misfit = _mixture(self.rgb, self.below, paint)
                fits = (misfit <= ROUNDING) & (share >= 0.5)
            nearer = fits & (off < gap)
            of[nearer], gap[nearer] = place, off[nearer]
        return paints, of

    def _take_thin_strokes(self) -> None:
        """Paints of strokes without flat spots: of what is unexplained, the colour farthest from the ground.

        Where there is a paint already, few such pixels are mixtures that no two colours explain.
        """
        done, few = np.zeros_like(self.painted), RARE * len(self.rgb)
        while len(self.taken) <= MOST_CLASSES:
            left = ~self.explained
            sizes = np.bincount(self.parts[left], minlength=len(done))
            sizes[done | self.painted & (sizes < few)] = 0
            part = int(sizes.argmax())
            if sizes[part] == 0:
                return
            counts = np.bincount(self.of_color[left & (self.parts == part)], minlength=len(self.colors))
            common = np.flatnonzero(counts >= (few if self.painted[part] else COMMON * counts.max()))
            done[part] = len(common) == 0
            if len(common):
                self._take(int(common[np.argmax(self.contrasts[common])]))

    def _take(self, color: int) -> None:
        """One more paint."""
        own = self.of_color == color
        in_part = np.zeros_like(self.painted)
        in_part[self.parts[own]] = True
        self.painted |= in_part
        home = in_part[self.parts]
        self.explained |= own
        paint = _unpacked(self.colors[color]).astype(np.float32)
        starts = [] if self.below is None else [(home, self.below)]
        for other, its_home in zip(self.taken, self.homes, strict=True):
            starts.append((home & its_home, _unpacked(self.colors[other]).astype(np.float32)))
        for which, start in starts:
            left = np.flatnonzero(which & ~self.explained)
            below = start if start.ndim == 1 else start[left]
            self.explained[left] = _mixture(self.rgb[left], below, paint)[1] <= ROUNDING
        self.taken.append(color)
        self.homes.append(home)


def _mixture(rgb: FloatArray, start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far each colour lies on the way from a start to an end, from 0 to 1, and how far beside the way."""
    line = end - start
    length = np.maximum(np.einsum("...c,...c->...", line, line), 1e-9)
    share = np.clip(np.einsum("...c,...c->...", rgb - start, line) / length, 0, 1)
    red, green, blue = np.moveaxis(np.abs(rgb - (start + share[..., None] * line)), -1, 0)
    return share, np.maximum(np.maximum(red, green), blue)
