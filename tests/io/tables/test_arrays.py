"""Tables in `.npy` and `.npz` files."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.io.tables import NewColumns, open_table, write_table
from graphwell.io.tables.cells import text_column


def labelled(path, like, labels):
    new = NewColumns(like, text_column(labels), np.full(5, 0.5), np.ones(5, bool), np.zeros(5, bool))
    out = path.with_name(f"out{path.suffix}")
    with out.open("wb") as file:
        write_table(open_table(path), new, out, file)
    return np.load(out)


@pytest.mark.parametrize(("dtype", "none"), [(np.int64, -1), (np.float64, np.nan)])
def test_number_labels_stay_numbers(tmp_path, dtype, none):
    y = np.array([0, 1, 2, 0, 1]).astype(dtype)
    np.save(tmp_path / "in.npy", np.column_stack([y, y, y]))
    after = labelled(tmp_path / "in.npy", "2", ["0", "2", "", "0", "1"])["graphwell_label"]
    assert after.dtype == dtype
    np.testing.assert_array_equal(after, np.array([0, 2, none, 0, 1]))


def test_a_structured_array_has_named_columns(tmp_path):
    rows = [(0.5, "cat"), (1.5, "dog"), (2.5, ""), (3.5, "cat"), (4.5, "dog")]
    np.save(tmp_path / "in.npy", np.array(rows, dtype=[("x", float), ("pet", "U3")]))
    assert open_table(tmp_path / "in.npy").names == ("x", "pet")
    after = labelled(tmp_path / "in.npy", "pet", ["cat", "dog", "", "cat", "dog"])
    assert after.dtype.names[:3] == ("x", "pet", "graphwell_label")
    assert after["graphwell_label"].tolist() == ["cat", "dog", "", "cat", "dog"]


@pytest.mark.parametrize("shape", [(2, 2, 2), (3,), (3, 0)])
def test_an_array_that_is_no_table_is_refused(tmp_path, shape):
    np.save(tmp_path / "cube.npy", np.zeros(shape))
    with pytest.raises(ValueError, match="a table has rows and columns"):
        open_table(tmp_path / "cube.npy")


@pytest.mark.parametrize(("dtype", "none"), [(np.int64, -1), (np.float64, np.nan)])
def test_number_labels_stay_numbers_in_an_archive(tmp_path, dtype, none):
    np.savez(tmp_path / "in.npz", X=np.zeros((5, 2)), y=np.array([0, 1, 2, 0, 1]).astype(dtype))
    after = labelled(tmp_path / "in.npz", "y", ["0", "2", "", "0", "1"])["graphwell_label"]
    assert after.dtype == dtype
    np.testing.assert_array_equal(after, np.array([0, 2, none, 0, 1]))


def test_every_array_goes_back_as_it_came(tmp_path):
    arrays = {"X": np.eye(5), "y": np.arange(5), "pairs": np.zeros((2, 2))}
    np.savez(tmp_path / "in.npz", **arrays)
    assert open_table(tmp_path / "in.npz").names == ("X0", "X1", "X2", "X3", "X4", "y")
    after = labelled(tmp_path / "in.npz", "y", ["0", "1", "2", "3", "4"])
    np.testing.assert_array_equal(after["pairs"], arrays["pairs"])
    assert after["graphwell_label"].tolist() == [0, 1, 2, 3, 4]
    assert list(after)[:3] == ["X", "y", "pairs"]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"y": np.arange(3)}, "needs a matrix X with a row per point; it holds none"),
        ({"X": np.arange(3)}, r"one of shape \(3,\)"),
        ({"X": np.zeros((0, 3))}, "no rows"),
        ({"X": np.array([[None]], dtype=object)}, "the array 'X' holds Python objects"),
    ],
)
def test_arrays_that_are_no_table_are_refused(tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(ValueError, match=words):
        open_table(tmp_path / "t.npz")


def test_labels_of_another_length_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(4), y=np.arange(3))
    with pytest.raises(ValueError, match=r"y has the shape \(3,\), but X has 4 rows"):
        open_table(tmp_path / "t.npz")


def test_numbers_stay_numbers_and_the_rest_becomes_text(tmp_path):
    columns = {"n": [1, 2], "x": [0.5, np.nan], "s": ["a", ""], "raw": [b"\xc3\xa4", b"b"], "c": [1j, 2j]}
    np.savez(tmp_path / "t.npz", X=np.zeros((2, 1)), **columns)
    frame = gw.read_table(tmp_path / "t.npz")
    assert [frame[name].dtype.kind for name in columns] == ["i", "f", "O", "O", "O"]
    assert frame["raw"].tolist() == ["ä", "b"]
    assert frame["c"].tolist() == ["1j", "2j"]
    assert frame["s"].isna().tolist() == [False, True]


def test_text_that_is_not_unicode_is_refused(tmp_path):
    wrong = np.frombuffer(np.array([0x7FFFFFFF], dtype=np.uint32).tobytes(), dtype="U1")
    np.savez(tmp_path / "t.npz", X=np.zeros((1, 1)), s=wrong)
    with pytest.raises(ValueError, match="column 's' holds text that is not Unicode"):
        gw.read_table(tmp_path / "t.npz")
