"""What a process made and did not finish is removed at its end, whatever fell between."""

import os

import pytest

from graphwell.io import scratch, unfinished
from graphwell.io.files import written_whole


def test_an_interrupt_right_after_a_scratch_file_was_made_leaves_nothing(tmp_path, monkeypatch):
    real = os.open

    def interrupted(path, *args, **kwargs):
        os.close(real(path, *args, **kwargs))
        raise KeyboardInterrupt

    monkeypatch.setattr(scratch.os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), written_whole(tmp_path / "labels.csv") as file:
        file.write(b"never")
    monkeypatch.undo()
    assert len(list(tmp_path.iterdir())) == 1
    unfinished.remove_unfinished()
    assert list(tmp_path.iterdir()) == []


def test_what_was_finished_stays(tmp_path):
    with written_whole(tmp_path / "labels.csv") as file:
        file.write(b"all")
    unfinished.remove_unfinished()
    assert [path.name for path in tmp_path.iterdir()] == ["labels.csv"]


def test_a_fork_removes_nothing_of_its_parent(tmp_path, monkeypatch):
    (tmp_path / "half").touch()
    unfinished.remember(tmp_path / "half")
    monkeypatch.setattr(unfinished.os, "getpid", lambda: -1)
    unfinished.remove_unfinished()
    assert (tmp_path / "half").exists()
    unfinished.forget(tmp_path / "half")


def test_a_folder_goes_with_all_that_is_in_it(tmp_path):
    (tmp_path / "masks").mkdir()
    (tmp_path / "masks" / "1.png").touch()
    unfinished.remember(tmp_path / "masks")
    unfinished.remove_unfinished()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_removed_any_more_is_left_without_an_error(tmp_path, monkeypatch):
    half, other = tmp_path / "half", tmp_path / "other"
    for path in (half, other):
        path.touch()
        unfinished.remember(path)
    real = os.stat

    def denied(path, **options):
        if os.fspath(path) == str(half):
            raise PermissionError(13, "Permission denied", str(half))
        return real(path, **options)

    monkeypatch.setattr(os, "stat", denied)
    unfinished.remove_unfinished()
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["half"]
    unfinished.remove_unfinished()
    assert half.exists()
