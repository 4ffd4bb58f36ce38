import os
import subprocess
import sys
import zlib

import pytest

from graphwell.errors import OptionError
from graphwell.serve.journal import Journal

ABOUT = {"rows": 5, "classes": ["ä", "<b>"]}


def replayed(path):
    with Journal(path, ABOUT) as journal:
        return journal.done, journal.undone


def test_a_file_cut_anywhere_gives_the_actions_before_the_cut(tmp_path):
    path = tmp_path / "journal"
    with Journal(path, ABOUT) as journal:
        for row in range(3):
            journal.do({"do": "answer", "row": row})
    whole = path.read_bytes()
    lines = whole.count(b"\n")
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        done, _ = replayed(path)
        assert done == [{"do": "answer", "row": row} for row in range(max(0, whole[:cut].count(b"\n") - 1))]
        with Journal(path, ABOUT) as journal:
            journal.do({"do": "more"})
        assert replayed(path)[0] == [*done, {"do": "more"}]
    assert lines == 4


def test_a_killed_process_loses_nothing_that_it_answered(tmp_path):
    path = tmp_path / "journal"
    code = (
        "import os, sys; from pathlib import Path; from graphwell.serve.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]), {})\n"
        "for row in range(100): journal.do({'row': row}); print(row, flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == -9
    with Journal(path, {}) as journal:
        assert [action["row"] for action in journal.done] == [int(row) for row in run.stdout.split()]


def test_a_damaged_line_in_the_middle_is_refused_and_kept(tmp_path):
    path = tmp_path / "journal"
    with Journal(path, ABOUT) as journal:
        for row in range(3):
            journal.do({"row": row})
    damaged = path.read_bytes().replace(b'{"row":1}', b'{"row":7}')
    path.write_bytes(damaged)
    with pytest.raises(OptionError, match="damaged at byte"):
        Journal(path, ABOUT)
    assert path.read_bytes() == damaged


def test_a_file_of_somebody_else_or_about_something_else_is_refused_and_kept(tmp_path):
    path = tmp_path / "journal"
    for content in (b"my notes", b"my notes\n", b"\0\0\0"):
        path.write_bytes(content)
        with pytest.raises(OptionError, match="journal"):
            Journal(path, ABOUT)
        assert path.read_bytes() == content
    path.unlink()
    Journal(path, ABOUT).close()
    with pytest.raises(OptionError, match="another table"):
        Journal(path, {"rows": 6})
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="link"):
        Journal(tmp_path / "link", ABOUT)


def test_a_full_disc_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    with Journal(path, ABOUT) as journal:
        journal.do({"row": 1})
        before = path.read_bytes()

        def full(_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            journal.do({"row": 2})
        assert path.read_bytes() == before
        assert journal.done == [{"row": 1}]


def forge(path, *texts):
    """Lines with the right checksum, whatever they say."""
    with path.open("ab") as file:
        for text in texts:
            file.write(b"%08x %s\n" % (zlib.crc32(text), text))


@pytest.mark.parametrize(
    "line", [b'{"note":5}', b'{"do":"undo"}', b'{"do":"redo"}', b"5", b"[]", b"{", b"[" * 10**5, b"\xff"]
)
def test_a_forged_line_is_refused_and_kept(tmp_path, line):
    path = tmp_path / "journal"
    Journal(path, ABOUT).close()
    forge(path, line)
    forged = path.read_bytes()
    with pytest.raises(OptionError, match=r"makes no sense at its action 1|damaged at byte"):
        Journal(path, ABOUT)
    assert path.read_bytes() == forged


@pytest.mark.parametrize("error", [KeyError(), IndexError(), TypeError(), ValueError(), OverflowError()])
def test_an_action_that_cannot_be_done_is_refused(tmp_path, error):
    with Journal(tmp_path / "journal", ABOUT) as journal:
        journal.do({"do": "first"})
        journal.do({"do": "second"})

        def do(action):
            if action == {"do": "second"}:
                raise error

        with pytest.raises(OptionError, match="makes no sense at its action 2; restore it, or move it away"):
            journal.replay(do)


def replaced(path):
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)  # as sed -i and editors do


def appended(path):
    with path.open("ab") as file:
        file.write(b"x")


@pytest.mark.parametrize(
    "change", [replaced, appended, lambda path: path.unlink(), lambda path: path.write_bytes(b"")]
)
def test_after_another_program_changed_the_journal_nothing_more_is_taken_and_all_before_is_kept(
    tmp_path, change
):
    path = tmp_path / "journal"
    path.with_name("journal.1").write_bytes(b"of somebody else")
    with Journal(path, ABOUT) as journal:
        for row in range(4):
            journal.do({"do": "answer", "row": row})
        journal.note({"share": 0.5})
        journal.undo()
        journal.undo()
        done, undone = list(journal.done), list(journal.undone)
        change(path)
        for act in (lambda: journal.do({"do": "more"}), journal.undo, journal.redo, lambda: journal.note({})):
            with pytest.raises(
                OSError, match=r"This was not kept: .* in .*journal\.2\. End graphwell, rename"
            ):
                act()
        assert (journal.done, journal.undone) == (done, undone)
    assert not path.with_name("journal.3").exists()
    path.with_name("journal.2").replace(path)
    with Journal(path, ABOUT) as journal:
        assert (journal.done, journal.undone, journal.notes) == (done, undone, [{"share": 0.5}])


def test_a_line_written_into_a_journal_that_was_just_replaced_is_not_acknowledged(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    with Journal(path, ABOUT) as journal:
        journal.do({"row": 1})
        synced = os.fsync

        def late(file):
            monkeypatch.setattr(os, "fsync", synced)
            replaced(path)

        monkeypatch.setattr(os, "fsync", late)
        with pytest.raises(OSError, match="was changed by another program"):
            journal.do({"row": 2})
        assert journal.done == [{"row": 1}]
    assert replayed(path.with_name("journal.1"))[0] == [{"row": 1}]
