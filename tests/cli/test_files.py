"""Files that are not there are told by name; standard input and folders are left to those who read."""

from pathlib import Path

import pytest

from graphwell.cli._files import refuse_missing


def test_what_is_there_passes(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x\n1\n")
    for path in (table, tmp_path, Path("-")):
        refuse_missing(path)


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        refuse_missing(tmp_path / "missing.csv")
    assert error.value.filename == str(tmp_path / "missing.csv")
    assert error.value.strerror
