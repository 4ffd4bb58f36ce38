"""Seeds from files: a picture whose colours are classes, integers, lines of text, or a drawing."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.files import check_input
from graphwell.io.images.base import MAX_PIXELS, Marks, palette_color, unpacked
from graphwell.io.images.painted import (
    OPAQUE,
    Ground,
    check_background,
    find_ground,
    find_paints,
    shown_colors,
    snapped,
)
from graphwell.io.images.paints import MOST_CLASSES, Layer, Paints
from graphwell.io.images.registry import format_for

UNKNOWN = 255
LEAST_EVEN = 0.75
"""Share of the pixels that have the number of those above and to the left; fewer have in dark photographs."""


@dataclass(frozen=True, kw_only=True)
class Painting:
    """How the colours of a seeds picture are to be understood."""

    background: str = "auto"
    """Which pixels are unknown: "transparent", "black", "white", a colour like "#ff7f0e", or "auto": of a
    transparent ground, the commonest colour and the picture itself, what explains most pixels."""
    on_picture: bool = False  # the marks were painted over a copy of the picture
    snap: bool = False  # give colours that are no clear mixture to the nearest paint instead of refusing them


def read_seeds(
    path: Path,
    shape: tuple[int, ...],
    painting: Painting = Painting(),  # noqa: B008 (frozen)
    *,
    picture: FloatArray | None = None,
    name: str | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Marks:
    """Read the seeds of a picture or volume, of the size `shape`.

    Seeds of three axes, as large as the whole `picture`, say that it is a volume. Marks may be painted over
    a copy of the picture. `name` is that of its file, where a drawing holds the shapes of several.
    """
    check_background(painting.background)
    found = format_for(path, "seeds")
    check_input(path, "seeds", folder=found.is_folder)
    if len(shape) == 3:
        if found.read_numbers is None:
            problem = (
                "{field} {} cannot mark a volume; save integers of the shape {}, -1 for unknown, as .npy."
            )
            raise OptionError("seeds", problem, path, tuple(shape))
        return _numbered(path, found.read_numbers(path, max_pixels), shape)
    if found.read_colors is not None:
        pixels = found.read_colors(path, max_pixels)
        _check_size(path, pixels.shape[:2], shape)
        return _from_colors(path, pixels, painting, picture, exact=found.exact)
    if found.read_marks is not None:
        marks = found.read_marks(path, (shape[0], shape[1]), name)
        _one_or_more(path, marks.classes)
        return marks
    if found.read_classes is not None:
        return _numbered(path, found.read_classes(path, (shape[0], shape[1]), max_pixels), shape)
    assert found.read_numbers is not None
    classes = found.read_numbers(path, max_pixels)
    return _numbered(path, classes, _size_meant(classes, shape, picture))


def _numbered(path: Path, classes: IntArray, shape: tuple[int, ...]) -> Marks:
    """Marks that came as numbers of classes."""
    _check_size(path, classes.shape, shape)
    names = _one_or_more(path, classes)
    return Marks(classes, {c: str(c) for c in names}, {c: palette_color(i) for i, c in enumerate(names)})


def _from_colors(
    path: Path, pixels: Any, painting: Painting, picture: FloatArray | None, *, exact: bool
) -> Marks:
    if painting.background == "transparent" and bool((pixels[..., 3] == OPAQUE).all()):
        problem = '{field} {} has no transparent pixel to mean unknown; use {background="black"}.'
        raise OptionError("seeds", problem, path)
    is_open = painting.background == "auto" and not painting.on_picture
    coded = coded_classes(pixels) if exact and is_open else None
    if coded is not None:
        return _named(coded, (Sentence("The greys of the marks were taken for numbers of classes."),))
    colors = None if picture is None else shown_colors(picture)
    ground = find_ground(pixels, painting.background, colors, on_picture=painting.on_picture)
    layer = ground.below(pixels, exact=exact)
    paints = find_paints(layer)
    if not paints.clear:
        paints = _unclear(path, layer, paints, ground, snap=painting.snap)
    _one_or_more(path, paints.places)
    return _named(paints, _notes(ground, paints))


def _named(paints: Paints, notes: tuple[Sentence, ...]) -> Marks:
    """Marks with the paints that any pixel has, named after their colours."""
    marked = paints.places >= 0
    used, places = np.unique(paints.places[marked], return_inverse=True)
    numbers = np.full(paints.places.shape, -1)
    numbers[marked] = places
    found = paints.colors[used]
    names = {i: f"#{color:06x}" for i, color in enumerate(found)}
    rgb = {i: tuple(color) for i, color in enumerate(unpacked(found).tolist())}
    return Marks(numbers, names, rgb, notes)


def _unclear(path: Path, layer: Layer, paints: Paints, ground: Ground, *, snap: bool) -> Paints:
    """Refuse marks that cannot be told apart, or give every changed pixel to the nearest paint."""
    if len(paints.colors) > MOST_CLASSES or not len(paints.colors):
        problem = (
            "{field} {}: on the ground ({}), {:,} changed pixels show {} colours, which is no set of marks; "
            "name the ground with {background} or {strokes_on_picture=True}, paint with a hard brush, and "
            "save as PNG."
        )
        many = "no plain" if not len(paints.colors) else f"more than {MOST_CLASSES} plain"
        raise OptionError("seeds", problem, path, ground.name, int(layer.changed.sum()), many)
    if snap:
        return snapped(layer, paints)
    problem = (
        "{field} {}: on the ground ({}), {:,} of {:,} changed pixels have colours that are no mixture of the "
        "{} plain ones; paint with a hard brush of 6 pixels or more and save as PNG, or use {snap=True} to "
        "give them to the nearest plain colour."
    )
    lost = paints.left, int(layer.changed.sum())
    raise OptionError("seeds", problem, path, ground.name, *lost, len(paints.colors))


def _notes(ground: Ground, paints: Paints) -> tuple[Sentence, ...]:
    notes = []
    if ground.name not in ("transparent", "black"):
        notes.append(Sentence("The marks were taken to be painted on {}.", (ground.name,)))
    if paints.mixed or paints.left:
        text = (
            "{:,} marked pixels had mixed colours and took the class that they hold most of; {:,} hold less "
            "than half of any, and are not marked."
        )
        notes.append(Sentence(text, (paints.mixed, paints.left)))
    return tuple(notes)


def _size_meant(classes: IntArray, shape: tuple[int, ...], picture: FloatArray | None) -> tuple[int, ...]:
    """Size that seeds must have: those of three axes say that the last axis of a picture is its depth."""
    return picture.shape if picture is not None and classes.ndim == picture.ndim == 3 else tuple(shape)


def _check_size(path: Path, found: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if tuple(found) != tuple(shape) and len(shape) == 3:
        problem = "{field} {} must have the shape of the image, {}, but has {}."
        raise OptionError("seeds", problem, path, tuple(shape), tuple(found))
    if tuple(found) != tuple(shape):
        size = " x ".join(map(str, found)) if len(found) == 2 else f"the shape {tuple(found)}"
        problem = "{field} {} must have the size of the image, {} x {} (rows x columns), but has {}."
        raise OptionError("seeds", problem, path, *shape, size)


def _one_or_more(path: Path, classes: IntArray) -> list[int]:
    found: list[int] = np.unique(classes[classes >= 0]).tolist()
    if not found:
        raise OptionError("seeds", "{field} {} marks no pixel at all; mark some pixels of each class.", path)
    return found


def coded_classes(pixels: Any) -> Paints | None:
    """Marks of a picture of numbers; None for any other picture.

    Such a picture is grey and even, and holds the numbers of at least two classes with few gaps: 0, 1, 2 and
    so on, each below 64. Unknown is 255, or 0 where there is no 255.
    """
    values = pixels[..., 0]
    if any((pixels[..., c] != values).any() for c in (1, 2)) or (pixels[..., 3] != 255).any():
        return None
    found = np.flatnonzero(np.bincount(values.ravel(), minlength=UNKNOWN + 1))
    unknown = UNKNOWN if UNKNOWN in found else 0
    codes = found[found != unknown]
    if len(codes) < 2 or codes[-1] >= min(MOST_CLASSES, 2 * len(codes) + 1) or not _is_even(values):
        return None
    places = np.full(UNKNOWN + 1, -1)
    places[codes] = np.arange(len(codes))
    return Paints(codes * 0x010101, places[values], 0, 0, True)


def _is_even(values: IntArray) -> bool:
    """Whether most pixels have the number of those above and to the left."""
    above, left = (
        np.diff(values.astype(np.int16), axis=axis, prepend=values.take([0], axis)) for axis in (0, 1)
    )
    return bool(((above == 0) & (left == 0)).mean() >= LEAST_EVEN)
