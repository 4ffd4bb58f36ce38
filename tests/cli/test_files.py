"""Files that are not there are told by name; standard input, folders and links are left to those who read."""

from pathlib import Path

import pytest

from graphwell.cli._files import refuse_missing


def is_refused(path):
    try:
        refuse_missing(path)
    except FileNotFoundError:
        return True
    return False


def test_only_what_is_not_there_is_refused(tmp_path):
    table, loop = tmp_path / "table.csv", tmp_path / "loop.csv"
    table.write_text("x\n1\n")
    loop.symlink_to(loop)
    paths = (table, tmp_path, Path("-"), loop, tmp_path / "missing.csv")
    assert [is_refused(path) for path in paths] == [False, False, False, False, True]


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        refuse_missing(tmp_path / "missing.csv")
    assert error.value.filename == str(tmp_path / "missing.csv")
    assert error.value.strerror
