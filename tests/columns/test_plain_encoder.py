"""The encoder that jobs use before scikit-learn is imported: the same matrix as that of `TableEncoder`."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from graphwell.columns.cells import ColumnCells
from graphwell.columns.encoder import TableEncoder
from graphwell.columns.plain_encoder import PlainEncoder, digest
from graphwell.columns.scale import shift_and_factor
from graphwell.io.tables.cells import text_column

TABLE = {
    "size": ["1,5", "2", "", "4,25"],
    "colour": ["red", "blue", "red", "blue"],
    "when": ["2024-01-01", "2024-05-01", "2024-07-01", "2025-01-01"],
    "same": ["x"] * 4,
}


def test_it_is_the_public_encoder_without_its_base_class():
    plain, public = PlainEncoder(), TableEncoder()
    np.testing.assert_array_equal(plain.fit_transform(TABLE), public.fit_transform(TABLE))
    assert plain.fates_ == public.fates_
    assert plain.outputs_ == tuple(public.get_feature_names_out())
    assert "same" not in plain.encoders_


def test_the_public_encoder_has_its_parameters():
    assert TableEncoder(drop=["size"]).get_params()["drop"] == ["size"]
    assert set(vars(PlainEncoder())) == set(TableEncoder().get_params())


@pytest.mark.parametrize("standardise", [False, True])
def test_the_matrix_is_that_of_all_columns_beside_each_other(standardise):
    numbers = np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)
    table = {**TABLE, "single": numbers[:, 0], "double": numbers[:, 1].astype(float), "gap": [1, None, 3, 4]}
    encoder = PlainEncoder(standardise=standardise)
    found = encoder.fit_transform(table)
    cells = ColumnCells(table)
    expected = np.column_stack([made.encode(cells[name]) for name, made in encoder.encoders_.items()])
    if standardise:
        shift, factor = shift_and_factor(expected, np.array(encoder.kinds_))
        expected = (expected - shift) * factor
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(TableEncoder(standardise=standardise).fit(table).transform(table), found)


def single_precision(n, d):
    X = np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)
    return X, {f"f{place}": np.ascontiguousarray(X[:, place]) for place in range(d)}


def test_frames_of_any_library_stay_in_single_precision():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X, columns = single_precision(50, 3)
    with_gap = {**columns, "f1": pyarrow.array(columns["f1"], mask=np.arange(50) == 7)}
    for make in (pd.DataFrame, polars.DataFrame, pyarrow.table, pyarrow.RecordBatch.from_pydict):
        found = TableEncoder().fit_transform(make(columns))
        np.testing.assert_array_equal(found, X)
        assert found.dtype == np.float32
    gap = TableEncoder(missing="keep").fit_transform(pyarrow.table(with_gap))
    assert (gap.dtype, np.argwhere(np.isnan(gap)).tolist()) == (np.float32, [[7, 1]])


def test_no_column_is_in_memory_beside_the_matrix_for_long():
    pyarrow = pytest.importorskip("pyarrow")
    n, d = 20_000, 30
    X, columns = single_precision(n, d)
    for frame in (pyarrow.table(columns), pd.DataFrame(X, columns=list(columns)), columns):
        tracemalloc.start()
        TableEncoder().fit_transform(frame)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes + 10 * 8 * n


def test_a_copy_is_found_whatever_its_type_and_a_column_that_differs_in_one_cell_is_none():
    rng = np.random.default_rng(0)
    first = np.where(np.arange(40) == 3, np.nan, rng.normal(size=40).astype(np.float32).astype(float))
    words = rng.choice(["u", "v", "w"], 40).astype(object)
    days = pd.date_range("2024-01-01", periods=40, freq="37h").to_numpy()
    other = first.copy()
    other[20] += 1
    table = {
        "a": first, "b": first.astype(np.float32), "c": other, "d": words, "e": words.copy(),
        "f": days, "g": days.astype("datetime64[us]"),
    }  # fmt: skip
    fates = {fate.name: str(fate.became) for fate in PlainEncoder().fit(table).fates_}
    copies = {name: said for name, said in fates.items() if "a copy of" in said}
    assert copies == {
        name: f"left out: a copy of {of!r}" for name, of in (("b", "a"), ("e", "d"), ("g", "f"))
    }


def test_equal_columns_have_one_digest():
    assert digest(text_column(["a", ""])) == digest(text_column(["a", ""]))
    assert digest(np.array([1.0, 2.0])) != digest(np.array([2.0, 1.0]))
    assert digest(np.array([np.inf, -0.0])) == digest(np.array([np.inf, 0.0], dtype=np.float32))
