"""What is expected of an attempt in Python: an answer, or an error that is one sentence."""

import warnings
from collections.abc import Callable
from typing import Any

from graphwell.cli._run import EXPECTED, sentence
from torture.attack import Lost

OTHER_NAMES = "The feature names should match those that were passed during fit"
"""How scikit-learn begins what it says of other columns; its own tests of classifiers ask for its words."""


def answers_or_tells(attempt: Callable[[], Any]) -> Any:
    """Return what an attempt answers, None if it is refused in a sentence; anything else is lost."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return attempt()
    except EXPECTED as error:
        said = sentence(error)
        if not said.rstrip().endswith((".", "?")) and not said.startswith(OTHER_NAMES):
            raise Lost(f"no sentence: {type(error).__name__}: {said}") from error
        return None
