"""Arrays in files that may hold anything: `.npy`, `.npz`, folders of Zarr; and archives with a checksum.

Whatever is wrong with a file becomes one sentence, no code in it is run, and what it declares of its size is
checked before memory is asked for. The only module that imports zarr.
"""

import json
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._rows import hash_of
from graphwell.errors import OptionError
from graphwell.io.files import written_whole
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


# --------------------------------------------------------------------------------- archives with a checksum


def write_sealed(path: Path, arrays: Mapping[str, Any], version: int) -> None:
    """Replace a file by one that holds these arrays; it is whole at every moment."""
    whole = {**arrays, "format": np.array(version)}
    with written_whole(path) as file:
        np.savez(file, checksum=np.array(checksum_of(whole)), **whole)


def read_sealed(path: Path, version: int) -> dict[str, Any]:
    """The arrays of a file; one that was damaged, or written by a later graphwell, is refused."""
    try:
        saved = load_npz(path)
        number, checksum = int(saved["format"]), str(saved.pop("checksum"))
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise damaged_file(path) from error
    if number > version:
        problem = "{field} {} was written by a later graphwell (format {}); update graphwell, or start anew."
        raise OptionError("checkpoint", problem, path, number)
    if checksum != checksum_of(saved):
        raise damaged_file(path)
    return saved


def damaged_file(path: Path) -> OptionError:
    """The error for a file that no run can have written."""
    problem = "{field} {} is damaged or no checkpoint; remove it to start anew."
    return OptionError("checkpoint", problem, path)


def checksum_of(arrays: Mapping[str, Any]) -> str:
    """Hash of the names and contents of arrays."""
    names = sorted(arrays)
    return hash_of(np.array(names), *(np.asarray(arrays[name]) for name in names))


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
