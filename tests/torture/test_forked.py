"""Forks end as their work does, hear signals when they are ready, and tell what they lost."""

import os
import signal
import subprocess
import time

import pytest

from torture.attack import Lost, NotPossibleHere
from torture.program import Fork, ready, survive


def test_a_fork_ends_with_the_code_of_its_work_and_says_what_it_said():
    fork = Fork(lambda: os.write(1, b"heard") + 2)
    assert fork.communicate()[1] == b"heard"
    assert fork.returncode == 7


def test_an_error_in_a_fork_shows_its_traceback():
    fork = Fork(lambda: 1 // 0)
    assert b"ZeroDivisionError" in fork.communicate()[1]
    assert fork.returncode == 3


def test_signals_wait_until_the_fork_is_ready():
    fork = Fork(lambda: (time.sleep(0.2), os.write(1, b"done"), ready(), time.sleep(9))[0])
    fork.send_signal(signal.SIGTERM)
    assert fork.communicate()[1] == b"done"
    assert fork.returncode == -signal.SIGTERM


def test_a_fork_that_goes_on_is_waited_for_no_longer_than_asked():
    fork = Fork(lambda: time.sleep(9))
    with pytest.raises(subprocess.TimeoutExpired):
        fork.wait(0.05)
    fork.kill()
    assert fork.wait(5) == -signal.SIGKILL


def test_what_is_lost_in_a_fork_is_lost_here():
    def lose():
        raise Lost("a reason")

    def lack():
        raise NotPossibleHere("no discs here")

    survive(os.getpid)
    with pytest.raises(Lost, match="a reason"):
        survive(lose)
    with pytest.raises(NotPossibleHere, match="no discs here"):
        survive(lack)
