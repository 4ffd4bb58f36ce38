"""Names of columns in sentences."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

NAMES_SHOWN = 8


def listed(names: Sequence[str]) -> str:
    """Name a few, count the rest.

    Examples
    --------
    >>> listed(["a", "b"])
    'a, b'
    >>> listed([str(i) for i in range(100)])
    '0, 1, 2, 3, 4, 5, 6, 7 and 92 more'
    """
    shown = ", ".join(names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN} more"


def hint(name: str, names: Iterable[str]) -> str:
    """What else a name may have meant.

    Examples
    --------
    >>> hint("lable", ["label", "x"])
    "did you mean 'label'?"
    """
    every = list(names)
    close = get_close_matches(name, every, n=1)
    return f"did you mean {close[0]!r}?" if close else f"its columns are {listed(every)}."
