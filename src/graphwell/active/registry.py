"""Every strategy that chooses questions, by name.

A file of the folder `rules` declares one with the decorator `strategy`, and is found by itself. Command
line, benchmark and docs list what is here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from graphwell._checks import one_of

if TYPE_CHECKING:
    from graphwell.active.situation import Situation
    from graphwell.active.suggestions import Question

DEFAULT = "auto"

Choose: TypeAlias = "Callable[[Situation, int], list[Question]]"
"""Given a situation and a number: so many rows to ask for, best first."""


@dataclass(frozen=True)
class Strategy:
    """A way to choose the rows to label next.

    Attributes
    ----------
    name : str
    summary : str
        What it asks for, in a few words.
    choose : callable
        Takes a `Situation` and a number of questions, returns so many different rows that may be asked.
    needs_labels : int
        Number of classes that must be known before it can choose.
    """

    name: str
    summary: str
    choose: Choose
    needs_labels: int = 0


_STRATEGIES: dict[str, Strategy] = {}


def strategy(name: str, summary: str, *, needs_labels: int = 0) -> Callable[[Choose], Choose]:
    """Register a function as a strategy; the arguments are those of `Strategy`."""

    def register(choose: Choose) -> Choose:
        _STRATEGIES[name] = Strategy(name, summary, choose, needs_labels)
        return choose

    return register


def forget(name: str) -> None:
    """Take a strategy out of the registry."""
    del _STRATEGIES[name]


def strategies() -> Mapping[str, Strategy]:
    """Every strategy by name, the default first.

    Examples
    --------
    >>> list(strategies())[:3]
    ['auto', 'communities', 'cover']
    """
    from graphwell.active import rules

    for found in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{found.name}")
    return MappingProxyType(dict(sorted(_STRATEGIES.items(), key=lambda item: (item[0] != DEFAULT, item[0]))))


def find_strategy(name: str) -> Strategy:
    """Return a strategy by name.

    Examples
    --------
    >>> find_strategy("random").summary
    'any row, each with the same chance'
    """
    known = strategies()
    return known[one_of("strategy", name, known)]
