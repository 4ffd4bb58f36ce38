"""Seeds from files: a picture whose colours are classes, an array of integers, or lines of text."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.io.images.colors import nearest_painted, packed, painted_colors, palette_color, unpacked
from graphwell.io.images.read import (
    ARRAYS,
    MAX_PIXELS,
    PICTURES,
    check_not_empty,
    kind_of,
    opened,
    read_array,
)

BACKGROUNDS = ("auto", "transparent", "black")
TEXTS = (".txt", ".csv")
MOST_TEXT_BYTES = 200_000_000
LARGEST_CLASS = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, eq=False)
class Seeds:
    """Known classes of some pixels.

    Attributes
    ----------
    classes : array of shape (height, width)
        Integers, -1 where unknown; the colours of a picture are numbered from 0.
    names : dict
        Name of each class.
    colors : dict
        Red, green and blue of each class, from 0 to 255.
    notes : tuple of str
        What the user should know.
    """

    classes: IntArray = field(repr=False)
    names: dict[int, str]
    colors: dict[int, tuple[int, int, int]]
    notes: tuple[str, ...] = ()


def read_seeds_file(
    path: Path,
    shape: tuple[int, int],
    background: str = "auto",
    *,
    snap: bool = False,
    max_pixels: int = MAX_PIXELS,
) -> Seeds:
    """Read the seeds of a picture.

    Parameters
    ----------
    path : Path
        A picture (PNG, TIFF, JPEG), integers (.npy, .npz), or lines `row,col,class` of text (.txt, .csv).
    shape : (height, width)
        Size of the picture that the seeds belong to.
    background : {"auto", "transparent", "black"}
        Which pixels of a picture are unknown; by default the transparent ones, or the black ones of a
        picture without transparency.
    snap : bool
        Give pixels of mixed colours to the class of the nearest colour instead of refusing them.
    max_pixels : int
        Larger pictures are refused.
    """
    if background not in BACKGROUNDS:
        raise ValueError(f"--background must be one of {', '.join(BACKGROUNDS)}, got {background!r}.")
    kind = kind_of(path, "--seeds", TEXTS)
    check_not_empty(path)
    if kind in PICTURES:
        return _from_picture(path, shape, background, snap=snap, max_pixels=max_pixels)
    classes = _from_array(path, shape, max_pixels) if kind in ARRAYS else _from_text(path, shape)
    found = _two_or_more(path, classes)
    return Seeds(classes, {c: str(c) for c in found}, {c: palette_color(i) for i, c in enumerate(found)})


def seed_classes(seeds: Any, shape: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Classes among seeds in an array, and the seeds as numbers of classes, -1 where unknown.

    Examples
    --------
    >>> seed_classes([[7, -1, 3]], (1, 3))
    (array([3, 7]), array([[ 1, -1,  0]]))
    """
    seeds = np.asarray(seeds)
    if seeds.shape != tuple(shape):
        raise ValueError(
            f"seeds must have the size of the image, {_size(shape)}, but have {_size(seeds.shape)}."
        )
    if not np.issubdtype(seeds.dtype, np.integer):
        raise ValueError(f"seeds must be integers with -1 for unknown, got {seeds.dtype}.")
    if seeds.min() < -1:
        raise ValueError(f"seeds must be classes from 0 up, or -1 for unknown; got {seeds.min()}.")
    known = seeds >= 0
    if not known.any():
        raise ValueError("seeds hold no class at all; mark some pixels of each class.")
    classes, numbers = np.unique(seeds[known], return_inverse=True)
    if len(classes) == 1:
        raise ValueError(f"seeds hold one class only, {classes[0]}; mark some pixels of another class too.")
    codes = np.full(seeds.shape, -1)
    codes[known] = numbers
    return classes, codes


def _from_picture(
    path: Path, shape: tuple[int, int], background: str, *, snap: bool, max_pixels: int
) -> Seeds:
    with opened(path, max_pixels) as picture:
        pixels = np.asarray(picture.convert("RGBA"))
    _check_size(path, pixels.shape[:2], shape)
    colors, opacity = packed(pixels[..., :3]), pixels[..., 3]
    opaque = bool((opacity == 255).all())
    if background == "transparent" and opaque:
        raise ValueError(f"--seeds {path} has no transparent pixel to mean unknown; use --background black.")
    on_black = background == "black" or opaque
    marked = (opacity > 0) & (colors > 0) if on_black else opacity > 0
    classes = np.full(shape, -1)
    notes: tuple[str, ...] = ()
    if marked.any():
        solid = marked & (opacity == 255)
        painted = painted_colors(colors, solid if solid.any() else marked, on_black=on_black)
        mixed = marked & (~np.isin(colors, painted) | (opacity < 255))
        classes[marked] = colors[marked]
        if mixed.any():
            _allow_mixed(path, int(mixed.sum()), int(marked.sum()), len(painted), snap=snap)
            classes[mixed] = nearest_painted(colors[mixed], painted, on_black=on_black)
            notes = (_mixed_note(classes[mixed]),)
    found = np.array(_two_or_more(path, classes))
    numbers = np.where(classes >= 0, np.searchsorted(found, classes), -1)
    names = {i: f"#{color:06x}" for i, color in enumerate(found)}
    return Seeds(numbers, names, {i: tuple(rgb) for i, rgb in enumerate(unpacked(found).tolist())}, notes)


def _allow_mixed(path: Path, mixed: int, marked: int, painted: int, *, snap: bool) -> None:
    if not snap:
        raise ValueError(
            f"--seeds {path}: {mixed:,} of {marked:,} marked pixels have mixed colours, besides {painted:,} "
            "plain colours, as antialiasing and JPEG make them; paint with hard edges and save as PNG, or "
            "use --snap to give them to the nearest plain colour."
        )


def _mixed_note(snapped: IntArray) -> str:
    lost = int((snapped < 0).sum())
    return (
        f"{len(snapped):,} marked pixels of the seeds had mixed colours: {len(snapped) - lost:,} were given "
        f"to the class of the nearest plain colour, {lost:,} to the black ground."
    )


def _from_array(path: Path, shape: tuple[int, int], max_pixels: int) -> IntArray:
    values = read_array(path, "seeds", max_pixels)
    if not np.issubdtype(values.dtype, np.integer):
        raise ValueError(f"--seeds {path} must hold integers with -1 for unknown, not {values.dtype}.")
    _check_size(path, values.shape, shape)
    if values.min() < -1 or values.max() > LARGEST_CLASS:
        raise ValueError(f"--seeds {path} must hold classes from 0 to {LARGEST_CLASS}, and -1 for unknown.")
    return np.asarray(values.astype(np.int64))


def _from_text(path: Path, shape: tuple[int, int]) -> IntArray:
    if path.is_file() and path.stat().st_size > MOST_TEXT_BYTES:
        raise ValueError(f"--seeds {path} is too large for a list of pixels; save the seeds as .npy.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"--seeds {path} is no text; its lines must be row,col,class.") from error
    classes = np.full(shape, -1)
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.split("#")[0].strip()
        if not content or (number == 1 and content.replace(" ", "").lower() == "row,col,class"):
            continue
        row, column, name = _three_integers(path, number, content)
        if not (0 <= row < shape[0] and 0 <= column < shape[1]):
            raise ValueError(
                f"--seeds {path}, line {number}: row {row}, column {column} lies outside the picture of "
                f"{shape[0]} rows and {shape[1]} columns (both count from 0)."
            )
        if not 0 <= name <= LARGEST_CLASS:
            raise ValueError(f"--seeds {path}, line {number}: the class must be 0 or more, got {name}.")
        if classes[row, column] not in (-1, name):
            raise ValueError(
                f"--seeds {path}, line {number}: row {row}, column {column} has the class "
                f"{classes[row, column]} already; leave one of the two lines out."
            )
        classes[row, column] = name
    return classes


def _three_integers(path: Path, number: int, content: str) -> tuple[int, int, int]:
    parts = content.replace(";", ",").replace("\t", ",").split(",")
    try:
        row, column, name = (int(part) if len(part) < 20 else int("x") for part in parts)
    except ValueError as error:
        raise ValueError(
            f"--seeds {path}, line {number}: expected three integers row,col,class, got {content[:60]!r}."
        ) from error
    return row, column, name


def _check_size(path: Path, found: tuple[int, ...], shape: tuple[int, int]) -> None:
    if tuple(found) != tuple(shape):
        raise ValueError(
            f"--seeds {path} must have the size of the image, {_size(shape)} (rows x columns), "
            f"but has {_size(found)}."
        )


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) if len(shape) == 2 else f"the shape {tuple(shape)}"


def _two_or_more(path: Path, classes: IntArray) -> list[int]:
    found: list[int] = np.unique(classes[classes >= 0]).tolist()
    if not found:
        raise ValueError(f"--seeds {path} marks no pixel at all; mark some pixels of each class.")
    if len(found) == 1:
        raise ValueError(f"--seeds {path} holds one class only; mark some pixels of another class too.")
    return found
