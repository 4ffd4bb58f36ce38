"""Files that must not outlive the process, remembered before they are made.

An interrupt can fall between the making of a file and the block that would remove it, or into that block. The
program removes what is remembered when no further signal can come.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

_paths: dict[Path, int] = {}


def remember(path: Path) -> None:
    """Remove this file or folder at the end of the program, unless it is forgotten before."""
    _paths[path] = os.getpid()


def forget(path: Path) -> None:
    """It is gone, or finished."""
    _paths.pop(path, None)


def remove_unfinished() -> None:
    """Remove what this process made and did not finish; that of the process it was forked from stays.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "half"
    >>> remember(path)
    >>> path.touch()
    >>> remove_unfinished()
    >>> path.exists()
    False
    >>> folder.cleanup()
    """
    for path in [path for path, process in _paths.items() if process == os.getpid()]:
        with suppress(OSError):  # a folder that may no longer be entered keeps it; a later run removes it
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        forget(path)
