"""Archives of arrays with a checksum and a format number, that long runs save themselves in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._hash import hash_of
from graphwell.errors import OptionError
from graphwell.io.files import written_whole
from graphwell.io.npy import load_npz


def write_sealed(path: Path, arrays: Mapping[str, Any], version: int) -> None:
    """Replace a file by one that holds these arrays; it is whole at every moment.

    Parameters
    ----------
    path : Path
    arrays : mapping
        Arrays by name.
    version : int
        Number of the format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sealed(Path(folder) / "run", {"labels": np.array([0, 1])}, version=1)
    ...     read_sealed(Path(folder) / "run", version=1)["labels"]
    array([0, 1])
    """
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
    """What is said of a file that no run can have written."""
    problem = "{field} {} is damaged or no checkpoint; remove it to start anew."
    return OptionError("checkpoint", problem, path)


def checksum_of(arrays: Mapping[str, Any]) -> str:
    """Hash of the names and contents of arrays."""
    names = sorted(arrays)
    return hash_of(np.array(names), *(np.asarray(arrays[name]) for name in names))
