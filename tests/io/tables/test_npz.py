"""Tables in `.npz` files."""

import numpy as np
import pytest

from graphwell.io.tables.base import NewColumns
from graphwell.io.tables.cells import text_column
from graphwell.io.tables.npz import read_npz, write_npz


def labelled(path, like, labels):
    new = NewColumns(like, text_column(labels), np.full(5, 0.5), np.ones(5, bool), np.zeros(5, bool))
    out = path.with_name("out.npz")
    with out.open("wb") as file:
        write_npz(read_npz(path), new, out, file)
    return np.load(out)


@pytest.mark.parametrize(("dtype", "none"), [(np.int64, -1), (np.float64, np.nan)])
def test_number_labels_stay_numbers(tmp_path, dtype, none):
    np.savez(tmp_path / "in.npz", X=np.zeros((5, 2)), y=np.array([0, 1, 2, 0, 1]).astype(dtype))
    after = labelled(tmp_path / "in.npz", "y", ["0", "2", "", "0", "1"])["graphwell_label"]
    assert after.dtype == dtype
    np.testing.assert_array_equal(after, np.array([0, 2, none, 0, 1]))


def test_every_array_goes_back_as_it_came(tmp_path):
    arrays = {"X": np.eye(5), "y": np.arange(5), "pairs": np.zeros((2, 2))}
    np.savez(tmp_path / "in.npz", **arrays)
    assert read_npz(tmp_path / "in.npz").names == ("X0", "X1", "X2", "X3", "X4", "y")
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
        read_npz(tmp_path / "t.npz")


def test_labels_of_another_length_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(4), y=np.arange(3))
    with pytest.raises(ValueError, match=r"y has the shape \(3,\), but X has 4 rows"):
        read_npz(tmp_path / "t.npz")
