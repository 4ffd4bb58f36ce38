"""Ctrl-C before and during a command; whole runs of the program are in tests/cli/test_interrupt.py."""

import signal
import sys

import pytest

from graphwell import progress as _interrupt


@pytest.fixture
def kept():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.unraisablehook = hook


def test_the_handler_is_set_and_given_back(kept):
    _interrupt.end_at_once()
    assert signal.getsignal(signal.SIGINT) is _interrupt._end
    _interrupt.raise_again()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert sys.unraisablehook is _interrupt._repeat_interrupt


def test_a_handler_of_the_caller_is_left_alone(kept):
    def mine(*_):
        pass

    signal.signal(signal.SIGINT, mine)
    _interrupt.end_at_once()
    _interrupt.raise_again()
    assert signal.getsignal(signal.SIGINT) is mine
    _interrupt.work_is_over()
    assert signal.getsignal(signal.SIGINT) is mine


def test_once_the_work_is_over_no_signal_counts(kept):
    _interrupt.end_at_once()
    _interrupt.raise_again()
    _interrupt.work_is_over()
    for number in (signal.SIGINT, signal.SIGTERM):
        assert signal.getsignal(number) is signal.SIG_IGN
        signal.raise_signal(number)


def test_a_termination_has_its_own_code(kept, monkeypatch):
    monkeypatch.setattr(_interrupt, "_terminated", False)
    assert _interrupt.exit_code() == 130
    _interrupt.end_at_once()
    _interrupt.raise_again()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert _interrupt.exit_code() == 143


@pytest.fixture
def later(monkeypatch):
    """Calls that a timer would make, in place of the timer."""
    calls = []

    class Timer:
        def __init__(self, seconds, function, arguments=()):
            self.start = lambda: calls.append(lambda: function(*arguments))

    monkeypatch.setattr(_interrupt, "Timer", Timer)
    return calls


def test_a_signal_waits_until_files_have_their_names(kept, later):
    _interrupt.end_at_once()
    _interrupt.raise_again()
    with _interrupt.undisturbed():
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        [call() for call in later]


def test_a_signal_that_waited_does_not_count_once_the_work_is_over(kept, later):
    _interrupt.end_at_once()
    _interrupt.raise_again()
    with _interrupt.undisturbed():
        signal.raise_signal(signal.SIGTERM)
    _interrupt.work_is_over()
    assert [call() for call in later] == [None]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
