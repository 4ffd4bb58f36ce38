"""A table of any columns as a matrix."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from graphwell.encoders.columns import WORTH_OF_STEPS, shift_and_factor
from graphwell.encoders.table import TableEncoder
from graphwell.errors import OptionError

RNG = np.random.default_rng(0)


def table(n=40):
    """A table as people bring it."""
    fare = [f"{value:.2f}".replace(".", ",") for value in RNG.gamma(2, 20, n)]
    fare[16] = "47,2?"
    return pd.DataFrame(
        {
            "id": [f"P{i:04}" for i in range(n)],
            "number": np.arange(1, n + 1),
            "age": np.where(np.arange(n) % 5 == 0, np.nan, RNG.normal(40, 10, n)),
            "fare": fare,
            "sex": np.where(RNG.random(n) < 0.5, "male", "female"),
            "alone": RNG.random(n) < 0.5,
            "port": "Cork",
            "again": fare,
            "boarded": [f"{1 + i % 28}.04.1912" for i in range(n)],
            "name": [
                f"{a} the {b}, of {c}" for a, b, c in RNG.choice(["Anna", "Bert", "Cora", "Dora"], (n, 3))
            ],
            "remark": [None] * n,
            "truth": RNG.integers(0, 2, n),
        }
    )


def test_every_column_is_told_what_became_of_it():
    encoder = TableEncoder().fit(table())
    told = {treatment.name: str(treatment.became) for treatment in encoder.treatments_}
    assert told == {
        "id": "left out: every row has its own",
        "number": "left out: it counts the rows",
        "age": "one feature; 8 missing, marked",
        "fare": "one feature; 39 of 40 cells are numbers; row 17 is '47,2?'",
        "sex": "2 indicators",
        "alone": "yes or no",
        "port": "left out: it has one value only",
        "again": "left out: a copy of 'fare'",
        "boarded": "days",
        "name": "5 numbers",
        "remark": "left out: it holds no value",
        "truth": "left out: its name says that it is the truth; features uses it after all",
    }
    assert {treatment.name for treatment in encoder.treatments_ if treatment.warns} == {"fare", "truth"}
    X = encoder.transform(table())
    assert X.shape == (40, len(encoder.get_feature_names_out()))
    assert len(encoder.kinds_) == X.shape[1]
    assert np.isfinite(X).all()


def test_numbers_are_standardised_beside_other_kinds_alone():
    frame = table()
    X = TableEncoder(features=["fare", "sex"], standardise=True).fit_transform(frame)
    np.testing.assert_allclose([X[:, 0].mean(), X[:, 0].std()], [0, 1], atol=1e-12)
    assert set(X[:, 1]) == set(TableEncoder(features=["sex"]).fit_transform(frame)[:, 0])
    alone = TableEncoder(features=["fare", "number"])
    plain = alone.fit_transform(frame)
    np.testing.assert_array_equal(alone.set_params(standardise=True).fit_transform(frame), plain)


def test_options_override_what_a_column_looks_like():
    frame = table()
    chosen = TableEncoder(features=["number", "truth"]).fit(frame)
    assert list(chosen.encoders_) == ["number", "truth"]
    encoder = TableEncoder(drop=["age"], as_number=["number"], as_category=["truth"]).fit(frame)
    kinds = {treatment.name: treatment.kind for treatment in encoder.treatments_ if treatment.used}
    assert (kinds["number"], kinds["truth"], "age" in kinds) == ("number", "category", False)


def test_new_rows_are_encoded_alike_and_the_encoder_can_be_pickled():
    frame = table()
    encoder = pickle.loads(pickle.dumps(TableEncoder().fit(frame)))
    np.testing.assert_allclose(encoder.transform(frame[5:10]), encoder.transform(frame)[5:10])
    used = list(encoder.encoders_)
    np.testing.assert_array_equal(encoder.transform(frame[used[::-1]]), encoder.transform(frame))
    with pytest.raises(ValueError, match="X lacks the columns sex, which rows were compared by"):
        encoder.transform(frame.drop(columns="sex"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"features": ["agee"]}, "features agee: there is no such column; did you mean 'age'"),
        ({"as_number": ["sex"]}, "as_number sex: the column holds no number; its first cell is"),
        ({"as_number": ["age"], "as_category": ["age"]}, "as_number age: as_category names the column too"),
        (
            {"features": ["remark"]},
            r"no column that rows could be compared by: .*remark \(left out: it holds no",
        ),
    ],
)
def test_bad_options_get_one_sentence(options, words):
    with pytest.raises(ValueError, match=words):
        TableEncoder(**options).fit(table())
    with pytest.raises(OptionError, match="There is no column"):
        TableEncoder().fit({})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_of_any_library_come_out_as_they_went_in(dtype):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {f"f{place}": RNG.normal(size=50).astype(dtype) for place in range(3)}
    for make in (pd.DataFrame, polars.DataFrame, pyarrow.table, pyarrow.RecordBatch.from_pydict):
        found = TableEncoder().fit_transform(make(columns))
        np.testing.assert_array_equal(found, np.column_stack(list(columns.values())))
        assert found.dtype == dtype
    columns["f1"] = pyarrow.array(columns["f1"], mask=np.arange(50) == 7)
    encoder = TableEncoder().fit(pyarrow.table(columns))
    assert encoder.transform(pyarrow.table(columns)).dtype == dtype
    assert str(encoder.treatments_[1].became) == "one feature; 1 missing, filled in"


def test_no_column_is_in_memory_beside_the_matrix_for_long():
    pyarrow = pytest.importorskip("pyarrow")
    n, d = 20_000, 30
    X = RNG.normal(size=(n, d)).astype(np.float32)
    columns = {f"f{place}": np.ascontiguousarray(X[:, place]) for place in range(d)}
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
    told = {each.name: str(each.became) for each in TableEncoder().fit(table).treatments_}
    copies = {name: said for name, said in told.items() if "a copy of" in said}
    assert copies == {
        name: f"left out: a copy of {of!r}" for name, of in (("b", "a"), ("e", "d"), ("g", "f"))
    }


ROWS = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 7.0], [4.0, 1.0, np.nan], [np.nan, 1.0, 9.0]])


@pytest.mark.parametrize(("scale", "spread"), [("standard", np.sqrt(8 / 3)), ("robust", 2.0)])
def test_numbers_are_scaled_steps_count_less_and_constants_stay_finite(scale, spread):
    shift, factor = shift_and_factor(ROWS, np.array(["number", "number", "step"]), scale)
    np.testing.assert_allclose(shift, [2, 1, 7])
    np.testing.assert_allclose(factor, [1 / spread, 1, WORTH_OF_STEPS / spread])


def test_single_precision_is_summed_in_double_and_rounding_is_no_spread():
    rows = (1e4 + np.random.default_rng(0).normal(size=(50_000, 2))).astype(np.float32)
    shift, factor = shift_and_factor(rows, np.array(["number", "number"]))
    precise = rows.astype(float)
    np.testing.assert_allclose(shift, precise.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(factor, 1 / precise.std(axis=0), rtol=1e-9)
    constant = np.full((10, 1), 0.1)
    constant[3] = np.nextafter(0.1, 1)
    assert shift_and_factor(constant, np.array(["number"]))[1].tolist() == [1.0]
