"""Values that options do not take: one sentence, and the exit code of bad input."""

from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from graphwell.cli._values import told
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


@pytest.mark.parametrize(
    ("message", "kind", "sentence"),
    [
        ("0 is not in the range x>=1.", {"min": 1, "max": None}, "--n must be at least 1, got 0."),
        ("70 is not in the range 0<=x<=65.", {"min": 0, "max": 65}, "--n must be at most 65, got 70."),
        ("0.0 is not in the range x>0.", {"min": 0, "min_open": True}, "--n must be above 0, got 0.0."),
        ("1.0 is not in the range x<1.", {"max": 1, "max_open": True}, "--n must be below 1, got 1.0."),
        ("'1.5' is not a valid integer.", {}, "--n must be a whole number, got '1.5'."),
        ("'x' is not a valid int range.", {}, "--n must be a whole number, got 'x'."),
        ("'x' is not a valid float.", {}, "--n must be a number, got 'x'."),
        ("'x' is not one of 'a', 'b'.", {}, None),
        ("", {}, None),
    ],
)  # fmt: skip
def test_older_versions_of_typer_get_the_same_sentence(message, kind, sentence):
    parameter = SimpleNamespace(opts=["-n", "--n"], type=SimpleNamespace(**kind))
    assert told(SimpleNamespace(message=message, param=parameter, __cause__=None)) == sentence
