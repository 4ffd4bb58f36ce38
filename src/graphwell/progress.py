"""Telling how far a long job is: one function, silent unless the caller gives another."""

from collections.abc import Callable

Progress = Callable[[str, float | None], object]
"""Told the name of the stage and the share of it that is done, or None where that cannot be said.

A new name means that the stages before are over.
"""


def silent(stage: str, share: float | None) -> None:
    """Tell nobody.

    Examples
    --------
    >>> silent("neighbours", 0.5)
    """
