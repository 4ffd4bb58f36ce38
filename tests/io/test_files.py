"""Files appear whole or not at all, bad names are refused before the work, a lock ends with its process."""

import io
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.io.files import (
    STANDARD,
    check_distinct,
    check_output,
    check_output_folder,
    check_standard_output,
    folder_written_whole,
    held_alone,
    written_out,
    written_whole,
)
from graphwell.memory import limited_to


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_half(folder, error):
    with ExitStack() as held:
        for name in ("one", "two"):
            held.enter_context(written_whole(folder / name)).write(b"half of the n")
        (held.enter_context(folder_written_whole(folder / "parts")) / "a").write_text("1")
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_after_an_error_old_files_stay_and_new_ones_are_gone(tmp_path, error):
    (tmp_path / "one").write_text("old")
    with pytest.raises(error):
        write_half(tmp_path, error)
    assert (tmp_path / "one").read_text() == "old"
    assert names(tmp_path) == ["one"]


def test_links_are_followed_and_modes_are_kept(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    before = os.umask(0o022)
    try:
        for path in (link, tmp_path / "new"):
            with written_whole(path) as file:
                file.write(b"new")
    finally:
        os.umask(before)
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert [path.stat().st_mode & 0o777 for path in (real, tmp_path / "new")] == [0o640, 0o644]


def test_a_folder_takes_its_name_when_it_is_whole(tmp_path):
    with folder_written_whole(tmp_path / "parts") as unnamed:
        (unnamed / "one").write_text("1")
        assert not (tmp_path / "parts").exists()
    assert (tmp_path / "parts" / "one").read_text() == "1"
    assert names(tmp_path) == ["parts"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device"), "No space left"),
        (OSError("Error writing bytes to file. Detail: [errno 28] No space left on device"), "No space left"),
        (OSError("37436 requested and 195 written"), "could not be written to its end"),
    ],
)
def test_a_full_disc_names_the_file(tmp_path, error, words):
    for written in (written_whole, folder_written_whole):
        with pytest.raises(OSError, match=words) as caught, written(tmp_path / "out"):
            raise error
        assert caught.value.filename == str(tmp_path / "out")


# -------------------------------------------------------------------------------------------------- names


def test_names_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "into").symlink_to(tmp_path / "missing" / "file")
    (tmp_path / "one").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "one")
    for name, words in [
        ("into", "missing does not exist"),
        ("file/out", "is not a folder"),
        (".", "is a folder"),
        ("pipe", "not a regular file"),
        ("one", r"output .*one is a symbolic link that leads back to itself"),
    ]:
        with pytest.raises(OptionError, match=words):
            check_output(tmp_path / name, "output")
    check_output(tmp_path / "file", "output")
    check_output(tmp_path / "new", "output")
    check_output_folder(tmp_path, "masks")
    check_output_folder(tmp_path / "new", "masks")
    with pytest.raises(OptionError, match="does not exist"):
        check_output_folder(tmp_path / "no" / "folder", "masks")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ValueError, match="cannot be written"):
        check_output(tmp_path / "out", "output")
    tmp_path.chmod(0o700)


def test_one_file_cannot_have_two_roles(tmp_path):
    table, link, hard = tmp_path / "table", tmp_path / "link", tmp_path / "hard"
    table.write_text("x")
    link.symlink_to(table)
    os.link(table, hard)
    for other in (table, link, hard, tmp_path / "sub" / ".." / "table"):
        with pytest.raises(OptionError, match="table and output are both the file") as caught:
            check_distinct([("table", table), ("output", other)])
        assert caught.value.field == "output"
    check_distinct([("table", table), ("output", Path("elsewhere")), ("report", None)])


# ------------------------------------------------------------------------------ standard input and output


class Standard:
    """Standard input or output that holds these bytes."""

    def __init__(self, content=b""):
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_a_table_on_standard_input_is_read_as_a_file_is(monkeypatch, encoding):
    monkeypatch.setattr(sys, "stdin", Standard("größe;label\n1,5;ja\n2;\n".encode(encoding)))
    frame = gw.read_table("-")
    assert frame["größe"].tolist() == [1.5, 2]
    assert frame["label"].tolist()[0] == "ja"


def test_an_endless_input_is_refused_once_it_is_too_large(monkeypatch):
    class Endless:
        asked = 0

        def read(self, size):
            self.asked += size
            return b"1" * size

    endless = Standard()
    endless.buffer = Endless()
    monkeypatch.setattr(sys, "stdin", endless)
    with limited_to(10**7), pytest.raises(OptionError, match="standard input needs about"):
        gw.read_table("-")
    assert endless.buffer.asked < 10**7


@pytest.mark.parametrize(
    ("stream", "error", "words"),
    [
        (Standard(b"a,b\n1\n"), ValueError, "^standard input, line 2: 1 cells"),
        (Standard(), ValueError, "^standard input is empty"),
        (None, OptionError, "there is no standard input"),
    ],
)
def test_what_is_wrong_with_standard_input_and_output_is_said(monkeypatch, stream, error, words):
    monkeypatch.setattr(sys, "stdin", stream)
    with pytest.raises(error, match=words):
        gw.read_table("-")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OptionError, match="there is no standard output"):
        check_standard_output("output")


def test_output_is_held_back_until_it_is_whole(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Standard())
    with pytest.raises(ZeroDivisionError), written_out(STANDARD) as file:
        file.write(b"half" * (1 // 0))
    with written_out(STANDARD) as file:
        file.write(b"label\n")
        assert sys.stdout.buffer.getvalue() == b""
    assert sys.stdout.buffer.getvalue() == b"label\n"


# -------------------------------------------------------------------------------------------------- locks

HOLD = """
import sys
from pathlib import Path
from graphwell.io.files import held_alone
with held_alone(Path(sys.argv[1]), "table"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_names_its_process_and_ends_with_it(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout.readline() == b"held\n"
        told = pytest.raises(OptionError, match=f"in use by process {holder.pid} on ")
        with told, held_alone(tmp_path / "run", "table"):
            pass
        holder.send_signal(signal.SIGKILL)
    assert names(tmp_path) == [".run.lock"]
    with held_alone(tmp_path / "run", "table"):
        pass
    assert names(tmp_path) == []


def test_nothing_but_a_lock_is_written_into(tmp_path):
    victim, lock = tmp_path / "victim", tmp_path / ".run.lock"
    victim.write_text("precious")
    for make in (lock.symlink_to, lambda target: os.link(target, lock), lambda _: os.mkfifo(lock)):
        make(victim)
        with pytest.raises(OptionError, match="cannot be locked"), held_alone(tmp_path / "run", "table"):
            pass
        lock.unlink()
    assert victim.read_text() == "precious"
