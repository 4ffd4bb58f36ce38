"""Seeds from files: a picture whose colours are classes, an array of integers, or lines of text."""

from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.files import check_input
from graphwell.io.images.base import MAX_PIXELS, Marks
from graphwell.io.images.colors import nearest_painted, packed, painted_colors, palette_color, unpacked
from graphwell.io.images.registry import format_for

BACKGROUNDS = ("auto", "transparent", "black")


def read_seeds(
    path: Path,
    shape: tuple[int, int],
    background: str = "auto",
    *,
    snap: bool = False,
    max_pixels: int = MAX_PIXELS,
    picture: str | None = None,
) -> Marks:
    """Read the seeds of a picture.

    Parameters
    ----------
    path : Path
        A picture (PNG, TIFF, JPEG), integers (.npy, .npz), lines `row,col,class` of text (.txt, .csv), or
        strokes and polygons (.json).
    shape : (height, width)
        Size of the picture that the seeds belong to.
    background : {"auto", "transparent", "black"}
        Which pixels of a picture are unknown; by default the transparent ones, or the black ones of a
        picture without transparency.
    snap : bool
        Give pixels of mixed colours to the class of the nearest colour instead of refusing them.
    max_pixels : int
        Larger pictures are refused.
    picture : str, optional
        Name of the file of the picture, where strokes and polygons are those of several.
    """
    if background not in BACKGROUNDS:
        problem = "{field} must be one of {}, got {!r}."
        raise OptionError("background", problem, ", ".join(BACKGROUNDS), background)
    found = format_for(path, "seeds")
    check_input(path, "seeds")
    if found.read_colors is not None:
        return _from_colors(path, found.read_colors(path, max_pixels), shape, background, snap=snap)
    if found.read_marks is not None:
        marks = found.read_marks(path, shape, picture)
        _two_or_more(path, marks.classes)
        return marks
    assert found.read_classes is not None
    classes = found.read_classes(path, shape, max_pixels)
    _check_size(path, classes.shape, shape)
    names = _two_or_more(path, classes)
    return Marks(classes, {c: str(c) for c in names}, {c: palette_color(i) for i, c in enumerate(names)})


def _from_colors(path: Path, pixels: Any, shape: tuple[int, int], background: str, *, snap: bool) -> Marks:
    _check_size(path, pixels.shape[:2], shape)
    colors, opacity = packed(pixels[..., :3]), pixels[..., 3]
    opaque = bool((opacity == 255).all())
    if background == "transparent" and opaque:
        problem = '{field} {} has no transparent pixel to mean unknown; use {background="black"}.'
        raise OptionError("seeds", problem, path)
    on_black = background == "black" or opaque
    marked = (opacity > 0) & (colors > 0) if on_black else opacity > 0
    classes = np.full(shape, -1)
    notes: tuple[Sentence, ...] = ()
    if marked.any():
        classes, notes = _painted_classes(path, colors, opacity, marked, on_black=on_black, snap=snap)
    found = np.array(_two_or_more(path, classes))
    numbers = np.where(classes >= 0, np.searchsorted(found, classes), -1)
    names = {i: f"#{color:06x}" for i, color in enumerate(found)}
    return Marks(numbers, names, {i: tuple(rgb) for i, rgb in enumerate(unpacked(found).tolist())}, notes)


def _painted_classes(
    path: Path, colors: IntArray, opacity: Any, marked: Any, *, on_black: bool, snap: bool
) -> tuple[IntArray, tuple[Sentence, ...]]:
    """The painted colour of each marked pixel, -1 elsewhere; mixed colours are refused or snapped."""
    solid = marked & (opacity == 255)
    painted = painted_colors(colors, solid if solid.any() else marked, on_black=on_black)
    mixed = marked & (~np.isin(colors, painted) | (opacity < 255))
    classes = np.where(marked, colors, -1)
    if not mixed.any():
        return classes, ()
    if not snap:
        problem = (
            "{field} {}: {:,} of {:,} marked pixels have mixed colours, besides {:,} plain colours, as "
            "antialiasing and JPEG make them; paint with hard edges and save as PNG, or use {snap=True} to "
            "give them to the nearest plain colour."
        )
        raise OptionError("seeds", problem, path, int(mixed.sum()), int(marked.sum()), len(painted))
    classes[mixed] = nearest_painted(colors[mixed], painted, on_black=on_black)
    return classes, (_mixed_note(classes[mixed]),)


def _mixed_note(snapped: IntArray) -> Sentence:
    lost = int((snapped < 0).sum())
    return Sentence(
        "{:,} marked pixels of the seeds had mixed colours: {:,} were given to the class of the nearest "
        "plain colour, {:,} to the black ground.",
        (len(snapped), len(snapped) - lost, lost),
    )


def _check_size(path: Path, found: tuple[int, ...], shape: tuple[int, int]) -> None:
    if tuple(found) != tuple(shape):
        size = " x ".join(map(str, found)) if len(found) == 2 else f"the shape {tuple(found)}"
        problem = "{field} {} must have the size of the image, {} x {} (rows x columns), but has {}."
        raise OptionError("seeds", problem, path, *shape, size)


def _two_or_more(path: Path, classes: IntArray) -> list[int]:
    found: list[int] = np.unique(classes[classes >= 0]).tolist()
    if not found:
        raise OptionError("seeds", "{field} {} marks no pixel at all; mark some pixels of each class.", path)
    if len(found) == 1:
        problem = "{field} {} holds one class only; mark some pixels of another class too."
        raise OptionError("seeds", problem, path)
    return found
