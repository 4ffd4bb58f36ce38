"""Bars for those who watch, silence for everybody else."""

import io

from rich.console import Console

from graphwell.commands import _progress
from graphwell.progress import silent


def test_nobody_is_told_where_there_is_no_terminal(capsys):
    with _progress.bars() as progress:
        progress("neighbours", 0.5)
    assert progress is silent
    assert capsys.readouterr() == ("", "")


def watched(monkeypatch, quiet):
    screen = io.StringIO()
    monkeypatch.setattr(
        _progress, "Console", lambda stderr: Console(file=screen, force_terminal=True, width=90)
    )
    with _progress.bars(quiet=quiet) as progress:
        for stage, share in [("reading", None), ("neighbours", 0.0), ("neighbours", 0.4), ("descent", 1.0)]:
            progress(stage, share)
    return screen.getvalue()


def test_every_stage_has_a_bar_that_ends_full(monkeypatch):
    last = [line for line in watched(monkeypatch, quiet=False).splitlines() if "%" in line][-3:]
    for stage, line in zip(("reading", "neighbours", "descent"), last, strict=True):
        assert stage in line
        assert "100%" in line


def test_quiet_is_quiet_on_a_terminal_too(monkeypatch):
    assert watched(monkeypatch, quiet=True) == ""
