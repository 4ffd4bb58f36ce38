"""Help that lists what the registries hold: found when help is asked for, since finding it takes a second."""

from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand


def _methods() -> str:
    from graphwell.estimators.registry import methods

    return "; ".join(f"{name} ({declared.summary})" for name, declared in methods().items())


def _competitors() -> str:
    from graphwell.comparison.competitors import competitors

    return ", ".join(competitors())


def _starts() -> str:
    from graphwell.solve.start import STARTS

    return "; ".join(f"{name} ({declared.summary})" for name, declared in STARTS.items())


def _strategies() -> str:
    from graphwell.active.registry import strategies

    return "; ".join(f"{name} ({declared.summary})" for name, declared in strategies().items())


def _devices() -> str:
    from graphwell.backends.registry import devices
    from graphwell.io.formats import either

    return either(devices())


def _tables() -> str:
    from graphwell.io.formats import either
    from graphwell.io.tables.registry import FORMATS

    return either(FORMATS.suffixes())


def _images(field: str) -> str:
    from graphwell.io.formats import either
    from graphwell.io.images.registry import FIT_FOR, FORMATS

    return either(FORMATS.suffixes(FIT_FOR[field]))


LISTS: dict[str, Callable[[], str]] = {
    "{methods}": _methods,
    "{competitors}": _competitors,
    "{starts}": _starts,
    "{strategies}": _strategies,
    "{devices}": _devices,
    "{tables}": _tables,
    "{images}": lambda: _images("image"),
    "{labels}": lambda: _images("output"),
}
"""What stands for a list in the help of an option."""


class ListingCommand(TyperCommand):
    """A command whose help may hold the words of `LISTS`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Fill in the lists, then write the help."""
        for parameter in self.params:
            text = getattr(parameter, "help", None) or ""
            for word, found in LISTS.items():
                if word in text:
                    text = text.replace(word, found())
            parameter.help = text or None  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)
