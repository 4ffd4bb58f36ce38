"""From any format to any other, and the new columns with them."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import graphwell as gw
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
    else:
        X = data[["x", "file"]].to_numpy()
        np.savez(path, X=X, pet=np.array(NAMES), extra=np.zeros((2, 2)))
    return path


@pytest.mark.parametrize("target", [".csv", ".tsv", ".parquet", ".npz", ".jsonl", ".xlsx", ".csv.gz"])
@pytest.mark.parametrize("source", [".csv", ".tsv", ".parquet", ".npz", ".jsonl", ".xlsx", ".csv.gz"])
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
        ("t.csv", b"\n\n\n", "nothing but empty lines"),
        ("t.csv", b"a,b\n1,2\n3\n", "line 3: 1 cells where the header has 2; the file is truncated"),
        ("t.csv", b'a,b\n1,"2\n3,4\n', "line 3: a quotation mark is never closed"),
        ("t.csv", b'a,b\n1,"2"x\n', "line 2: ',' expected after '\"'"),
        ("t.csv", b"PK\x03\x04abc", "looks like a zip archive"),
        ("t.csv", b"PAR1abc", "looks like a Parquet file"),
        ("t.csv", b"\x89PNG\r\n", "looks like a PNG picture"),
        ("t.csv", b"a,b\n1,\x00\n", "holds zero bytes"),
        ("t.csv", b"<!DOCTYPE html>", "looks like a page of the web"),
        ("t.csv", b"Sales\n\na,b\n1,2\n", "line 3: 2 cells where the header has 1; remove what stands above"),
        ("t.csv", b"a,b\n1,\x81\n", "not written in UTF-8 or Windows-1252; give its encoding"),
        ("t.csv", b"a,b\n1," + b"x" * 10_000_001, "line 2: field larger than field limit"),
        ("t.npy", b"x", "name the matrix X in a .npz file: numpy.savez"),
        ("t.zarr", b"x", "write these cells as .h5ad"),
        ("t.npz", b"", "t.npz is empty"),
        ("t.npz", b"a,b\n1,2\n", "cannot be read as a .npz file"),
        ("t.npz", b"PK\x03\x04", "cannot be read as a .npz file"),
        ("t.npz", {"y": np.arange(3)}, "needs a matrix X with a row per point; it holds none"),
        ("t.npz", {"X": np.arange(3)}, "one of shape (3,)"),
        ("t.npz", {"X": np.zeros((0, 3))}, "no rows"),
        ("t.npz", {"X": np.array([[None]], dtype=object)}, "the array 'X' holds Python objects"),
        ("t.npz", {"X": np.eye(4), "y": np.arange(3)}, "y has the shape (3,), but X has 4 rows"),
        (
            "t.npz",
            {"X": np.eye(1), "s": np.int32([2**31 - 1]).view("U1")},
            "'s' holds text that is not Unicode",
        ),
        ("t.jsonl", b'{"a": 1}\n{"a": 1', "line 2: this is no JSON"),
        ("t.jsonl", b'{"a": 1}\n[1]', "line 2: a list, where each line must hold one object"),
        ("t.jsonl", b"null", "line 1: a null"),
        ("t.jsonl", b"{}", "no objects with keys"),
        ("t.jsonl", b"\n ", "no objects with keys"),
        ("t.jsonl", b"[" * 100_000, "line 1: this is no JSON"),
        ("t.jsonl", b'{"x": [1, 2], "x0": 3}', "2 columns named 'x0'"),
        ("t.xlsx", b"x", "cannot be read as a spreadsheet"),
        ("t.xlsx", b"PK\x03\x04 and no more", "spreadsheet (.xlsx) without a password: it is damaged"),
        ("t.xlsx", [], "nothing on its first sheet"),
        ("t.xlsx", [["a", "b"]], "a header but no rows"),
        ("t.xlsx", [["a", "a"], [1, 2]], "2 columns named 'a'"),
        ("t.parquet", b"", "t.parquet is empty"),
        ("t.parquet", b"PAR1 and so on PAR1", "cannot be read as a Parquet file"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(tmp_path, name, content, words):
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, dict):
        np.savez(path, **content)
    else:
        pd.DataFrame(content).to_excel(path, index=False, header=False)
    with pytest.raises(ValueError, match=re.escape(name)) as caught:
        gw.read_table(path)
    assert words in str(caught.value)


def test_truncated_files_and_folders_are_refused(tmp_path):
    for suffix in (".parquet", ".npz"):
        path = make(tmp_path, suffix)
        path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
        with pytest.raises(ValueError, match="damaged, truncated or something else"):
            open_table(path)
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OptionError, match=r"^table .*t\.csv is a folder; give the name of a file"):
        open_table(tmp_path / "t.csv")


def test_a_toy_format_is_read_and_written_by_the_program(tmp_path, monkeypatch):
    def read(path, options):
        return read_text(path, replace(options, delimiter="~"))

    def write(table, new, path, file):
        write_text(replace(table, stored=Dialect("~")), new, path, file)

    monkeypatch.setattr(tables, "FORMATS", [*tables.FORMATS, TableFormat((".toy",), read, write)])
    (tmp_path / "in.toy").write_text("x~label\n1~a\n2~\n8~\n9~b\n")
    arguments = ["classify", str(tmp_path / "in.toy"), "-o", str(tmp_path / "out.toy")]
    finished = CliRunner().invoke(app, [*arguments, "--set", "n_neighbors=1", "--jobs", "1"])
    assert finished.exit_code == 0, finished.output
    lines = [line.split("~") for line in (tmp_path / "out.toy").read_text().splitlines()]
    assert lines[0] == ["x", "label", *NEW_NAMES[:4]]
    assert [line[2] for line in lines[1:]] == ["a", "a", "b", "b"]
    (tmp_path / "in.none").touch()
    refused = CliRunner().invoke(app, ["classify", str(tmp_path / "in.none"), *arguments[2:]])
    assert "or .toy" in refused.stderr
