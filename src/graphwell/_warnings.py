"""Warnings that point at the user's line, however deep in graphwell they arise."""

import os
import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parent)


class UnreachableWarning(UserWarning):
    """Some rows lie in a part of the graph that holds no label."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the line outside of graphwell that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE + os.sep):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
