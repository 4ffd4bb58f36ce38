"""Warnings that point at the user's line, however deep in graphwell they arise."""

import os
import sys
import warnings
from pathlib import Path

from graphwell.errors import Sentence

PACKAGE = str(Path(__file__).parent)


class UnreachableWarning(UserWarning):
    """Some rows lie in a part of the graph that holds no label."""


class BridgedWarning(UserWarning):
    """Some rows lie in a part of the graph that holds no label, and were joined to the nearest part."""


class LabelWarning(UserWarning):
    """Given labels may not mean what they seem to: some are taken for unknown, or contradict each other."""


def warn_user(message: str | Sentence, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the line outside of graphwell that led here.

    A `Sentence` travels in the warning, so that a face can word the options it names.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE + os.sep):
        level, frame = level + 1, frame.f_back
    warning = category(str(message))
    vars(warning)["sentence"] = message
    warnings.warn(warning, stacklevel=level)
