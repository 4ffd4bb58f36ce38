"""Reports as a terminal shows them."""

from dataclasses import replace

import pytest

from graphwell.cli._summary import print_classified, printable
from graphwell.jobs.reports import ClassCount
from tests.jobs.test_reports import classified


def shown(capsys, report):
    print_classified(report, on_stderr=False)
    return capsys.readouterr().out


def test_options_in_notes_are_flags(capsys):
    assert "Note: Give --neighbors." in shown(capsys, classified())


def test_sweeps_are_counted_where_there_are_some(capsys):
    assert "5 sweeps. Done." in shown(capsys, classified())
    assert "sweeps" not in shown(capsys, classified(sweeps=0))


def test_many_classes_are_cut_short(capsys):
    many = tuple(ClassCount(f"class {i}", 1, 1) for i in range(45))
    told = shown(capsys, classified(classes=many))
    assert "class 39" in told
    assert "class 40" not in told
    assert "and 5 more" in told


def test_rows_without_names_have_no_column_for_them(capsys):
    report = classified()
    assert "│ id " in shown(capsys, report).replace("┃", "│")
    unnamed = replace(report, doubtful=(replace(report.doubtful[0], id=None),))
    assert "│ id " not in shown(capsys, unnamed).replace("┃", "│")


def test_everything_can_go_to_standard_error(capsys):
    print_classified(classified(), on_stderr=True)
    told = capsys.readouterr()
    assert told.out == ""
    assert "3 rows, 2 labels given" in told.err


@pytest.mark.parametrize(
    ("text", "safe"), [("a\x1b[31mb", "a?[31mb"), ("x" * 50, "x" * 39 + "…"), ("ok", "ok")]
)
def test_text_of_a_file_cannot_harm_a_terminal(text, safe):
    assert printable(text) == safe
