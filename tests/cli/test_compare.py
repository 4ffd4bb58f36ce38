"""`graphwell compare` as its users meet it."""

import json

from typer.testing import CliRunner

from graphwell.cli.app import app
from tests.jobs.tables import write_blobs

RUNNER = CliRunner()
FEW = ("--methods", "nearest, logistic regression", "--splits", 2, "--jobs", 1, "--id", "name")


def run(*arguments):
    return RUNNER.invoke(app, ["compare", *map(str, arguments)])


def test_a_table_a_page_and_json(tmp_path):
    write_blobs(tmp_path / "in.csv")
    page = tmp_path / "page.html"
    shown = run(tmp_path / "in.csv", "--truth", "truth", *FEW, "--report", page)
    assert shown.exit_code == 0, shown.output
    assert "120 rows, 12 labels given, 3 classes." in shown.stdout
    for method in ("nearest", "logistic regression"):
        assert f"\n{method}: " in f"\n{shown.stdout.partition('120 rows')[0]}", "a line before the table"
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert "Written" in shown.stdout
    assert "Written" not in run(tmp_path / "in.csv", "--truth", "truth", *FEW).stdout
    told = run(tmp_path / "in.csv", "--truth", "truth", *FEW, "--json", "--quiet")
    assert [each["method"] for each in json.loads(told.stdout)["methods"]]
    assert told.stderr == ""


def test_a_comparison_goes_on_from_its_checkpoint(tmp_path):
    write_blobs(tmp_path / "in.csv")
    options = (tmp_path / "in.csv", "--drop", "truth", *FEW, "--checkpoint", tmp_path / "run", "--json", "-q")
    first, second = (json.loads(run(*options).stdout)["trials"] for _ in range(2))
    assert first == second, "the seconds are those of the first run"


def test_bad_input_ends_with_a_sentence_in_the_words_of_the_shell(tmp_path):
    write_blobs(tmp_path / "in.csv")
    for problem, options in (
        ("--methods must be among", ("--methods", "guess")),
        ("--truth kind: ", ("--truth", "kind")),
        ("--report", ("--report", tmp_path / "page.pdf")),
    ):
        ended = run(tmp_path / "in.csv", *options)
        assert ended.exit_code == 2
        assert problem in ended.stderr


def test_help_lists_the_methods():
    shown = run("--help").stdout
    assert "random forest" in shown
    assert "{competitors}" not in shown
