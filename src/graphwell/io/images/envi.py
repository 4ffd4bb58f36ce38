"""Hyperspectral cubes of the ENVI format: a header of text, `.hdr`, with a file of numbers beside it."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import OptionError
from graphwell.io.images.base import ImageFormat, check_not_empty, check_pixels
from graphwell.memory import check_fits

TYPES = {
    "1": "u1", "2": "i2", "3": "i4", "4": "f4", "5": "f8",
    "12": "u2", "13": "u4", "14": "i8", "15": "u8",
}  # fmt: skip
ORDERS: dict[str, tuple[str, tuple[int, int, int]]] = {
    "bsq": ("bls", (1, 2, 0)),
    "bil": ("lbs", (0, 2, 1)),
    "bip": ("lsb", (0, 1, 2)),
}
"""Axes of the numbers, bands, lines and samples, and how to turn them into (lines, samples, bands)."""
ENDINGS = ("", ".img", ".dat", ".raw", ".bsq", ".bil", ".bip")
MOST_HEADER = 10_000_000


def read(path: Path, max_pixels: int) -> FloatArray:
    r"""Read a cube of shape (height, width, bands).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cube.hdr"
    ...     _ = path.write_text("ENVI\nsamples = 2\nlines = 1\nbands = 3\ndata type = 1\ninterleave = bip\n")
    ...     _ = path.with_suffix(".img").write_bytes(bytes(range(6)))
    ...     read(path, 100).tolist()
    [[[0, 1, 2], [3, 4, 5]]]
    """
    header = _header(path)
    try:
        sizes = {name[0]: int(header[name]) for name in ("bands", "lines", "samples")}
        kind = np.dtype("<>"[int(header.get("byte order", "0"))] + TYPES[header["data type"]])
        names, turn = ORDERS[header["interleave"].lower()]
        offset = int(header.get("header offset", "0"))
    except (KeyError, ValueError, IndexError) as error:
        problem = "{field} {}: the ENVI header lacks a field or garbles it: {}."
        raise OptionError("image", problem, path, str(error)[:100]) from error
    if min(sizes.values()) < 1 or offset < 0:
        raise OptionError("image", "{field} {}: the ENVI header declares a cube without any pixel.", path)
    check_pixels(path, (sizes["s"], sizes["l"]), max_pixels)
    values = _numbers(path, kind, math.prod(sizes.values()), offset)
    return np.asarray(values.reshape([sizes[name] for name in names]).transpose(turn))


def _header(path: Path) -> dict[str, str]:
    """The lines `name = value` of a header; values in braces may go over several lines."""
    check_not_empty(path)
    with path.open("rb") as file:
        text = file.read(MOST_HEADER).decode("utf-8", errors="replace")
    if not text.lstrip("\ufeff").startswith("ENVI"):
        raise OptionError("image", "{field} {} is no ENVI header: its first word must be ENVI.", path)
    found: dict[str, str] = {}
    open_name = None
    for line in text.splitlines()[1:]:
        if open_name is not None:
            open_name = None if "}" in line else open_name
            continue
        name, equals, value = line.partition("=")
        if equals:
            found[name.strip().lower()] = value.strip()
            open_name = name if "{" in value and "}" not in value else None
    return found


def _numbers(path: Path, kind: Any, count: int, offset: int) -> Any:
    data = next((d for end in ENDINGS if (d := path.with_suffix(end)).is_file() and d != path), None)
    if data is None:
        endings = ", ".join(ending or "none" for ending in ENDINGS)
        problem = (
            "{field} {}: the numbers of the cube are missing; their file must lie beside it and end in {}."
        )
        raise OptionError("image", problem, path, endings)
    needed = offset + count * kind.itemsize
    if data.stat().st_size < needed:
        problem = "{field} {}: the header declares {:,} bytes of numbers, but {} holds {:,}."
        raise OptionError("image", problem, path, needed, data.name, data.stat().st_size)
    check_fits(data, 2 * count * kind.itemsize)
    return np.fromfile(data, kind, count, offset=offset).astype(kind.newbyteorder("="), copy=False)


FORMAT = ImageFormat(name="ENVI", suffixes=(".hdr",), read=read, rank=8)
