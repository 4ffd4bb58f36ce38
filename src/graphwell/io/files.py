"""Files that appear whole or not at all, and the checks that come before any work is done for them."""

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from graphwell._interrupt import undisturbed
from graphwell.errors import OptionError
from graphwell.io.scratch import NAME, scratch_file, scratch_folder

DISC_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when everything has been written.

    The bytes go to a temporary file in the same folder, reach the disc, and are then renamed; after an
    error, an interrupt or a power cut the name holds what it held before. Several files can be held
    back together, see `written_together`.

    Parameters
    ----------
    path : Path
        The name; a link is followed.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> name = Path(folder.name) / "numbers.txt"
    >>> with written_whole(name) as file:
    ...     _ = file.write(b"1 2 3")
    ...     name.exists()
    False
    >>> name.read_bytes()
    b'1 2 3'
    >>> folder.cleanup()
    """
    target = path.resolve()
    with _named_in_errors(path), scratch_file(target.parent) as (temporary, file):
        yield file
        file.flush()
        os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
        _sync_folder(target.parent)


@contextmanager
def written_together() -> Iterator[ExitStack]:
    """Hold several files back until all are written; then they take their names, whatever signal comes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_together() as held:
    ...         for name in ("labels", "page"):
    ...             _ = held.enter_context(written_whole(Path(folder) / name)).write(b"all")
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['labels', 'page']
    """
    with ExitStack() as held:
        yield held
        with undisturbed():
            held.close()


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """Make a folder that takes its name only when everything has been written into it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with folder_written_whole(Path(folder) / "parts") as unnamed:
    ...         _ = (unnamed / "1").write_text("one")
    ...     [file.name for file in (Path(folder) / "parts").iterdir()]
    ['1']
    """
    target = path.resolve()
    with _named_in_errors(path), scratch_folder(target.parent) as temporary:
        yield temporary
        temporary.rename(target)
        _sync_folder(target.parent)


@contextmanager
def _named_in_errors(path: Path) -> Iterator[None]:
    """Errors of a disc name the file that the user knows, in place of none or a temporary one."""
    try:
        yield
    except OSError as error:
        wordy = error.errno is None  # NumPy and Arrow say in words that a disc is full
        nameless = error.filename is None and (wordy or error.errno in DISC_ERRORS)
        if nameless or NAME.fullmatch(Path(os.fsdecode(error.filename or "")).name):
            reason = error.strerror or f"It could not be written to its end ({error})"
            raise OSError(error.errno or errno.EIO, reason, str(path)) from error
        raise


def check_output(path: Path, field: str) -> None:
    """Refuse a name that could not be written, before the work is done rather than after it.

    Parameters
    ----------
    path : Path
    field : str
        Name of the option that gave it.

    Examples
    --------
    >>> check_output(Path("no-such-folder/labels.csv"), "output")
    Traceback (most recent call last):
    graphwell.errors.OptionError: output no-such-folder/labels.csv: the folder no-such-folder ...
    """
    target = followed(path, field)
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


def followed(path: Path, field: str) -> Path:
    """Where a name leads, links followed; links that lead in a circle are refused."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            problem = "{field} {} is a symbolic link that leads back to itself; give the name of a file."
            raise OptionError(field, problem, path) from error
    return path.resolve()


def check_input(path: Path, field: str, *, folder: bool = False) -> None:
    """Refuse a file that cannot be read to its end: none, a folder, a pipe that would wait for ever.

    Where a `folder` is expected, refuse everything else.

    Examples
    --------
    >>> check_input(Path(__file__).parent, "table")
    Traceback (most recent call last):
    graphwell.errors.OptionError: table ...io is a folder; give the name of a file.
    """
    followed(path, field)
    mode = path.stat().st_mode
    if folder:
        if not stat.S_ISDIR(mode):
            raise OptionError(field, "{field} {} is no folder, as its name promises.", path)
        return
    if stat.S_ISDIR(mode):
        raise OptionError(field, "{field} {} is a folder; give the name of a file.", path)
    if not stat.S_ISREG(mode):
        raise OptionError(field, "{field} {} is no regular file; copy what it gives into one first.", path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")


def check_output_folder(folder: Path, field: str) -> None:
    """Refuse a folder that could not be made or written into; its parent must be there.

    Examples
    --------
    >>> check_output_folder(Path(__file__), "masks")
    Traceback (most recent call last):
    graphwell.errors.OptionError: masks ...files.py is a file; give the name of a folder.
    """
    if folder.exists() and not folder.is_dir():
        raise OptionError(field, "{field} {} is a file; give the name of a folder.", folder)
    check_output(folder / "file" if folder.exists() else folder, field)


def check_distinct(paths: Iterable[tuple[str, Path | None]]) -> None:
    """Refuse one file for two options, whatever names and links lead to it.

    Parameters
    ----------
    paths : iterable of (field, path)
        Name of the option and what it gave; None and ``-`` are passed over.

    Examples
    --------
    >>> check_distinct([("table", Path("data.csv")), ("output", Path("./data.csv"))])
    Traceback (most recent call last):
    graphwell.errors.OptionError: table and output are both the file data.csv; give output another name.
    """
    seen: dict[object, str] = {}
    for field, path in paths:
        if path is None or path == Path("-"):
            continue
        for key in _identities(path, field):
            other = seen.setdefault(key, field)
            if other != field:
                problem = "{" + other + "} and {field} are both the file {}; give {field} another name."
                raise OptionError(field, problem, path)


def _identities(path: Path, field: str) -> Iterator[object]:
    """What makes two names one file: the path without links, and the file behind it if there is one."""
    yield followed(path, field)
    if path.exists():
        status = path.stat()
        yield status.st_dev, status.st_ino


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut; only POSIX systems let a folder be opened for that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
