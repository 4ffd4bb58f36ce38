"""A lock keeps others away, tells who holds it, and ends with its process."""

import os
import signal
import subprocess
import sys
import time

import pytest

from graphwell.errors import OptionError
from graphwell.io.locks import held_alone

HOLD = """
import sys, time
from pathlib import Path
from graphwell.io.locks import held_alone
with held_alone(Path(sys.argv[1]), "checkpoint"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "run"], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_second_is_told_who_the_first_is(tmp_path, holder):
    with (
        pytest.raises(OptionError, match=f"in use by process {holder.pid} on "),
        held_alone(tmp_path / "run", "checkpoint"),
    ):
        pass


def test_a_lock_ends_with_its_process_and_is_cleaned_up(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert [path.name for path in tmp_path.iterdir()] == [".run.lock"]
    with held_alone(tmp_path / "run", "checkpoint"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_nothing_but_a_lock_is_written_into(tmp_path):
    victim, lock = tmp_path / "victim", tmp_path / ".run.lock"
    victim.write_text("precious")
    for make in (lock.symlink_to, lambda target: os.link(target, lock), lambda _: os.mkfifo(lock)):
        make(victim)
        with pytest.raises(OptionError, match="cannot be locked"), held_alone(tmp_path / "run", "checkpoint"):
            pass
        lock.unlink()
    assert victim.read_text() == "precious"


def test_many_processes_take_turns(tmp_path):
    code = HOLD.replace(
        "time.sleep(60)", "assert not (p := Path(sys.argv[2])).exists(); p.touch(); p.unlink()"
    )
    until = time.monotonic() + 20
    waiting = [(tmp_path / "run", tmp_path / "inside")] * 6
    processes = [
        subprocess.Popen([sys.executable, "-c", code, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for names in waiting
    ]
    ended = [process.communicate(timeout=until - time.monotonic()) for process in processes]
    assert any(process.returncode == 0 for process in processes)
    for process, (_, error) in zip(processes, ended, strict=True):
        assert process.returncode == 0 or b"in use by" in error
    assert not (tmp_path / ".run.lock").exists()
