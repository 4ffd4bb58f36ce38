"""Runs of the program: same bytes, same ends, and what is left behind is found."""

import random
import shutil
import signal

import pytest

from torture import program
from torture.attack import Lost

pytestmark = pytest.mark.slow


@pytest.fixture
def folder():
    made = program.fresh()
    yield made
    shutil.rmtree(made)


def test_files_that_are_left_behind_are_found(folder):
    (folder / "tmp" / "scratch").touch()
    with pytest.raises(Lost, match="left behind: scratch"):
        program.check_left(folder)


@pytest.mark.parametrize("seed", range(3))
def test_a_signal_hits_a_run_at_some_moment(folder, seed):
    process = program.hurt("segment", folder, signal.SIGKILL, random.Random(seed))
    program.end(process, expected={0, -signal.SIGKILL})
    program.end(program.start("segment", folder, "out"), expected={0})
    program.check_same(folder, "out", "segment")
    program.check_left(folder, "out.npy", killed=True)


def test_an_end_that_was_not_expected_is_lost(folder):
    with pytest.raises(Lost, match=r"exit code 2.*does not exist"):
        program.end(program.start("segment", folder, "no-such-folder/out"), expected={0})
