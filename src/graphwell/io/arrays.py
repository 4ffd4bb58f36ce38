"""Arrays in files that may hold anything: `.npy`, `.npz`, folders of Zarr.

Whatever is wrong with a file becomes one sentence, no code in it is run, and what it declares of its size is
checked before memory is asked for.
"""

import json
import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.files import decoding, optional
from graphwell.memory import check_fits

COPIES = 2  # an array is read, and its numbers are brought into another type
METADATA = (".zarray", ".zmetadata", "zarr.json")
MOST_METADATA = 50_000_000
Check = Callable[[tuple[int, ...]], None]
NEVER_UNPICKLED = (
    "{} holds Python objects, which are never unpickled; save text or numbers, y.astype(str) say."
)
UNSAFE = ("pickle", "numcodecs.pickle")
"""Codecs of Zarr that run what they read."""


def load_arrays(path: Path, check: Check = lambda shape: None) -> dict[str, Any]:
    """The arrays of a `.npz` file by name, the array of a `.npy` file as "array".

    `check` may refuse an array by the shape that it declares.
    """
    with path.open("rb") as file:
        is_archive = file.read(2) == b"PK"
        file.seek(0)
        kind = path.suffix.lower()
        if is_archive and kind == ".npy":
            raise ValueError(f"{path} holds several arrays but its name ends in .npy; rename it to .npz.")
        with decoding(path, f"a {kind} file"):
            if not is_archive:
                arrays = {"array": _array(str(path), file, path.stat().st_size, check)}
            else:
                with zipfile.ZipFile(file) as archive:
                    arrays = _members(path, archive, check)
    if not is_archive and kind == ".npz":
        raise ValueError(f"{path} holds one array but its name ends in .npz; rename it to .npy.")
    return arrays


def _members(path: Path, archive: zipfile.ZipFile, check: Check) -> dict[str, Any]:
    members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
    check_fits(path, COPIES * sum(member.file_size for member in members))
    arrays = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        with archive.open(member) as opened:
            arrays[name] = _array(f"{path}: the array {name!r}", opened, member.file_size, check)
    return arrays


def _array(name: str, file: IO[bytes], size: int, check: Check) -> Any:
    """One array; what its header declares is compared with the size of the file before it is believed."""
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(file)
    check(shape)
    if dtype.hasobject:
        raise OptionError("table", NEVER_UNPICKLED, name)
    n_bytes = dtype.itemsize * math.prod(shape)
    if n_bytes > size:
        raise ValueError("the header declares more than there is")
    check_fits(name, COPIES * n_bytes)
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


# ---------------------------------------------------------------------------------------------------- Zarr


@contextmanager
def opened_zarr(path: Path) -> Iterator[Any]:
    """Open an array or a group of Zarr to read; a store that would run code is refused."""
    zarr = optional("zarr", "Folders of Zarr", "zarr")
    with decoding(path, "a folder of Zarr"):
        for file in (file for name in METADATA for file in path.rglob(name)):
            if file.stat().st_size > MOST_METADATA:
                raise ValueError("metadata of absurd size")
            if any(codec in UNSAFE for codec in _codecs(json.loads(file.read_bytes()))):
                raise OptionError("table", NEVER_UNPICKLED, path)
        try:
            yield zarr.open(path, mode="r")
        except FileNotFoundError as error:  # a piece of the folder
            raise ValueError("incomplete") from error


def _codecs(found: Any) -> Iterator[Any]:
    """Names of all codecs in metadata, however deep."""
    if isinstance(found, dict):
        yield from (found.get("id"), found.get("name"))
        found = list(found.values())
    for inner in found if isinstance(found, list) else ():
        yield from _codecs(inner)
