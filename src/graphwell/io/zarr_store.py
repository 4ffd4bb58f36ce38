"""Folders of the Zarr format, opened with care. The only module that imports zarr."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphwell.errors import OptionError

METADATA = (".zarray", ".zmetadata", "zarr.json")
MOST_METADATA = 50_000_000
UNSAFE = ("pickle", "numcodecs.pickle")
"""Codecs that run what they read."""


@contextmanager
def opened_zarr(path: Path) -> Iterator[Any]:
    """Open an array or a group to read; whatever is wrong with the folder becomes one sentence.

    Examples
    --------
    >>> with opened_zarr(Path(__file__).parent):
    ...     pass
    Traceback (most recent call last):
    ValueError: ... cannot be read as a folder of Zarr: it is damaged, incomplete or something else.
    """
    zarr = require_zarr()
    try:
        _check_codecs(path)
        yield zarr.open(path, mode="r")
    except (PermissionError, MemoryError, OptionError):
        raise
    except Exception as error:  # zarr and its codecs raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a folder of Zarr: it is damaged, incomplete or something else."
        ) from error


@contextmanager
def changed_zarr(path: Path) -> Iterator[Any]:
    """Open a group to change it; a list of all that it holds is made anew where there was one."""
    zarr = require_zarr()
    stored = zarr.open_group(path, mode="r+", use_consolidated=False)
    yield stored
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zarr: such lists are no part of version 3 yet
        zarr.consolidate_metadata(path)


def _check_codecs(path: Path) -> None:
    """Refuse a store that would run code when its numbers are read."""
    for name in METADATA:
        for file in path.rglob(name):
            if file.stat().st_size > MOST_METADATA:
                raise ValueError("metadata of absurd size")
            if any(codec in UNSAFE for codec in _codecs(json.loads(file.read_bytes()))):
                problem = "{} holds Python objects, which are never unpickled; save text or numbers."
                raise OptionError("table", problem, path)


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
