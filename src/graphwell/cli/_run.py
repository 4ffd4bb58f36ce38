"""The program, and how its commands run: options, bars, a report, exit codes, one sentence for an error."""

import ast
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from difflib import get_close_matches
from enum import IntEnum
from functools import wraps
from inspect import signature
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from graphwell import __version__
from graphwell.cli.options import OTHERWISE, column_names, in_flags, of_command
from graphwell.errors import OptionError, Sentence
from graphwell.progress import (
    COMPILING,
    INTERRUPTED,
    TERMINATED,
    Progress,
    exit_code,
    raise_again,
    silent,
    work_is_over,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from graphwell.jobs.report import Report

Arguments = ParamSpec("Arguments")
Options = TypeVar("Options")

EXPECTED = (ValueError, OSError, ImportError, NotImplementedError, MemoryError)
"""Bad input and missing libraries raise these; anything else is a mistake in graphwell."""
WIDTH_WITHOUT_TERMINAL = 110
LINES_SHOWN = 40


class Exit(IntEnum):
    """Exit codes of the program."""

    DONE = 0
    NEEDS_ATTENTION = 1
    BAD_INPUT = 2
    OUR_MISTAKE = 3
    INTERRUPTED = INTERRUPTED
    TERMINATED = TERMINATED


# ------------------------------------------------------------------------------------------------ the program

app = typer.Typer(
    help="Label everything from a few labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"graphwell {__version__}")
        raise typer.Exit


@app.callback()
def graphwell(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Label everything from a few labels."""


# -------------------------------------------------------------------------------------- options of jobs

LISTS = ("features", "drop", "classes", "methods")
"""Flags that take names with commas between them."""
OF_THE_FACE = ("json_", "quiet", "verbose", "strict", "set_")
"""Parameters of a command that are no options of its job."""
WORDS = {"true": True, "false": False, "none": None}


def job_options(kind: type[Options], flags: Mapping[str, Any], **read: Any) -> Options:
    """Make the options of a job, a dataclass, from the parameters of a command and its `--set`.

    `flags` are the ``locals()`` of the command at its first line; `read` has options that it read itself.
    """
    defaults = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    given = {name: value for name, value in flags.items() if name not in OF_THE_FACE}
    for name in LISTS:
        if name in given:
            given[name] = defaults[name] if given[name] is None else column_names(given[name])
    if "unknown" in given:
        given["unknown"] = tuple(given["unknown"] or ())
    # Fields from NAME=VALUE; where a job takes parameters of the estimator, these too.
    types, found, others = get_type_hints(kind), {}, {}
    for item in flags.get("set_") or ():
        name, equals, text = item.partition("=")
        if not name or not equals:
            raise OptionError("set", "{field} {}: write NAME=VALUE.", item)
        field = next((known for known, flag in OTHERWISE.items() if flag == name), name)
        if field in given:
            raise OptionError("set", f"{{field}} {{}}: write {in_flags(field)} instead.", item)
        if name in types and name != "parameters":
            found[name] = _read(name, text, types[name])
        elif "parameters" in types:
            others[name] = _literal(text)
        else:
            free = ", ".join(sorted(set(types) - set(given)))
            raise OptionError("set", "{field} {}: there is no such parameter, only {}.", name, free)
    return kind(**given | read | found | ({"parameters": others} if others else {}))


def _read(name: str, text: str, declared: Any) -> Any:
    """A value as the type of its field wants it."""
    wanted = [each for each in get_args(declared) if each is not type(None)]
    kind = wanted[0] if get_origin(declared) in (Union, UnionType) else declared
    if get_origin(kind) is tuple and get_args(kind)[0] is str:
        return column_names(text)
    try:
        if get_origin(kind) is tuple:
            return tuple(float(one) for one in text.split(","))
        return {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        words = {bool: "true or false", int: "a whole number", float: "a number"}
        problem = words.get(kind, "numbers with commas between them, 1,1,2.5 say")
        raise OptionError(name, "{field} must be {}; got {!r}.", problem, text) from None


def _literal(text: str) -> Any:
    """A number, a truth value, None, or else the text itself."""
    try:
        return WORDS[text.lower()] if text.lower() in WORDS else ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


# --------------------------------------------------------------------------------------------------- endings


def ends_cleanly(command: Callable[Arguments, Exit | None]) -> Callable[Arguments, None]:
    """Make a command end with an exit code, and with one sentence in place of a traceback.

    The command returns an `Exit`, or None for 0.
    """

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        of_command.set(frozenset(signature(command).parameters))
        try:
            raise_again()
            code = command(*args, **kwargs) or Exit.DONE
            work_is_over()
        except (BrokenPipeError, typer.Exit, typer.Abort, typer.BadParameter):
            raise  # the reader of our output went away, or typer was asked to end the program
        except (Exception, KeyboardInterrupt) as error:
            work_is_over()
            code, message = _ending(error)
            typer.echo(f"graphwell: {message}", err=True)
        raise typer.Exit(int(code))

    return run


def _ending(error: BaseException) -> tuple[Exit, str]:
    cause: BaseException | None = error
    while cause is not None:  # imports and compiled code turn an interrupt into an error of their own
        if isinstance(cause, KeyboardInterrupt):
            code = Exit(exit_code())
            return code, "interrupted." if code is Exit.INTERRUPTED else "terminated."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, EXPECTED):
        return Exit.BAD_INPUT, sentence(error)
    return Exit.OUR_MISTAKE, "this is a mistake in graphwell.\n" + "".join(traceback.format_exception(error))


def sentence(error: BaseException) -> str:
    """An error on one line."""
    said = getattr(error, "sentence", None)
    if isinstance(said, Sentence):
        text = said.worded(in_flags)
    elif isinstance(error, OSError) and error.strerror:
        text = (
            f"{error.filename}: {error.strerror}{_meant(error)}" if error.filename else f"{error.strerror}."
        )
    elif isinstance(error, MemoryError) and not str(error):
        text = "There is not enough memory for this; use fewer rows or features."
    else:
        text = str(error) or type(error).__name__
    return printable(" ".join(text.split()), limit=100_000)


def _meant(error: OSError) -> str:
    """What a file that is not there may have been meant to be: one of its folder with nearly its name."""
    if not isinstance(error, FileNotFoundError) or not isinstance(error.filename, str):
        return "."
    path = Path(error.filename)
    names = [found.name for found in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, names, n=1)
    return f"; did you mean {path.with_name(close[0])}?" if close else "."


# --------------------------------------------------------------------------------------------------- reports


def stdout_is_taken(output: Path, *, json_: bool) -> bool:
    """Whether a table or JSON goes to standard output, so that the summary goes to standard error."""
    if output == Path("-") and json_:
        problem = "{field} -: {json} goes to standard output as well; give the table the name of a file."
        raise OptionError("output", problem)
    return json_ or output == Path("-")


def show(report: "Report", *, taken: bool, json_: bool, quiet: bool, verbose: bool = True) -> None:
    """Print a report unless quiet, and as JSON where this is asked for; notes go to standard error."""
    from graphwell.jobs.report import Grid, cells, worded

    if not quiet:
        for text in report.sentences(in_flags):
            say(text, on_stderr=taken)
        for note in report.notes:
            say(f"Note: {note.worded(in_flags)}", on_stderr=True, style="yellow")
        more = report.details()
        for part in (*report.grids, *(more if verbose else ())):
            if isinstance(part, Grid):
                say(f"{part.title}:", on_stderr=taken)
                print_grid(part.titles, list(cells(part, in_flags)), on_stderr=taken)
            else:
                say(worded(part, in_flags), on_stderr=taken)
        if more and not verbose:
            say("More with --verbose.", on_stderr=taken)
        elif report.seconds:
            stages = ", ".join(f"{stage} {value:.2f}" for stage, value in report.seconds.items())
            say(f"Seconds: {stages}", on_stderr=taken)
    if json_:
        typer.echo(json.dumps(report.to_json(in_flags), indent=2, ensure_ascii=False))


def say(text: str, *, on_stderr: bool = False, style: str = "") -> None:
    """Print a sentence, which may hold text from a file."""
    from rich.text import Text

    console_for(on_stderr=on_stderr).print(Text(printable(text, 1000), style=style))


def print_grid(titles: Sequence[str], rows: Sequence[Sequence[str]], *, on_stderr: bool = False) -> None:
    """Print a table; columns whose title begins with > are numbers."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for title in titles:
        side: Literal["right", "left"] = "right" if title.startswith(">") else "left"
        table.add_column(title.removeprefix(">"), justify=side, overflow="fold")
    for row in rows[:LINES_SHOWN]:
        table.add_row(*(Text(printable(cell)) for cell in row))
    if len(rows) > LINES_SHOWN:
        table.add_row(f"and {len(rows) - LINES_SHOWN:,} more")
    console_for(on_stderr=on_stderr).print(table)


def console_for(*, on_stderr: bool = False) -> "Console":
    """The terminal, or lines of one width where there is none."""
    from rich.console import Console

    console = Console(stderr=on_stderr, highlight=False)
    if console.is_terminal:
        return console
    return Console(stderr=on_stderr, highlight=False, width=WIDTH_WITHOUT_TERMINAL)


def printable(text: str, limit: int = 120) -> str:
    """Text from a file as a terminal may show it: short, and without control characters."""
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return "".join(character if character.isprintable() else "?" for character in text)


# -------------------------------------------------------------------------------------------------- progress


@contextmanager
def bars(*, quiet: bool = False, console: "Console | None" = None) -> Iterator[Progress]:
    """Show one bar per stage on standard error; nothing when quiet or when nobody watches a terminal."""
    watched = sys.stderr is not None and sys.stderr.isatty()  # it may be closed
    if quiet or (console is None and not watched):
        yield silent
        return
    from rich import progress  # a tenth of a second
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description:<12}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("left"),
    )
    with progress.Progress(*columns, console=console or Console(stderr=True)) as shown:
        bar_of: dict[str, TaskID] = {}
        current = ""

        def tell(stage: str, share: float | None) -> None:
            nonlocal current
            if stage != current and current:  # it is complete, until it is heard of again
                shown.update(bar_of[current], total=1.0, completed=1.0)
            if stage not in bar_of:
                if stage == "compiling":
                    shown.console.print(f"Graphwell is {COMPILING}.")
                bar_of[stage] = shown.add_task(stage, total=None)
            current = stage
            if share is not None:
                shown.update(bar_of[stage], total=1.0, completed=share)

        yield tell
        if current:
            shown.update(bar_of[current], total=1.0, completed=1.0)
