"""From any format to any other, and the new columns with them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app
from graphwell.errors import OptionError
from graphwell.io import tables
from graphwell.io.cells import NEW_NAMES, as_text, text_column
from graphwell.io.tables import TableFormat, open_table
from graphwell.io.text import Dialect, read_text, write_text
from tests.io.helpers import labelled, new_columns

NAMES = ["cat", "dog", "cat", "", "dog"]


def frame():
    return pd.DataFrame(
        {"x": [0.5, 1.5, np.nan, 3.5, 4.5], "file": [1, 2, 3, 4, 5], "pet": [name or None for name in NAMES]}
    )


def make(tmp_path, suffix):
    path = tmp_path / f"in{suffix}"
    data = frame()
    if suffix in (".csv", ".tsv", ".csv.gz"):
        data.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    elif suffix == ".parquet":
        data.to_parquet(path, index=False)
    elif suffix == ".jsonl":
        data.to_json(path, orient="records", lines=True)
    elif suffix == ".xlsx":
        data.to_excel(path, index=False)
    elif suffix == ".npz":
        X = data[["x", "file"]].to_numpy()
        np.savez(path, X=X, pet=np.array(NAMES), extra=np.zeros((2, 2)))
    else:
        kinds = [("x", float), ("file", int), ("pet", "U3")]
        np.save(path, np.array(list(zip(data.x, data.file, NAMES, strict=True)), dtype=kinds))
    return path


@pytest.mark.parametrize("target", [".csv", ".tsv", ".parquet", ".npz", ".npy", ".jsonl", ".xlsx", ".csv.gz"])
@pytest.mark.parametrize("source", [".csv", ".tsv", ".parquet", ".npz", ".npy", ".jsonl", ".xlsx", ".csv.gz"])
def test_rows_columns_and_new_columns_survive(tmp_path, source, target):
    before = open_table(make(tmp_path, source))
    new = new_columns(
        "pet",
        NAMES,
        score=np.array([0.9, 0.8, 1.0, np.nan, 0.25]),
        reachable=np.array([True, True, True, False, True]),
        given=np.array([True, True, False, False, True]),
    )
    after = cells_of(labelled(before.path, new, target))
    if source == target == ".npz":
        assert set(after) == {"X", "pet", "extra", *NEW_NAMES[:4]}
    else:
        assert list(after) == [*before.names, *NEW_NAMES[:4]]
        for name in before.names:
            assert after[name].tolist() == as_text(before.column(name)).tolist()
    assert after["graphwell_label"].tolist() == ["cat", "dog", "cat", "", "dog"]
    assert after["graphwell_score"].tolist() == ["0.9", "0.8", "1", "", "0.25"]
    assert after["graphwell_reachable"].tolist() == ["true", "true", "true", "false", "true"]
    assert after["graphwell_given"].tolist() == ["true", "true", "false", "false", "true"]


def cells_of(path):
    """Every column of a file as text; arrays of a .npz file one by one."""
    if path.suffix != ".npz":
        table = open_table(path)
        return {name: as_text(table.column(name)) for name in table.names}
    with np.load(path) as arrays:
        return {
            name: as_text(
                text_column(arrays[name].tolist()) if arrays[name].dtype.kind == "U" else arrays[name]
            )
            for name in arrays.files
        }


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.docx", b"x", "the name must end in"),
        (".csv.gz", b"x", "the name must end in"),
        ("t.jpg", b"x", "is a picture, and no table: graphwell segment gives classes to its pixels"),
        ("t.json", b"x", "write one object a line, as .jsonl"),
        ("t.xls", b"x", "save this spreadsheet as .xlsx or .csv"),
        ("t.xlsx", b"x", "cannot be read as a spreadsheet"),
        ("t.npy", b"", "t.npy is empty"),
        ("t.npy", b"a,b\n1,2\n", "cannot be read as a .npy file"),
        ("t.npz", b"PK\x03\x04", "cannot be read as a .npz file"),
        ("t.parquet", b"", "t.parquet is empty"),
        ("t.parquet", b"PAR1 and so on PAR1", "cannot be read as a Parquet file"),
    ],
)
def test_files_that_are_not_what_they_say_are_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words):
        open_table(tmp_path / name)


def test_truncated_files_and_folders_are_refused(tmp_path):
    for suffix in (".parquet", ".npz", ".npy"):
        path = make(tmp_path, suffix)
        path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
        with pytest.raises(ValueError, match="damaged, truncated or something else"):
            open_table(path)
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OptionError, match=r"^table .*t\.csv is a folder; give the name of a file"):
        open_table(tmp_path / "t.csv")


@pytest.fixture
def toy(monkeypatch):
    """Cells beside each other, rows below each other, whatever they hold."""

    def read(path, options):
        return read_text(path, replace(options, delimiter="~"))

    def write(table, new, path, file):
        write_text(replace(table, stored=Dialect("~")), new, path, file)

    monkeypatch.setattr(tables, "FORMATS", [*tables.FORMATS, TableFormat((".toy",), read, write)])


def test_a_toy_format_is_read_and_written_by_the_program(tmp_path, toy):
    (tmp_path / "in.toy").write_text("x~label\n1~a\n2~\n8~\n9~b\n")
    arguments = ["classify", str(tmp_path / "in.toy"), "-o", str(tmp_path / "out.toy")]
    finished = CliRunner().invoke(app, [*arguments, "--set", "n_neighbors=1", "--jobs", "1"])
    assert finished.exit_code == 0, finished.output
    lines = [line.split("~") for line in (tmp_path / "out.toy").read_text().splitlines()]
    assert lines[0] == ["x", "label", *NEW_NAMES[:4]]
    assert [line[2] for line in lines[1:]] == ["a", "a", "b", "b"]
    refused = CliRunner().invoke(
        app, ["classify", str(tmp_path / "in.none"), "-o", str(tmp_path / "out.toy")]
    )
    assert "or .toy" in refused.stderr
