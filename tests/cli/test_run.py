"""How a command ends."""

import pytest
import typer
from typer.testing import CliRunner

from graphwell.cli._run import Exit, ends_cleanly, sentence
from graphwell.errors import OptionError, with_sentence


def command_that(act):
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    @ends_cleanly
    def command(number: int = 3) -> Exit | None:
        return act(number)

    return CliRunner().invoke(app, ["--number", "4"])


def raising(error):
    def act(number):
        raise error

    return act


@pytest.mark.parametrize("code", [None, *Exit])
def test_the_exit_code_is_what_the_command_returns(code):
    assert command_that(lambda number: code).exit_code == (code or 0)


def test_options_reach_the_command():
    assert command_that(lambda number: Exit(number - 3)).exit_code == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("TABLE holds\n  no rows."), "graphwell: TABLE holds no rows.\n"),
        (PermissionError(13, "Permission denied", "x.csv"), "graphwell: x.csv: Permission denied.\n"),
        (ImportError("install pyarrow"), "graphwell: install pyarrow\n"),
        (NotImplementedError("not yet"), "graphwell: not yet\n"),
        (MemoryError(), "not enough memory"),
        (OptionError("n_jobs", '{field} and {missing="mean"}.'), "graphwell: --jobs and --missing mean.\n"),
        (MemoryError("The GPU has too little memory."), "graphwell: The GPU has too little memory.\n"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(error, words):
    finished = command_that(raising(error))
    assert finished.exit_code == 2
    assert words in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert finished.stdout == ""


def interrupted_in_compiled_code():
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    return error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), interrupted_in_compiled_code()])
def test_an_interrupt_ends_with_130(error):
    finished = command_that(raising(error))
    assert finished.exit_code == 130
    assert finished.stderr == "graphwell: interrupted.\n"


def test_a_mistake_of_our_own_is_not_hidden():
    finished = command_that(raising(KeyError("bug")))
    assert finished.exit_code == 3
    assert "Traceback" in finished.stderr
    assert "this is a mistake in graphwell" in finished.stderr


def test_errors_of_any_kind_name_flags():
    error = with_sentence(ImportError, '{device="cuda"} needs {}; use {device="cpu"}.', "CuPy")
    assert sentence(error) == "--device cuda needs CuPy; use --device cpu."
    assert str(error) == 'device="cuda" needs CuPy; use device="cpu".'
