"""From any format to any other, and the answers with them."""

import datetime
import sys

import numpy as np
import pandas as pd
import pytest

from graphwell.io.files import written_whole
from graphwell.io.tables import read_table, write_table
from graphwell.io.tables.base import NEW_COLUMNS, Answers, as_text, text_column

NAMES = ["cat", "dog", "cat", "", "dog"]


def frame():
    return pd.DataFrame(
        {"x": [0.5, 1.5, np.nan, 3.5, 4.5], "file": [1, 2, 3, 4, 5], "pet": [name or None for name in NAMES]}
    )


def make(tmp_path, suffix):
    path = tmp_path / f"in{suffix}"
    data = frame()
    if suffix in (".csv", ".tsv"):
        data.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    elif suffix == ".parquet":
        data.to_parquet(path, index=False)
    elif suffix == ".npz":
        X = data[["x", "file"]].to_numpy()
        np.savez(path, X=X, pet=np.array(NAMES), extra=np.zeros((2, 2)))
    else:
        kinds = [("x", float), ("file", int), ("pet", "U3")]
        np.save(path, np.array(list(zip(data.x, data.file, NAMES, strict=True)), dtype=kinds))
    return path


def answers():
    labels = text_column(["cat", "dog", "cat", "", "dog"])
    score = np.array([0.9, 0.8, 1.0, np.nan, 0.25])
    reachable = np.array([True, True, True, False, True])
    return Answers("pet", labels, score, reachable, np.array([True, True, False, False, True]))


def labelled(tmp_path, source, target, found=None):
    path = tmp_path / f"out{target}"
    with written_whole(path) as file:
        write_table(read_table(source), found or answers(), path, file)
    return path


@pytest.mark.parametrize("target", [".csv", ".tsv", ".parquet", ".npz", ".npy"])
@pytest.mark.parametrize("source", [".csv", ".tsv", ".parquet", ".npz", ".npy"])
def test_rows_columns_and_answers_survive(tmp_path, source, target):
    before = read_table(make(tmp_path, source))
    after = cells_of(labelled(tmp_path, before.path, target))
    if source == target == ".npz":
        assert set(after) == {"X", "pet", "extra", *NEW_COLUMNS}
    else:
        assert list(after) == [*before.names, *NEW_COLUMNS]
        for name in before.names:
            assert after[name].tolist() == as_text(before.column(name)).tolist()
    assert after["graphwell_label"].tolist() == ["cat", "dog", "cat", "", "dog"]
    assert after["graphwell_score"].tolist() == ["0.9", "0.8", "1", "", "0.25"]
    assert after["graphwell_reachable"].tolist() == ["true", "true", "true", "false", "true"]
    assert after["graphwell_given"].tolist() == ["true", "true", "false", "false", "true"]


def cells_of(path):
    """Every column of a file as text; arrays of a .npz file one by one."""
    if path.suffix != ".npz":
        table = read_table(path)
        return {name: as_text(table.column(name)) for name in table.names}
    with np.load(path) as arrays:
        return {
            name: as_text(
                text_column(arrays[name].tolist()) if arrays[name].dtype.kind == "U" else arrays[name]
            )
            for name in arrays.files
        }


def test_a_parquet_table_keeps_its_types(tmp_path):
    data = frame().assign(
        when=datetime.datetime(2020, 1, 2),
        tags=[["a"], [], ["b", "c"], [], []],
        big=2**62 + np.arange(5),
        level=pd.Series([1, 2, None, 1, 2], dtype="Int64"),
        flag=[True, False, None, True, True],
        kind=pd.Categorical(["u", "v", "u", None, "v"]),
    )
    data.to_parquet(tmp_path / "in.parquet")
    table = read_table(tmp_path / "in.parquet")
    assert table.column("when")[0].startswith("2020-01-02")
    assert table.column("kind").tolist() == ["u", "v", "u", "", "v"]
    np.testing.assert_array_equal(table.column("level"), [1, 2, np.nan, 1, 2])
    found = Answers("level", text_column(["1", "2", "", "1", "2"]), *_rest())
    after = pd.read_parquet(labelled(tmp_path, tmp_path / "in.parquet", ".parquet", found))
    pd.testing.assert_frame_equal(after[data.columns], data)
    assert after["graphwell_label"].tolist()[:2] == [1, 2]
    assert pd.isna(after["graphwell_label"][2])


def _rest():
    return np.full(5, 0.5), np.ones(5, bool), np.zeros(5, bool)


@pytest.mark.parametrize("suffix", [".npz", ".npy"])
@pytest.mark.parametrize(("dtype", "none"), [(np.int64, -1), (np.float64, np.nan)])
def test_number_labels_stay_numbers_in_arrays(tmp_path, suffix, dtype, none):
    X, y = np.random.default_rng(0).normal(size=(5, 2)), np.array([0, 1, 2, 0, 1]).astype(dtype)
    path = tmp_path / f"in{suffix}"
    if suffix == ".npz":
        np.savez(path, X=X, y=y)
    else:
        np.save(path, np.column_stack([X, y]) if dtype == np.float64 else np.column_stack([y, y, y]))
    like = "y" if suffix == ".npz" else "2"
    found = Answers(like, text_column(["0", "2", "", "0", "1"]), *_rest())
    after = np.load(labelled(tmp_path, path, suffix, found))["graphwell_label"]
    assert after.dtype == dtype
    np.testing.assert_array_equal(after, np.array([0, 2, none, 0, 1]))


def test_answers_of_an_earlier_run_are_replaced(tmp_path):
    path = labelled(tmp_path, make(tmp_path, ".csv"), ".csv")
    again = tmp_path / "again.csv"
    with written_whole(again) as file:
        write_table(read_table(path), answers(), again, file)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.xlsx", b"x", "the name must end in"),
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
        read_table(tmp_path / name)


def test_truncated_files_are_refused(tmp_path):
    for suffix in (".parquet", ".npz", ".npy"):
        path = make(tmp_path, suffix)
        path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
        with pytest.raises(ValueError, match="damaged, truncated or something else"):
            read_table(path)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"y": np.arange(3)}, "needs a matrix X with a row per point; it holds none"),
        ({"X": np.arange(3)}, r"one of shape \(3,\)"),
        ({"X": np.zeros((0, 3))}, "no rows"),
        ({"X": np.array([[None]], dtype=object)}, "cannot be read as a .npz"),
    ],
)
def test_arrays_that_are_no_table_are_refused(tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(ValueError, match=words):
        read_table(tmp_path / "t.npz")


def test_arrays_under_the_wrong_ending_are_refused(tmp_path):
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\); a table has rows and columns"):
        read_table(tmp_path / "cube.npy")
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"rename it to \.npz"):
        read_table(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.eye(2))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    with pytest.raises(ValueError, match=r"rename it to \.npy"):
        read_table(tmp_path / "b.npz")


def test_without_pyarrow_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "t.parquet").write_bytes(b"x")
    with pytest.raises(ImportError, match=r'pip install "graphwell\[parquet\]"'):
        read_table(tmp_path / "t.parquet")
