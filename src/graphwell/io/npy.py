"""Reading `.npy` and `.npz` files that may hold anything."""

import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.memory import check_fits

COPIES = 2
"""An array is read, and its numbers are brought into another type."""


def load_npy(path: Path) -> Any:
    """Read the array of a `.npy` file; whatever is wrong with the file becomes one sentence.

    Examples
    --------
    >>> load_npy(Path(np.__file__))
    Traceback (most recent call last):
    ValueError: ...__init__.py cannot be read as a .npy file: it is damaged, truncated or something else.
    """
    loaded = _load(path, ".npy")
    if not isinstance(loaded, np.ndarray):
        raise ValueError(f"{path} holds several arrays although its name ends in .npy; rename it to .npz.")
    return loaded


def load_npz(path: Path) -> dict[str, Any]:
    """Read the arrays of a `.npz` file by name; whatever is wrong with the file becomes one sentence.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "data.npz", X=np.eye(2), y=np.array([0, 1]))
    ...     sorted(load_npz(Path(folder) / "data.npz"))
    ['X', 'y']
    """
    loaded: dict[str, Any] = _load(path, ".npz")
    if not isinstance(loaded, dict):
        raise ValueError(f"{path} holds one array although its name ends in .npz; rename it to .npy.")
    return loaded


def _load(path: Path, kind: str) -> Any:
    try:
        with path.open("rb") as file:
            magic = file.read(2)
            file.seek(0)
            return _archive(path, file) if magic == b"PK" else _array(str(path), file, path.stat().st_size)
    except (OSError, MemoryError, OptionError):
        raise
    except Exception as error:  # zip, zlib, header parser and NumPy raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a {kind} file: it is damaged, truncated or something else."
        ) from error


def _archive(path: Path, file: IO[bytes]) -> dict[str, Any]:
    """Arrays of an archive by name, once all of them together are known to fit."""
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        check_fits(path, COPIES * sum(member.file_size for member in members))
        arrays = {}
        for member in members:
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as opened:
                arrays[name] = _array(f"{path}: the array {name!r}", opened, member.file_size)
        return arrays


def _array(name: str, file: IO[bytes], size: int) -> Any:
    """One array; what its header declares is held against the size of the file before it is believed."""
    shape, dtype = declared(file)
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


def declared(file: IO[bytes]) -> tuple[tuple[int, ...], Any]:
    """Shape and type that the header of an array declares."""
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(file)
    return tuple(shape), dtype
