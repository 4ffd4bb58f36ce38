"""PNG pictures; those of 16 bits a colour by imagecodecs, which only this module imports."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import warn_user
from graphwell.io.images.base import check_not_empty, check_pixels
from graphwell.io.images.pillow import DEEPEST, SHALLOW, decoding, pillow_format, with_opacity
from graphwell.memory import check_fits

PILLOW = pillow_format("PNG", (".png",), rank=1)
BIT_DEPTH, KIND, DEEP = 24, 25, 16
"""Places in the first bytes of a file; bits of a deep colour."""
BYTES_PER_PIXEL = 40
OPACITY = {2: False, 4: True, 6: True}
"""Kinds of more than one channel: whether the last is opacity."""


def read(path: Path, max_pixels: int) -> FloatArray:
    """Read a picture from 0 to 1, with all the bits that it has."""
    assert PILLOW.read is not None
    check_not_empty(path)
    with path.open("rb") as file:
        head = file.read(KIND + 1)
    if len(head) <= KIND or head[BIT_DEPTH] != DEEP or head[KIND] not in OPACITY:
        return PILLOW.read(path, max_pixels)
    if find_spec("imagecodecs") is None:
        warn_user(SHALLOW.format(path))
        return PILLOW.read(path, max_pixels)
    return _read_deep(path, head, max_pixels)


def _read_deep(path: Path, head: bytes, max_pixels: int) -> FloatArray:
    import imagecodecs

    width, height = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    check_pixels(path, (width, height), max_pixels)
    check_fits(path, BYTES_PER_PIXEL * width * height)
    with decoding(path, "PNG"):
        values = imagecodecs.png_decode(path.read_bytes()).astype(np.float32) / DEEPEST
    return with_opacity(values) if OPACITY[head[KIND]] else values


FORMAT = replace(PILLOW, read=read)
