"""`graphwell doctor`."""

import json

from typer.testing import CliRunner

from graphwell._version import __version__
from graphwell.cli.app import app


def test_it_prints_what_there_is():
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 0
    for words in (__version__, "threads", "GPU", "compiled loops", "scikit-learn", "for Parquet tables"):
        assert words in shown.output


def test_what_is_missing_is_printed_with_the_line_that_brings_it(monkeypatch):
    monkeypatch.setattr("graphwell.jobs.doctor.find_spec", lambda name: None)
    assert (
        'pyarrow is not installed: pip install "graphwell[parquet]"'
        in CliRunner().invoke(app, ["doctor"]).output
    )


def test_json_can_be_read():
    shown = CliRunner().invoke(app, ["doctor", "--json"])
    assert json.loads(shown.stdout)["version"] == __version__


def test_trouble_ends_with_1_and_a_sentence(monkeypatch):
    monkeypatch.setattr("graphwell.backends.cpu.compiling.cache_folder", lambda: None)
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 1
    assert "graphwell: compiled loops cannot be kept" in shown.stderr
