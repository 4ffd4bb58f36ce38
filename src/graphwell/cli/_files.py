"""Files that a command is to read: whether they are there is told before anything slow is imported."""

import errno
import os
from pathlib import Path


def refuse_missing(path: Path) -> None:
    """Refuse a file or folder that is not there; - stands for standard input.

    Examples
    --------
    >>> refuse_missing(Path("nowhere.csv"))
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.csv'
    """
    is_there = path == Path("-") or os.path.lexists(path)  # a circle of links is told later, in its own words
    if not is_there:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
