"""Help that lists what the registries hold: found when help is asked for, since finding it takes a second."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from graphwell.cli._examples import EXAMPLES
from graphwell.cli._run import Exit
from graphwell.cli._values import told


def _methods() -> Mapping[str, Any]:
    from graphwell.estimators.registry import methods

    return methods()


def _competitors() -> str:
    from graphwell.comparison.competitors import competitors

    return ", ".join(competitors())


def _starts() -> Mapping[str, Any]:
    from graphwell.solve.start import STARTS

    return STARTS


def _strategies() -> Mapping[str, Any]:
    from graphwell.active import strategies

    return strategies()


def _devices() -> Iterable[str]:
    from graphwell.backends.registry import devices

    return devices()


CHOICES: dict[str, Callable[[], Iterable[str]]] = {
    "method": _methods,
    "start": _starts,
    "strategy": _strategies,
    "device": _devices,
}
"""Options whose choices stand in a registry."""


def completed(*choices: str, of: str | None = None) -> Callable[[str], list[str]]:
    """What the shell completes: the choices that begin as typed; those of an option of `CHOICES` by its name.

    Examples
    --------
    >>> completed("auto", "none")("n")
    ['none']
    >>> completed(of="device")("c")
    ['cpu', 'cuda']
    """

    def matching(incomplete: str) -> list[str]:
        return [c for c in (CHOICES[of]() if of else choices) if c.startswith(incomplete)]

    return matching


def _told(entries: Mapping[str, Any]) -> str:
    return "; ".join(f"{name} ({declared.summary})" for name, declared in entries.items())


def _either(names: Iterable[str]) -> str:
    from graphwell.io.formats import either

    return either(names)


def _tables() -> str:
    from graphwell.io.tables.registry import FORMATS

    return _either(FORMATS.suffixes())


def _images(field: str) -> str:
    from graphwell.io.images.registry import FIT_FOR, FORMATS

    return _either(FORMATS.suffixes(FIT_FOR[field]))


LISTS: dict[str, Callable[[], str]] = {
    "{methods}": lambda: _told(_methods()),
    "{competitors}": _competitors,
    "{starts}": lambda: _told(_starts()),
    "{strategies}": lambda: _told(_strategies()),
    "{devices}": lambda: _either(_devices()),
    "{tables}": _tables,
    "{images}": lambda: _images("image"),
    "{labels}": lambda: _images("output"),
}
"""What stands for a list in the help of an option."""


KINDS: dict[Any, str] = {Path: "PATH", str: "TEXT", list[str]: "TEXT", int: "NUMBER", float: "NUMBER"}
"""What stands for the value of an option, by its type; flags and lists of choices have nothing here."""


class ListingCommand(TyperCommand):
    """A command whose help speaks plainly, lists all choices and ends with examples.

    The help of an option may hold the words of `LISTS`. The examples are those of `EXAMPLES`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        types = get_type_hints(self.callback)
        for parameter in self.params:
            name = str(parameter.name)
            if name in types and parameter.param_type_name == "argument":
                parameter.metavar = name.upper()
            elif name in types and parameter.metavar is None:
                parameter.metavar = _kind(types[name])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; a value that one does not take gets one sentence."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            if (problem := told(error)) is None:
                raise
            typer.echo(f"graphwell: {problem}", err=True)
            raise typer.Exit(Exit.BAD_INPUT) from error

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Fill in the lists, then write the help."""
        for parameter in self.params:
            text = getattr(parameter, "help", None) or ""
            for word, found in LISTS.items():
                if word in text:
                    text = text.replace(word, found())
            parameter.help = text or None  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as they are: a line that is wrapped cannot be copied."""
        if self.name in EXAMPLES:
            with formatter.section("Examples"):
                for line in EXAMPLES[self.name]:
                    formatter.write(f"  {line}\n")


def _kind(declared: Any) -> str | None:
    return next((word for kind, word in KINDS.items() if kind in (declared, *get_args(declared))), None)
