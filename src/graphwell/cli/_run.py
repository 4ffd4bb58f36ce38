"""How every command ends: exit codes, and the one place that turns an error into a sentence."""

import traceback
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import wraps
from typing import ParamSpec

import typer

from graphwell._interrupt import INTERRUPTED, TERMINATED, exit_code, raise_again, work_is_over
from graphwell.cli._words import in_flags
from graphwell.errors import Sentence

Arguments = ParamSpec("Arguments")

EXPECTED = (ValueError, OSError, ImportError, NotImplementedError, MemoryError)
"""What bad input and missing means raise; anything else is a mistake in graphwell and shows its traceback."""


class Exit(IntEnum):
    """What the program tells the shell."""

    DONE = 0
    NEEDS_ATTENTION = 1
    BAD_INPUT = 2
    OUR_MISTAKE = 3
    INTERRUPTED = INTERRUPTED
    TERMINATED = TERMINATED


def ends_cleanly(command: Callable[Arguments, Exit | None]) -> Callable[Arguments, None]:
    """Make a command end with an exit code, and with one sentence in place of a traceback.

    The command returns an `Exit`, or None for 0.
    """

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
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
    if any(isinstance(cause, KeyboardInterrupt) for cause in _chain(error)):
        code = Exit(exit_code())
        return code, "interrupted." if code is Exit.INTERRUPTED else "terminated."
    if isinstance(error, EXPECTED):
        return Exit.BAD_INPUT, sentence(error)
    return Exit.OUR_MISTAKE, "this is a mistake in graphwell.\n" + "".join(traceback.format_exception(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it: imports and compiled code turn an interrupt into an error of their own."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def sentence(error: BaseException) -> str:
    """What an error says, on one line.

    Examples
    --------
    >>> sentence(FileNotFoundError(2, "No such file or directory", "data.csv"))
    'data.csv: No such file or directory.'
    >>> sentence(MemoryError())
    'There is not enough memory for this; use fewer rows or features.'
    >>> from graphwell.errors import OptionError
    >>> sentence(OptionError("row_id", "{field} x: there is no such column."))
    '--id x: there is no such column.'
    """
    said = getattr(error, "sentence", None)
    if isinstance(said, Sentence):
        text = said.worded(in_flags)
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    elif isinstance(error, MemoryError) and not str(error):
        text = "There is not enough memory for this; use fewer rows or features."
    else:
        text = str(error) or type(error).__name__
    return "".join(character if character.isprintable() else "?" for character in " ".join(text.split()))
