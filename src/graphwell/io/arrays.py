"""Arrays in files that may hold anything: `.npy`, `.npz`, folders of Zarr.

Whatever is wrong with a file becomes one sentence, no code in it is run, and what it declares of its size is
checked before memory is asked for. The only module that imports zarr.
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
from graphwell.memory import check_fits

COPIES = 2  # an array is read, and its numbers are brought into another type
METADATA = (".zarray", ".zmetadata", "zarr.json")
MOST_METADATA = 50_000_000
Check = Callable[[tuple[int, ...]], None]
UNSAFE = ("pickle", "numcodecs.pickle")
"""Codecs of Zarr that run what they read."""


def load_npy(path: Path, check: Check = lambda shape: None) -> Any:
    """Read the array of a `.npy` file; `check` may refuse it by the shape that it declares."""
    loaded = _load(path, ".npy", check)
    if not isinstance(loaded, np.ndarray):
        raise ValueError(f"{path} holds several arrays although its name ends in .npy; rename it to .npz.")
    return loaded


def load_npz(path: Path, check: Check = lambda shape: None) -> dict[str, Any]:
    """Read the arrays of a `.npz` file by name."""
    loaded: dict[str, Any] = _load(path, ".npz", check)
    if not isinstance(loaded, dict):
        raise ValueError(f"{path} holds one array although its name ends in .npz; rename it to .npy.")
    return loaded


def _load(path: Path, kind: str, check: Check) -> Any:
    try:
        with path.open("rb") as file:
            magic = file.read(2)
            file.seek(0)
            if magic != b"PK":
                return _array(str(path), file, path.stat().st_size, check)
            with zipfile.ZipFile(file) as archive:
                members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
                check_fits(path, COPIES * sum(member.file_size for member in members))
                arrays = {}
                for member in members:
                    name = member.filename.removesuffix(".npy")
                    with archive.open(member) as opened:
                        arrays[name] = _array(f"{path}: the array {name!r}", opened, member.file_size, check)
                return arrays
    except (OSError, MemoryError, OptionError):
        raise
    except Exception as error:  # zip, zlib, header parser and NumPy raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a {kind} file: it is damaged, truncated or something else."
        ) from error


def _array(name: str, file: IO[bytes], size: int, check: Check) -> Any:
    """One array; what its header declares is compared with the size of the file before it is believed."""
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(file)
    check(shape)
    if dtype.hasobject:
        problem = (
            "{} holds Python objects, which are never unpickled; save text or numbers, y.astype(str) say."
        )
        raise OptionError("table", problem, name)
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
    zarr = require_zarr()
    try:
        for file in (file for name in METADATA for file in path.rglob(name)):
            if file.stat().st_size > MOST_METADATA:
                raise ValueError("metadata of absurd size")
            if any(codec in UNSAFE for codec in _codecs(json.loads(file.read_bytes()))):
                problem = "{} holds Python objects, which are never unpickled; save text or numbers."
                raise OptionError("table", problem, path)
        yield zarr.open(path, mode="r")
    except (PermissionError, MemoryError, OptionError):
        raise
    except Exception as error:  # zarr and its codecs raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a folder of Zarr: it is damaged, incomplete or something else."
        ) from error


def _codecs(found: Any) -> Iterator[Any]:
    """Names of all codecs in metadata, however deep."""
    if isinstance(found, dict):
        yield from (found.get("id"), found.get("name"))
        found = list(found.values())
    for inner in found if isinstance(found, list) else ():
        yield from _codecs(inner)


def require_zarr() -> Any:
    """Return zarr, or say how to install it."""
    try:
        import zarr
    except ImportError as error:
        raise ImportError(
            'Folders of Zarr need zarr, which is not installed: pip install "graphwell[zarr]"'
        ) from error
    return zarr
