"""Ctrl-C before and during a command; whole runs of the program are in tests/cli/test_interrupt.py."""

import signal
import sys

import pytest

from graphwell import _interrupt


@pytest.fixture
def kept():
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
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
