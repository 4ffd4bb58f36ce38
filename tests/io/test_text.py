"""Text tables as people write them, packed or not."""

import bz2
import csv
import gzip
import io
import lzma
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwell as gw
from graphwell import memory
from graphwell.errors import OptionError
from graphwell.io.cells import NEW_NAMES
from graphwell.io.tables import open_table
from graphwell.io.text import Reading, write_text
from graphwell.memory import limited_to
from tests.io.helpers import new_columns

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def written(tmp_path, content, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rewritten(table, name="out.csv", **columns):
    file = io.BytesIO()
    write_text(table, new_columns(table.names[0], ["x"] * table.n_rows, **columns), Path(name), file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "delimiter"),
    [
        ("name,x,y\na b,1.5,2\n", "a.csv", ","),
        ("name\tx\ty\na b\t1.5\t2\n", "a.csv", "\t"),
        ("name|x|y\na b|1.5|2\n", "a.txt", "|"),
        ("x;y\n1,5;2,5\n3,5;4\n", "a.csv", ";"),
        ('x,y\n"a;b",1\n"c;d",2\n', "a.csv", ","),
        ("x\ty, z\n1\t2, 3\n", "a.tsv", "\t"),
        ("only\n1\n2\n", "a.csv", ","),
    ],
)
def test_the_delimiter_is_found(tmp_path, content, name, delimiter):
    assert open_table(written(tmp_path, content, name)).stored.delimiter == delimiter


def test_what_spreadsheets_export_is_read(tmp_path):
    table = open_table(written(tmp_path, "sep=|\r\na|b||\r\n1|x||\r\n2|y||\r\n"))
    assert (table.names, table.stored.delimiter) == (("a", "b"), "|")
    assert rewritten(table).splitlines()[1] == b"1|x|x|0.5|true|false"
    with pytest.raises(ValueError, match="line 4: 1 cells where the header has 2"):
        open_table(written(tmp_path, "sep=;\na;b\n1;2\n3\n"))


def test_a_first_line_that_may_be_a_row_is_asked_about(tmp_path):
    with pytest.warns(UserWarning, match=r"called 5\.1, 3, rose: if its first line is a row"):
        gw.read_table(written(tmp_path, "5.1,3,rose\n4.9,3.1,\n"))


def test_a_sample_that_ends_within_a_row_does_not_mislead(tmp_path):
    rows = ["a;b;c"] + [f"{i};{'x' * 2000};{i},5" for i in range(60)]
    table = open_table(written(tmp_path, "\n".join(rows)))
    assert (table.n_rows, table.names) == (60, ("a", "b", "c"))
    assert len(open_table(written(tmp_path, "a,b\n1," + "x" * 200_000)).text("b")[0]) == 200_000


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_the_encoding_is_found_and_kept(tmp_path, encoding):
    table = open_table(written(tmp_path, "größe,label\n1,ä\n2,\n".encode(encoding)))
    assert table.names == ("größe", "label")
    assert table.column("label").tolist() == ["ä", ""]
    assert table.stored.encoding == encoding
    assert rewritten(table).decode(encoding).splitlines()[1] == "1,ä,x,0.5,true,false"


def test_what_is_given_is_used_and_what_is_not_known_refused(tmp_path):
    path = written(tmp_path, "a,1\tb:c\n1,5\tж\n".encode("koi8-r"))
    for name in ("tab", "\\t"):
        found = gw.read_table(path, delimiter=name, encoding="koi8-r")
        assert (list(found), found["b:c"].tolist()) == (["a,1", "b:c"], ["ж"])
    assert list(gw.read_table(written(tmp_path, "a:b\n1:2\n", "b.csv"), delimiter=":")) == ["a", "b"]
    for wrong in ("", ",,", '"', "\n"):
        with pytest.raises(OptionError, match=r"^delimiter must be one character"):
            gw.read_table(path, delimiter=wrong)
    for wrong in ("klingon", "base64"):
        with pytest.raises(OptionError, match=f"^encoding {wrong} is not known"):
            gw.read_table(path, encoding=wrong)


def test_the_name_of_the_output_decides_on_tabs(tmp_path):
    semicolons = open_table(written(tmp_path, "a;b\n1;2\n"))
    assert rewritten(semicolons, "out.csv").splitlines()[1].startswith(b"1;2;")
    assert rewritten(semicolons, "out.tsv").splitlines()[1].startswith(b"1\t2\t")
    tabs = open_table(written(tmp_path, "a\tb\r\n1\t2\r\n", "in.tsv"))
    assert rewritten(tabs, "out.csv").endswith(b"1,2,x,0.5,true,false\r\n")
    assert b"\r" not in rewritten(semicolons)


def test_scores_have_four_digits_and_the_decimal_mark_of_the_file(tmp_path):
    for content, expected in (("a;b\n1,5;2\n", b"1,5;2;x;0,1235;"), ("a,b\n1.5,2\n", b"1.5,2,x,0.1235,")):
        text = rewritten(open_table(written(tmp_path, content)), score=np.array([0.123456]))
        assert text.splitlines()[1].startswith(expected)


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4).flatmap(lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=6)))
def test_every_cell_comes_back_as_it_was(rows):
    names = [f"c{i}" for i in range(len(rows[0]))]
    content = io.StringIO(newline="")
    csv.writer(content, lineterminator="\n").writerows([names, *rows])
    with tempfile.TemporaryDirectory() as folder:
        before = open_table(written(Path(folder), content.getvalue()), Reading(","))
        after = open_table(written(Path(folder), rewritten(before)), Reading(","))
    assert after.names == (*names, *NEW_NAMES[:4])
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        assert after.text(name).tolist() == list(column)


def test_columns_of_numbers_are_numbers_and_the_rest_stays_as_it_is_written(tmp_path):
    lines = [
        "size;count;zip;price;open;note;big",
        "1,5;1;02139;1.234;yes;;1,234",
        "0,25;2;10115;7;no;NA;2,345",
    ]
    frame = gw.read_table(written(tmp_path, "\n".join([*lines, ";;;;;x;"])))
    assert [kind.kind for kind in frame.dtypes] == ["f", "f", "O", "f", "O", "O", "O"]
    assert frame["size"].tolist()[:2] == [1.5, 0.25]
    assert frame["zip"].tolist()[:2] == ["02139", "10115"]
    assert frame["note"].isna().tolist() == [True, False, False]
    assert frame["price"].tolist()[0] == 1.234
    assert frame["big"].tolist()[:2] == ["1,234", "2,345"]  # thousands, or not: the encoder looks
    assert gw.read_table(tmp_path / "table.csv", decimal=",")["big"].tolist()[:2] == [1.234, 2.345]


# ------------------------------------------------------------------------------------------------- packed


def packed(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(PACKERS[path.suffix](text.encode()))
    return path


@pytest.mark.parametrize("end", PACKERS)
@pytest.mark.parametrize("harm", ["cut", "other"])
def test_damaged_files_are_told(tmp_path, end, harm):
    path = packed(tmp_path, f"in.csv{end}", "x,pet\n" + "1,cat\n" * 1000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if harm == "cut" else b"x,pet\n1,cat\n")
    with pytest.raises(ValueError, match=r"in\.csv.* cannot be read as a packed table: it is damaged"):
        gw.read_table(path)


@pytest.mark.parametrize("name", ["in.csv.gz", "in.csv.bz2", "in.csv.xz", "in.npz", "in.xlsx"])
def test_bombs_are_refused_unless_the_user_says_how_much_memory_they_may_take(tmp_path, monkeypatch, name):
    path = tmp_path / name
    if name == "in.npz":
        np.savez_compressed(path, X=np.zeros((200_000, 2)))
    elif name == "in.xlsx":
        pd.DataFrame({"x": [0] * 2000}).to_excel(path, index=False)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as book:
            book.writestr("xl/media/picture.png", bytes(5_000_000))
    else:
        packed(tmp_path, name, "x\n" + "0\n" * 600_000)
    monkeypatch.setattr(memory, "LITTLE", 10**6)
    with pytest.raises(OptionError, match=f"{name} unpacks from .* with max_memory"):
        gw.read_table(path)
    assert len(gw.read_table(path, max_memory="2GB")) >= 2000


def test_what_would_not_fit_is_refused_while_it_is_unpacked(tmp_path):
    path = packed(tmp_path, "in.csv.xz", "x\n" * 30_000_000)
    assert path.stat().st_size < 100_000
    with limited_to(10**7), pytest.raises(OptionError, match=r"in\.csv\.xz needs about 1\d\.\d MB"):
        gw.read_table(path)
