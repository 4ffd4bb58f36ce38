"""Bars for those who watch, silence for everybody else."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

import graphwell as gw
from graphwell.cli import _progress
from graphwell.progress import in_pieces, silent, tell


def test_nobody_is_told_where_there_is_no_terminal(capsys):
    with _progress.bars() as progress:
        progress("neighbours", 0.5)
    assert progress is silent
    assert capsys.readouterr() == ("", "")


def test_a_closed_standard_error_is_no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    with _progress.bars() as progress:
        assert progress is silent


def watched(quiet):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=90)
    with _progress.bars(quiet=quiet, console=console) as progress:
        for stage, share in [("reading", None), ("neighbours", 0.0), ("neighbours", 0.4), ("descent", 1.0)]:
            progress(stage, share)
    return screen.getvalue()


def test_every_stage_has_a_bar_that_ends_full():
    last = [line for line in watched(quiet=False).splitlines() if "%" in line][-3:]
    for stage, line in zip(("reading", "neighbours", "descent"), last, strict=True):
        assert stage in line
        assert "100%" in line


def test_that_kernels_are_compiled_is_said_once_in_words():
    screen = io.StringIO()
    with _progress.bars(console=Console(file=screen, force_terminal=True, width=90)) as progress:
        for stage in ("compiling", "neighbours", "compiling"):
            progress(stage, None)
    assert screen.getvalue().count("Graphwell is compiling for this machine, once: about ten seconds.") == 1


def test_quiet_is_quiet_on_a_terminal_too():
    assert watched(quiet=True) == ""


def shares_of(told, stage):
    return [share for name, share in told if name == stage and share is not None]


def check_shares(shares, least):
    assert len(shares) >= least
    assert shares == sorted(shares)
    assert shares[0] < 0.3
    assert shares[-1] == 1.0


def test_the_start_of_a_segmentation_tells_how_far_it_is():
    told = []
    image, truth = gw.datasets.make_grey_image(320, 320)
    seeds = np.where(np.arange(320) % 40 == 0, truth, -1)
    gw.Segmenter(image, n_jobs=1, progress=lambda *args: told.append(args)).segment(seeds)
    check_shares(_highest(shares_of(told, "start")), 20)
    check_shares(shares_of(told, "descent"), 9)


@pytest.mark.parametrize("start", ["auto", "diffusion"])
def test_the_start_of_a_classifier_tells_how_far_it_is(start):
    told = []
    X, truth = gw.datasets.make_three_moons(100, random_state=0)
    y = gw.datasets.sample_labels(truth, 5, random_state=0)
    clf = gw.DiffuseInterfaceClassifier(start=start, tune=False, n_jobs=1, random_state=0)
    clf.fit(X, y, progress=lambda *args: told.append(args))
    check_shares(_highest(shares_of(told, "start")), 15)


def test_more_pieces_than_were_announced_do_no_harm():
    told = []
    share = in_pieces(lambda *args: told.append(args), "start", [1.0])
    for value in (1.0, 0.5, 1.0):
        share(value)
    assert told == [("start", 1.0)] * 3
    tell(0.5)  # nobody listens


def _highest(shares):
    """Residuals may rise for a moment; a little way back is allowed."""
    highest = np.maximum.accumulate(shares)
    assert (highest - shares).max() < 0.1
    return highest.tolist()


def test_the_time_left_stands_before_its_word():
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", watched(quiet=False))
    lines = [line.split() for line in plain.splitlines() if "%" in line]
    assert lines[-1][-3:] == ["0:00:00", "0:00:00", "left"]
