"""Annotations of the COCO format: polygons, or runs of pixels, for one or many pictures."""

from pathlib import PurePosixPath
from typing import Any

import numpy as np

from graphwell._types import BoolArray
from graphwell.io.images.drawings.base import Dialect, Drawing

FIVE_BITS, MORE, SIGN = 0x1F, 0x20, 0x10
FIRST_CHARACTER = 48


def recognises(document: Any) -> bool:
    """Whether the file holds images, annotations and categories.

    Examples
    --------
    >>> recognises({"images": [], "annotations": [], "categories": []})
    True
    """
    return isinstance(document, dict) and {"images", "annotations", "categories"} <= set(document)


def draw(document: Any, drawing: Drawing) -> None:
    """Draw the annotations of the picture in their order."""
    picture = _picture(document["images"], drawing.picture)
    drawing.check_size(picture["width"], picture["height"])
    names = {category["id"]: category["name"] for category in document["categories"]}
    for annotation in document["annotations"]:
        if annotation["image_id"] == picture["id"]:
            _draw(annotation["segmentation"], drawing, drawing.number_of(names[annotation["category_id"]]))


def _picture(pictures: Any, name: str | None) -> Any:
    """The picture of that name; the only one, whatever its name."""
    if len(pictures) == 1:
        return pictures[0]
    found = [picture for picture in pictures if PurePosixPath(picture["file_name"]).name == name]
    if len(found) != 1:
        raise ValueError(f"it holds {len(pictures)} pictures, {len(found)} of them with the name {name}")
    return found[0]


def _draw(segmentation: Any, drawing: Drawing, number: int) -> None:
    if isinstance(segmentation, dict):
        drawing.raster.mask(_unpacked(segmentation, drawing.raster.classes.shape), number)
    elif segmentation:
        for ring in segmentation:
            drawing.raster.polygon(np.asarray(ring, dtype=np.float64).reshape(-1, 2), number)
    else:
        raise ValueError("an annotation has no segmentation; a box alone marks no pixels")


def _unpacked(runs: Any, shape: tuple[int, ...]) -> BoolArray:
    """The mask of runs down the columns, unmarked and marked by turns."""
    if tuple(runs["size"]) != tuple(shape):
        raise ValueError(f"a mask has the size {runs['size']}, the image {list(shape)}")
    counts = runs["counts"]
    lengths = np.array(_lengths(counts) if isinstance(counts, str) else counts, dtype=np.int64)
    if (lengths < 0).any() or lengths.sum() != shape[0] * shape[1]:
        raise ValueError(f"the runs of a mask are {lengths.sum()} pixels long, not {shape[0] * shape[1]}")
    marked = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    return marked.reshape(shape[1], shape[0]).T


def _lengths(text: str) -> list[int]:
    """Lengths of runs from text: five bits a character, from the third on as differences of two before.

    Examples
    --------
    >>> _lengths("111")
    [1, 1, 1]
    """
    lengths: list[int] = []
    value, shift = 0, 0
    for character in text:
        bits = ord(character) - FIRST_CHARACTER
        value |= (bits & FIVE_BITS) << shift
        shift += 5
        if bits & MORE:
            continue
        if bits & SIGN:
            value -= 1 << shift
        lengths.append(value + (lengths[-2] if len(lengths) > 2 else 0))
        value, shift = 0, 0
    return lengths


DIALECT = Dialect("COCO", recognises, draw)
