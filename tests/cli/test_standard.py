"""`graphwell classify - -o -` in a pipe: the table comes in and goes out, everything else goes to errors."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app

TABLE = "x;label\n1;a\n2;\n8;\n9;b\n"


def run(*arguments, given=TABLE):
    return CliRunner().invoke(app, [*arguments], input=given)


def test_a_table_goes_through_a_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("classify", "-", "-o", "-", "--neighbors", "1")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("x;label;graphwell_label;")
    assert [line.split(";")[2] for line in lines[1:]] == ["a", "a", "b", "b"]
    assert "4 rows, 2 labels given" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_questions_go_through_a_pipe():
    result = run("suggest", "-", "-o", "-", "-n", "1", "--neighbors", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("graphwell_row;graphwell_reason;label;x\n")


def test_a_file_may_be_written_from_standard_input(tmp_path):
    result = run("classify", "-", "-o", str(tmp_path / "out.npz"), "--neighbors", "1")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out.npz").exists()


@pytest.mark.parametrize("command", ["classify", "suggest"])
def test_two_things_do_not_share_standard_output(command):
    result = run(command, "-", "-o", "-", "--json")
    assert result.exit_code == 2
    assert "--json goes to standard output as well" in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_mistake(tmp_path):
    (tmp_path / "in.csv").write_text(
        "x,label\n" + "".join(f"{i * 7 % 1000},{'ab'[i % 2]}\n" for i in range(9000))
    )
    command = f"{sys.executable} -m graphwell classify - -o - --method nearest < in.csv | head -n 1"
    here = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}}
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=100, **here)
    assert ended.stdout.startswith("x,label,graphwell_label")
    assert "Traceback" not in ended.stderr
    assert "Error" not in ended.stderr
