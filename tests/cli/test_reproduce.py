"""`graphwell reproduce` as its users meet it."""

import json

import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app
from graphwell.experiments import reproduce as module
from graphwell.experiments.expected import Expected, expectations
from graphwell.experiments.moons import three_moons


def small(runs, seed, progress):
    return three_moons(runs, seed, progress, data_sets=2)


@pytest.fixture
def only_small_moons(monkeypatch):
    monkeypatch.setattr(module, "MOONS", (small,))


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


@pytest.mark.slow
@pytest.mark.usefixtures("only_small_moons")
def test_the_command_prints_the_table_and_ends_with_0(tmp_path):
    finished = run("moons", "--runs", 4, "--out", tmp_path / "out")
    assert finished.exit_code == 0, finished.output
    header = next(line for line in finished.output.splitlines() if "difference" in line)
    assert header.index("paper") < header.index("graphwell") < header.index("difference")
    assert "annealed epsilon" in finished.output
    assert f"{tmp_path / 'out' / 'report.html'}" in finished.output.replace("\n", "")
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("only_small_moons")
def test_a_line_outside_its_tolerance_is_named_and_the_command_ends_with_1(tmp_path, monkeypatch):
    strict = {**expectations(), "three-moons.fixed": Expected(paper=5.2, value=1.0, tolerance=0.1)}
    monkeypatch.setattr("graphwell.experiments.expected.expectations", lambda: strict)
    finished = run("moons", "--runs", 2, "--out", tmp_path)
    assert finished.exit_code == 1
    (complaint,) = finished.stderr.splitlines()
    assert complaint.startswith("graphwell: three-moons.fixed is ")
    assert "outside 1.00 ± 0.32 %" in complaint
    assert "Outside its tolerance: three-moons.fixed" in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "results.json").read_text())["within_tolerance"] is False


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mnist", "--data", "no-such-folder"], "data_dir='no-such-folder' holds no MNIST files"),
        (["moons", "--out", "{file}"], "is a file; give the name of a folder"),
        (["moons", "--out", "{file}/below"], "is a file; give the name of a folder"),
        (["moons", "--runs", 0], "--runs"),
        (["moons", "--seed", -1], "--seed"),
        (["everything"], "everything"),
    ],
)
def test_bad_arguments_get_one_sentence_and_2(arguments, sentence, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    finished = run(*(str(argument).format(file=file) for argument in arguments))
    assert finished.exit_code == 2
    assert sentence in finished.stderr
    assert "Traceback" not in finished.output
