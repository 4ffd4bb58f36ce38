"""Names of methods, starts and strategies, read from the source: importing what it declares takes seconds."""

import re
import sys
from pathlib import Path

HOMES = {"method": "estimators", "start": "solve", "strategy": "active"}
"""Room whose files declare, by a decorator of the option's name, what an option takes."""
USUAL = ("diffuse interface", "auto")


def declared(field: str) -> tuple[str, ...]:
    """Names that an option takes, the usual one first.

    Examples
    --------
    >>> declared("start")
    ('auto', 'diffusion', 'nearest', 'random')
    """
    decorator = re.compile(rf'^@{field}\(\s*"([^"]+)"', re.MULTILINE)
    files = (Path(__file__).parents[1] / HOMES[field]).rglob("*.py")
    found = {name for file in files for name in decorator.findall(file.read_text("utf-8"))}
    return tuple(sorted(found, key=lambda name: (name not in USUAL, name)))


def refuse_unknown(field: str, name: str | None) -> None:
    """Refuse a name that nothing has.

    Where what computes is imported already, its registry is asked: others may have added to it. Where there
    is no source to read, it decides later.

    Examples
    --------
    >>> refuse_unknown("start", "anywhere")
    Traceback (most recent call last):
    graphwell.errors.OptionError: start must be one of auto, diffusion, nearest, random; got 'anywhere'.
    """
    from graphwell._checks import one_of
    from graphwell.cli._help import CHOICES

    known = CHOICES[field]() if f"graphwell.{HOMES[field]}" in sys.modules else declared(field)
    if name is not None and known:
        one_of(field, name, known)
