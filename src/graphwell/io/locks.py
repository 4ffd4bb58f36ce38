"""Locks that end with the process that holds them, however it ends."""

import errno
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphwell.errors import OptionError

fcntl: Any
try:
    import fcntl
except ImportError:  # a system without these locks: files are written as safely, but nobody is told to wait
    fcntl = None

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
LONGEST_NOTE = 200


def try_lock(descriptor: int) -> bool:
    """Lock an open file; False if somebody else holds the lock. File systems without locks say True."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


@contextmanager
def held_alone(path: Path, field: str) -> Iterator[None]:
    """Keep all others away from a file while the block runs; the error of a second one names the first.

    The lock is a hidden file beside it, and holds no longer than its process lives.
    """
    lock = path.resolve().with_name(f".{path.resolve().name}.lock")
    descriptor = _locked(lock, path, field)
    try:
        note = f"process {os.getpid()} on {socket.gethostname()}"
        os.truncate(descriptor if os.truncate in os.supports_fd else lock, 0)
        os.write(descriptor, note.encode("utf-8", "replace"))
        yield
    finally:
        if sys.platform == "win32":  # there an open file cannot be removed
            os.close(descriptor)
            lock.unlink(missing_ok=True)
        else:
            lock.unlink(missing_ok=True)
            os.close(descriptor)


def _locked(lock: Path, path: Path, field: str) -> int:
    """Open and lock the file beside a path; another may remove it in between, which then begins anew."""
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o600)
        except OSError as error:
            problem = "{field} {} cannot be locked by the file {}: {}; remove that file, or check its folder."
            raise OptionError(field, problem, path, lock, error.strerror) from error
        try:
            _check_lock_file(descriptor, lock, path, field)
            if not try_lock(descriptor):
                note = os.read(descriptor, LONGEST_NOTE).decode("utf-8", "replace") or "another process"
                problem = "{field} {} is in use by {}; wait for it, or give another name."
                raise OptionError(field, problem, path, note)
            if _still_named(descriptor, lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _check_lock_file(descriptor: int, lock: Path, path: Path, field: str) -> None:
    """Nothing but a lock of ours is ever written into: no device, no second name of another file."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > LONGEST_NOTE:
        problem = "{field} {} cannot be locked: {} is no lock of graphwell; remove it, or give another name."
        raise OptionError(field, problem, path, lock)


def _still_named(descriptor: int, lock: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), lock.lstat())
    except FileNotFoundError:
        return False
