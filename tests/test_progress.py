"""How far a job is, and how it ends: cancelled, or by Ctrl-C (whole runs are in tests/cli)."""

import signal
import sys

import numpy as np
import pytest

import graphwell as gw
from graphwell import progress
from graphwell.progress import heartbeat, in_pieces, watched


def test_a_watchdog_ends_the_work_and_is_gone_afterwards():
    def end():
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"), watched(end):
        heartbeat()
    heartbeat()


def test_pieces_add_up_to_the_stage():
    heard = []
    told = in_pieces(lambda stage, share: heard.append((stage, share)), "start", [1, 1])
    for share in (1.0, 0.5, 1.0, 1.0):
        told(share)
    assert heard == [("start", 0.5), ("start", 0.75), ("start", 1.0), ("start", 1.0)]


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
    clf = gw.DiffuseInterfaceClassifier(start=start, models=None, n_jobs=1, random_state=0)
    clf.fit(X, y, progress=lambda *args: told.append(args))
    check_shares(_highest(shares_of(told, "start")), 15)


def _highest(shares):
    """Residuals may rise for a moment; a little way back is allowed."""
    highest = np.maximum.accumulate(shares)
    assert (highest - shares).max() < 0.1
    return highest.tolist()


@pytest.fixture
def kept():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.unraisablehook = hook


def test_a_handler_of_the_caller_is_left_alone(kept):
    def mine(*_):
        pass

    signal.signal(signal.SIGINT, mine)
    progress.end_at_once()
    progress.raise_again()
    assert signal.getsignal(signal.SIGINT) is mine
    progress.work_is_over()
    assert signal.getsignal(signal.SIGINT) is mine


def test_once_the_work_is_over_no_signal_counts(kept):
    progress.end_at_once()
    progress.raise_again()
    progress.work_is_over()
    for number in (signal.SIGINT, signal.SIGTERM):
        assert signal.getsignal(number) is signal.SIG_IGN
        signal.raise_signal(number)


def test_a_termination_has_its_own_code(kept, monkeypatch):
    monkeypatch.setattr(progress, "_terminated", False)
    assert progress.exit_code() == 130
    progress.end_at_once()
    progress.raise_again()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert progress.exit_code() == 143


@pytest.fixture
def later(monkeypatch):
    """Calls that a timer would make, in place of the timer."""
    calls = []

    class Timer:
        def __init__(self, seconds, function, arguments=()):
            self.start = lambda: calls.append(lambda: function(*arguments))

    monkeypatch.setattr(progress, "Timer", Timer)
    return calls


def test_a_signal_that_waited_does_not_count_once_the_work_is_over(kept, later):
    progress.end_at_once()
    progress.raise_again()
    with progress.undisturbed():
        signal.raise_signal(signal.SIGTERM)
    progress.work_is_over()
    assert [call() for call in later] == [None]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
