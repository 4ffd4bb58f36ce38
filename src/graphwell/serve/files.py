"""Files from the folders that the user named, and from nowhere else."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from graphwell.io.files import NO_FOLLOW

LARGEST_FILE = 64 * 2**20
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
"""Files that browsers can show and no script can hide in: SVG is not among them."""
PARTS_OF_PAGES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
PAGES = Path(__file__).parent / "page"


def read_picture(folders: Mapping[str, Path], folder: str, name: str) -> tuple[bytes, str]:
    """Read a picture in a named folder.

    Parameters
    ----------
    folders : mapping
        Folders by the name that addresses call them.
    folder : str
    name : str
        Of the file, inside the folder.

    Returns
    -------
    (bytes, str)
        The file and its type; raises FileNotFoundError for whatever is no such picture.
    """
    kind = PICTURES.get(PurePosixPath(name).suffix.lower())
    if kind is None or folder not in folders:
        raise FileNotFoundError(name)
    return read_inside(folders[folder], name), kind


def read_part(name: str) -> tuple[bytes, str]:
    """Read a file of the pages, which come with the package.

    Examples
    --------
    >>> read_part("style.css")[1]
    'text/css; charset=utf-8'
    """
    kind = PARTS_OF_PAGES.get(PurePosixPath(name).suffix)
    if kind is None:
        raise FileNotFoundError(name)
    return read_inside(PAGES, name), kind


def read_inside(folder: Path, name: str) -> bytes:
    """Read a file below a folder; no ``..`` and no link leads out of it, even one that changes meanwhile.

    Parameters
    ----------
    folder : Path
    name : str
        With slashes between folders.

    Examples
    --------
    >>> read_inside(PAGES, "../files.py")
    Traceback (most recent call last):
    FileNotFoundError: ../files.py
    """
    root = folder.resolve()
    try:
        inside = (root / name).resolve(strict=True).relative_to(root)
        return _read_below(root, inside)
    except (OSError, ValueError, RuntimeError):  # no such file, outside, a NUL in the name, links in a circle
        raise FileNotFoundError(name) from None


def _read_below(root: Path, inside: Path) -> bytes:
    """Read a file whose path holds no link; each folder is opened from the one before."""
    descriptor = -1
    try:
        if os.open in os.supports_dir_fd:
            descriptor = os.open(root, os.O_RDONLY)
            for part in inside.parts:
                above, flags = descriptor, os.O_RDONLY | NO_FOLLOW | os.O_NONBLOCK
                descriptor = os.open(part, flags, dir_fd=above)
                os.close(above)
        else:
            descriptor = os.open(root / inside, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_FILE:
            raise FileNotFoundError(inside)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(LARGEST_FILE)
    finally:
        if descriptor >= 0:
            os.close(descriptor)
