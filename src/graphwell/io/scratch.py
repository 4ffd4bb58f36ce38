"""Files and folders under names of our own until they are whole; what killed processes left is removed.

Names hold the process and something that cannot be guessed. A lock tells whether the writer still lives, here
or on another machine.
"""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from graphwell.io.locks import NO_FOLLOW, fcntl, try_lock
from graphwell.io.unfinished import forget, remember

NAME = re.compile(r"\.graphwell-\d+-[0-9a-f]{16}\.tmp")
_cleaned: set[Path] = set()


@contextmanager
def scratch_file(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """A new file in a folder, open for writing; it is removed unless it has been renamed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with scratch_file(Path(folder)) as (path, file):
    ...         _ = file.write(b"half")
    ...     path.exists()
    False
    """
    remove_stale(folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | getattr(os, "O_BINARY", 0)
    while True:
        path = folder / _new_name()
        remember(path)
        descriptor = os.open(path, flags, 0o666)
        if _ours(descriptor, path):
            break
        os.close(descriptor)
        forget(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)
        forget(path)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """A new folder in another; it is removed unless it has been renamed."""
    remove_stale(parent)
    path = parent / _new_name()
    remember(path)
    path.mkdir()
    descriptor = _open_folder(path)
    if descriptor is not None:
        try_lock(descriptor)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        forget(path)
        if descriptor is not None:
            os.close(descriptor)


def remove_stale(folder: Path) -> None:
    """Remove what killed processes of this user left in a folder; looks once in the life of a process."""
    if fcntl is None or folder in _cleaned:
        return
    _cleaned.add(folder)
    try:
        found = [entry.path for entry in os.scandir(folder) if NAME.fullmatch(entry.name)]
    except OSError:  # a folder that may be written into but not be listed
        return
    for name in found:
        _remove_if_stale(Path(name))


def _remove_if_stale(path: Path) -> None:
    """Remove a file or folder that nobody holds the lock of; what belongs to others stays."""
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_FOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if os.fstat(descriptor).st_uid != os.geteuid() or not try_lock(descriptor):
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _new_name() -> str:
    return f".graphwell-{os.getpid()}-{secrets.token_hex(8)}.tmp"


def _ours(descriptor: int, path: Path) -> bool:
    """Lock a new file; False if another process took it for one that was left behind, and removed it."""
    return try_lock(descriptor) and path.exists()


def _open_folder(path: Path) -> int | None:
    """Open a folder to lock it; only POSIX systems let a folder be opened."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY) if hasattr(os, "O_DIRECTORY") else None
