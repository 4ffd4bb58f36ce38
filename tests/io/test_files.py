"""Files appear whole or not at all, and bad names are refused before the work."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from graphwell.errors import OptionError
from graphwell.io.files import (
    check_distinct,
    check_output,
    check_output_folder,
    folder_written_whole,
    written_whole,
)


def write_half(paths, error):
    with ExitStack() as held:
        for path in paths:
            held.enter_context(written_whole(path)).write(b"half of the n")
        raise error


def test_an_error_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError):
        write_half([path], RuntimeError())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_files_held_back_together_fail_together(tmp_path, error):
    with pytest.raises(error):
        write_half([tmp_path / "one", tmp_path / "two"], error())
    assert list(tmp_path.iterdir()) == []


def test_links_are_followed_and_modes_are_kept(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with written_whole(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_usual_mode(tmp_path):
    before = os.umask(0o022)
    try:
        with written_whole(tmp_path / "new") as file:
            file.write(b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o644


def test_names_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for path, words in [
        (tmp_path / "missing" / "out", "does not exist"),
        (tmp_path / "file" / "out", "is not a folder"),
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "not a regular file"),
    ]:
        with pytest.raises(ValueError, match=words):
            check_output(path, "output")
    check_output(tmp_path / "file", "output")
    check_output(tmp_path / "new", "output")


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


def test_a_folder_is_made_or_written_into(tmp_path):
    check_output_folder(tmp_path, "masks")
    check_output_folder(tmp_path / "new", "masks")
    (tmp_path / "file").write_text("x")
    with pytest.raises(OptionError, match=r"masks .*file is a file; give the name of a folder"):
        check_output_folder(tmp_path / "file", "masks")
    with pytest.raises(OptionError, match="does not exist"):
        check_output_folder(tmp_path / "no" / "folder", "masks")


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    with folder_written_whole(tmp_path / "parts") as unnamed:
        (unnamed / "one").write_text("1")
        assert not (tmp_path / "parts").exists()
    assert (tmp_path / "parts" / "one").read_text() == "1"
    with pytest.raises(RuntimeError), folder_written_whole(tmp_path / "others") as unnamed:
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_a_full_disc_names_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left") as caught, written_whole(tmp_path / "out.csv"):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(tmp_path / "out.csv")
    with pytest.raises(OSError, match="No space left") as caught, folder_written_whole(tmp_path / "parts"):
        raise OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")
    assert caught.value.filename == str(tmp_path / "parts")
    with (
        pytest.raises(OSError, match="could not be written to its end") as caught,
        written_whole(tmp_path / "a"),
    ):
        raise OSError("37436 requested and 195 written")
    assert caught.value.filename == str(tmp_path / "a")


def test_an_error_that_has_a_name_keeps_it(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, written_whole(tmp_path / "out.csv"):
        (tmp_path / "other").read_text()
    assert caught.value.filename == str(tmp_path / "other")


def test_links_in_a_circle_are_refused(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(OptionError, match=r"output .*one is a symbolic link that leads back to itself"):
        check_output(one, "output")
    with pytest.raises(OptionError, match="leads back to itself"):
        check_distinct([("table", one), ("output", tmp_path / "new")])


def test_a_link_into_a_missing_folder_is_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "missing" / "file")
    with pytest.raises(OptionError, match="missing does not exist"):
        check_output(tmp_path / "link", "output")


WRITE = """
import sys
from pathlib import Path
from graphwell.io.files import written_whole, folder_written_whole
folder = Path(sys.argv[1])
with written_whole(folder / "out") as file, folder_written_whole(folder / "parts") as parts:
    file.write(b"half")
    (parts / "one").write_text("1")
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_is_removed_and_what_others_write_or_own_stays(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / f".graphwell-{'0' * 16}.tmp").symlink_to(tmp_path / "victim")
    (tmp_path / ".graphwell-notes.tmp").write_text("precious")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with writer:
        assert writer.stdout.readline() == b"begun\n"
        with written_whole(tmp_path / "new"):
            pass
        assert len(list(tmp_path.iterdir())) == 6
        writer.send_signal(signal.SIGKILL)
    with written_whole(tmp_path / "new"):
        pass
    assert len(list(tmp_path.iterdir())) == 4
    assert (tmp_path / "victim").read_text() == "precious"


def test_an_interrupt_right_after_a_file_was_made_leaves_nothing(tmp_path, monkeypatch):
    real = os.open

    def interrupted(path, *args, **kwargs):
        os.close(real(path, *args, **kwargs))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), written_whole(tmp_path / "labels.csv"):
        pass
    assert list(tmp_path.iterdir()) == []
