"""Compressed text tables."""

import bz2
import gzip
import lzma

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables.base import NewColumns, ReadingOptions
from graphwell.io.tables.cells import text_column
from graphwell.io.tables.compressed import read_compressed, write_compressed
from graphwell.io.tables.registry import FORMATS
from graphwell.memory import limited_to

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
NEW = NewColumns("pet", text_column(["cat", "dog"]), np.ones(2), np.ones(2, bool), np.ones(2, bool))


def packed(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(PACKERS[path.suffix](text.encode()))
    return path


@pytest.mark.parametrize("end", PACKERS)
@pytest.mark.parametrize(("kind", "delimiter"), [(".csv", ";"), (".tsv", "\t")])
def test_tables_survive_in_their_dialect(tmp_path, kind, delimiter, end):
    text = f"weight{delimiter}pet\r\n4,5{delimiter}cat\r\n30{delimiter}dog\r\n"
    path = packed(tmp_path, f"in{kind}{end}", text)
    table = FORMATS.of(path, "table").read(path, ReadingOptions())
    assert table.path == path
    assert table.names == ("weight", "pet")
    output = tmp_path / f"out{kind}{end}"
    with output.open("wb") as file:
        write_compressed(table, NEW, output, file)
    again = read_compressed(output)
    assert again.dialect == table.dialect
    assert again.column("graphwell_label").tolist() == ["cat", "dog"]
    assert again.column("weight").tolist() == ["4,5", "30"]


def test_equal_tables_are_equal_files(tmp_path):
    table = read_compressed(packed(tmp_path, "in.csv.gz", "x,pet\n1,cat\n2,dog\n"))
    for name in ("one.csv.gz", "two.csv.gz"):
        with (tmp_path / name).open("wb") as file:
            write_compressed(table, NEW, tmp_path / name, file)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()


@pytest.mark.parametrize("end", PACKERS)
@pytest.mark.parametrize("harm", ["cut", "other"])
def test_damaged_files_are_told(tmp_path, end, harm):
    path = packed(tmp_path, f"in.csv{end}", "x,pet\n" + "1,cat\n" * 1000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if harm == "cut" else b"x,pet\n1,cat\n")
    with pytest.raises(ValueError, match=r"in\.csv.* cannot be unpacked: it is damaged"):
        read_compressed(path)


def test_what_would_not_fit_is_refused_while_it_is_unpacked(tmp_path):
    path = packed(tmp_path, "in.csv.xz", "x\n" * 30_000_000)
    assert path.stat().st_size < 100_000
    with limited_to(10**7), pytest.raises(OptionError, match=r"in\.csv\.xz needs about 1\d\.\d MB"):
        read_compressed(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("x,y\n", "a header but no rows"),
        ("x,y\n1\n", "line 2: 1 cells"),
        ("x,x\n1,2\n", "2 columns"),
    ],
)
def test_errors_name_the_file_of_the_user(tmp_path, text, told):
    path = packed(tmp_path, "in.csv.gz", text)
    with pytest.raises(ValueError, match=told) as caught:
        read_compressed(path)
    assert str(path) in str(caught.value)


def test_a_name_that_is_nothing_but_an_ending_is_no_name(tmp_path):
    with pytest.raises(OptionError, match="the name must end in"):
        FORMATS.of(tmp_path / ".csv.gz", "table")
    with pytest.raises(OptionError, match="the name must end in"):
        FORMATS.of(tmp_path / "in.docx.gz", "table")
