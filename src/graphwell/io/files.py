"""Files that appear whole or not at all, checks before any work is done for them, and locks.

``-`` is standard input or output.
"""

import errno
import io
import os
import secrets
import shutil
import socket
import stat
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import IO, Any

from graphwell.errors import OptionError
from graphwell.progress import undisturbed

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks: nobody has to wait
    fcntl = None

STANDARD = Path("-")
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
DISC_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
LONGEST_NOTE = 200  # bytes in the file of a lock


# ------------------------------------------------------------------------------------------------- writing


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when everything has been written.

    The bytes go to a temporary file in the same folder, reach the disc, and are then renamed. After an error,
    an interrupt or a power cut the name holds what it held before. A link is followed.
    """
    with _renamed_at_the_end(path) as temporary:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """Make a folder that takes its name only when everything has been written into it."""
    with _renamed_at_the_end(path) as temporary:
        temporary.mkdir()
        yield temporary


@contextmanager
def _renamed_at_the_end(path: Path) -> Iterator[Path]:
    """A name to write to; errors of a disc name the file that the user knows in place of it."""
    target = path.resolve()
    temporary = target.with_name(f".graphwell-{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        temporary.replace(target)
        if hasattr(os, "O_DIRECTORY"):  # the new name survives a power cut, where a folder can be opened
            descriptor = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        # NumPy and Arrow say in words, without a number, that a disc is full.
        nameless = error.filename is None and error.errno in (None, *DISC_ERRORS)
        if nameless or error.filename == str(temporary):
            reason = error.strerror or f"It could not be written to its end ({error})"
            raise OSError(error.errno or errno.EIO, reason, str(path)) from error
        raise
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)


@contextmanager
def written_out(path: Path) -> Iterator[IO[bytes]]:
    """Like `written_whole`; what goes to standard output is held back until everything has been written."""
    if path != STANDARD:
        with written_whole(path) as file:
            yield file
        return
    held = io.BytesIO()
    yield held
    sys.stdout.buffer.write(held.getbuffer())
    sys.stdout.buffer.flush()


@contextmanager
def written_together() -> Iterator[ExitStack]:
    """Hold several files back until all are written; then they take their names, whatever signal comes."""
    with ExitStack() as held:
        yield held
        with undisturbed():
            held.close()


# ------------------------------------------------------------------------------------------ before the work


def check_output(path: Path, field: str) -> None:
    """Refuse a name that could not be written, before the work is done rather than after it."""
    target = _followed(path, field)
    folder = target.parent if path.is_symlink() else path.parent
    if not folder.exists():
        raise OptionError(field, "{field} {}: the folder {} does not exist; create it first.", path, folder)
    if not folder.is_dir():
        raise OptionError(field, "{field} {}: {} is not a folder.", path, folder)
    if path.is_dir():
        raise OptionError(field, "{field} {} is a folder; give the name of a file.", path)
    if path.exists() and not path.is_file():
        raise OptionError(field, "{field} {} is not a regular file; give the name of a file.", path)
    if not os.access(path if path.exists() else folder, os.W_OK) or not os.access(folder, os.W_OK):
        problem = "{field} {} cannot be written; check its permissions and those of its folder."
        raise OptionError(field, problem, path)


def check_output_folder(folder: Path, field: str) -> None:
    """Refuse a folder that could not be made or written into; its parent must be there."""
    if folder.exists() and not folder.is_dir():
        raise OptionError(field, "{field} {} is a file; give the name of a folder.", folder)
    check_output(folder / "file" if folder.exists() else folder, field)


def check_standard_output(field: str) -> None:
    """Refuse a standard output that is closed."""
    if sys.stdout is None:
        raise OptionError(field, "{field} -: there is no standard output; give the name of a file.")


def check_input(path: Path, field: str, *, folder: bool = False) -> None:
    """Refuse a file that cannot be read to its end: none, a folder, a pipe that would wait for ever.

    Where a `folder` is expected, refuse everything else.
    """
    _followed(path, field)
    mode = path.stat().st_mode
    if folder and not stat.S_ISDIR(mode):
        raise OptionError(field, "{field} {} is no folder, as its name promises.", path)
    if folder:
        return
    if stat.S_ISDIR(mode):
        raise OptionError(field, "{field} {} is a folder; give the name of a file.", path)
    if not stat.S_ISREG(mode):
        raise OptionError(field, "{field} {} is no regular file; copy what it gives into one first.", path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")


def check_distinct(paths: Iterable[tuple[str, Path | None]]) -> None:
    """Refuse one file for two options, whatever names and links lead to it."""
    named = [(field, path, _followed(path, field)) for field, path in paths if path and path != STANDARD]
    for (other, _, first), (field, path, second) in combinations(named, 2):
        same = first == second or (first.exists() and second.exists() and first.samefile(second))
        if same and field != other:
            problem = "{" + other + "} and {field} are both the file {}; give {field} another name."
            raise OptionError(field, problem, path)


def _followed(path: Path, field: str) -> Path:
    """Where a name leads, links followed; links that lead in a circle are refused."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            problem = "{field} {} is a symbolic link that leads back to itself; give the name of a file."
            raise OptionError(field, problem, path) from error
    return path.resolve()


def endings(path: Path) -> set[str]:
    """The ends of a name that a format may have: ``.gz`` and ``.csv.gz``."""
    return {path.suffix.lower(), "".join(path.suffixes[-2:]).lower()}


def either(names: Iterable[str]) -> str:
    """Name all, the last after "or"."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


# ------------------------------------------------------------------------------------------------- reading


@contextmanager
def decoding(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into one sentence, and silence the warnings of its library."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, MemoryError, OptionError):
        raise
    except Exception as error:  # decoders raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as {kind}: it is damaged, truncated or something else."
        ) from error


def optional(library: str, what: str, extra: str) -> Any:
    """Import an optional library, or say how to install it."""
    try:
        return import_module(library)
    except ImportError as error:
        install = f'pip install "graphwell[{extra}]"'
        raise ImportError(f"{what} need {library}, which is not installed: {install}") from error


# --------------------------------------------------------------------------------------------------- locks


@contextmanager
def held_alone(path: Path, field: str) -> Iterator[None]:
    """Keep all others away from a file while the block runs; the error of a second one names the first.

    The lock is a hidden file beside it, and holds no longer than its process lives.
    """
    if fcntl is None:
        yield
        return
    lock = path.resolve().with_name(f".{path.resolve().name}.lock")
    descriptor = _locked(lock, path, field)
    try:
        os.truncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode("utf-8", "replace"))
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(lock: Path, path: Path, field: str) -> int:
    """Open and lock the file beside a path; another may remove it in between, which then begins anew."""
    problem = "{field} {} cannot be locked by the file {}: {}; remove that file, or check its folder."
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o600)
        except OSError as error:
            raise OptionError(field, problem, path, lock, error.strerror) from error
        try:
            # Nothing but a lock of ours is ever written into: no device, no second name of another file.
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > LONGEST_NOTE:
                raise OptionError(field, problem, path, lock, "It is no lock of graphwell")
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno in (errno.EWOULDBLOCK, errno.EACCES):  # else a file system without locks
                    note = os.read(descriptor, LONGEST_NOTE).decode("utf-8", "replace") or "another process"
                    taken = "{field} {} is in use by {}; wait for it, or give another name."
                    raise OptionError(field, taken, path, note) from None
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), lock.lstat()):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
