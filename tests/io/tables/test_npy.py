"""Tables in `.npy` files."""

import numpy as np
import pytest

from graphwell.io.tables.base import NewColumns
from graphwell.io.tables.cells import text_column
from graphwell.io.tables.npy import FORMAT, read_npy, write_npy


def labelled(path, like, labels):
    new = NewColumns(like, text_column(labels), np.full(5, 0.5), np.ones(5, bool), np.zeros(5, bool))
    out = path.with_name("out.npy")
    with out.open("wb") as file:
        write_npy(read_npy(path), new, out, file)
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
    assert read_npy(tmp_path / "in.npy").names == ("x", "pet")
    after = labelled(tmp_path / "in.npy", "pet", ["cat", "dog", "", "cat", "dog"])
    assert after.dtype.names[:3] == ("x", "pet", "graphwell_label")
    assert after["graphwell_label"].tolist() == ["cat", "dog", "", "cat", "dog"]


@pytest.mark.parametrize("shape", [(2, 2, 2), (3,), (3, 0)])
def test_an_array_that_is_no_table_is_refused(tmp_path, shape):
    np.save(tmp_path / "cube.npy", np.zeros(shape))
    with pytest.raises(ValueError, match="a table has rows and columns"):
        read_npy(tmp_path / "cube.npy")


def test_the_declaration():
    assert (FORMAT.suffixes, FORMAT.extra) == ((".npy",), None)
