"""Scratch files cannot be guessed, follow no link, and do not outlive their process for long."""

import os
import signal
import subprocess
import sys

import pytest

from graphwell.io import scratch
from graphwell.io.scratch import NAME, remove_stale, scratch_file, scratch_folder

WRITE = """
import sys, time
from pathlib import Path
from graphwell.io.files import written_whole, folder_written_whole
folder = Path(sys.argv[1])
with written_whole(folder / "out") as file, folder_written_whole(folder / "parts") as parts:
    file.write(b"half")
    (parts / "one").write_text("1")
    print("begun", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def nothing_cleaned(monkeypatch):
    monkeypatch.setattr(scratch, "_cleaned", set())


@pytest.fixture
def writer(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITE, tmp_path], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_what_a_killed_process_left_is_removed(tmp_path, writer):
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert len(list(tmp_path.iterdir())) == 2
    with scratch_file(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_a_living_process_writes_stays(tmp_path, writer):
    remove_stale(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_not_ours_stays(tmp_path):
    name = f".graphwell-1-{'0' * 16}.tmp"
    (tmp_path / "victim").write_text("precious")
    (tmp_path / name).symlink_to(tmp_path / "victim")
    (tmp_path / ".graphwell-notes.tmp").write_text("precious")
    remove_stale(tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    assert (tmp_path / "victim").read_text() == "precious"


def test_names_are_recognised_and_new(tmp_path):
    with (
        scratch_file(tmp_path) as (one, _),
        scratch_file(tmp_path) as (other, _),
        scratch_folder(tmp_path) as third,
    ):
        assert len({one, other, third}) == 3
        assert all(
            NAME.fullmatch(path.name) and str(os.getpid()) in path.name for path in (one, other, third)
        )


def test_a_name_that_is_taken_is_not_followed(tmp_path, monkeypatch):
    victim, guessed = tmp_path / "victim", tmp_path / "guessed"
    victim.write_text("precious")
    guessed.symlink_to(victim)
    monkeypatch.setattr(scratch, "_new_name", lambda: "guessed")
    with pytest.raises(FileExistsError), scratch_file(tmp_path):
        pass
    assert victim.read_text() == "precious"


def test_a_file_that_was_cleaned_away_before_its_lock_is_made_anew(tmp_path, monkeypatch):
    lock, calls = scratch.try_lock, []

    def locked_too_late(descriptor):
        if not calls:
            next(tmp_path.iterdir()).unlink()
        calls.append(descriptor)
        return lock(descriptor)

    monkeypatch.setattr(scratch, "try_lock", locked_too_late)
    with scratch_file(tmp_path) as (path, _):
        assert path.exists()
    assert len(calls) == 2
