"""Values that options do not take: one sentence, and the exit code of bad input."""

import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["classify", "x.csv", "-o", "y.csv", "--neighbors", "0"], "--neighbors must be at least 1, got 0."),
        (["classify", "x.csv", "-o", "y.csv", "--jobs", "1.5"], "--jobs must be a whole number, got '1.5'."),
        (["classify", "x.csv", "-o", "y.csv", "--seed", "9" * 5000], "--seed must be a whole number"),
        (["classify", "x.csv", "-o", "y.csv", "--holdout", "x"], "--holdout must be a number, got 'x'."),
        (["label", "x.csv", "--port", "70000"], "--port must be at most 65535, got 70000."),
        (["suggest", "x.csv", "-n", "x"], "--n must be a whole number, got 'x'."),
        (["example", "digits", "--per-class", "0"], "--per-class must be at least 1, got 0."),
    ],
)
def test_a_value_that_is_not_taken_gets_one_sentence(arguments, told):
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 2
    assert ended.output.startswith(f"graphwell: {told}")
    assert ended.output.count("\n") == 1


def test_an_option_that_is_missing_is_told_as_before():
    ended = CliRunner().invoke(app, ["classify", "x.csv"])
    assert ended.exit_code == 2
    assert "Missing option" in ended.output
