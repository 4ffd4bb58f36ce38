"""What a column is taken for, and the numbers that it becomes."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.encoders.kinds import columns_of, look_at
from graphwell.io.cells import text_column

NAN = float("nan")
DAY = datetime.date(2024, 3, 31)
FILLER = np.arange(400) % 7 * 1.5
"""A further column of numbers, so that something is left where the one that is looked at is left out."""


def treated(cells, name="x", y=None, **options):
    """The treatment of a column, and its numbers if it is used."""
    table = {name: cells, "filler": FILLER[: len(cells)]}
    encoder = gw.TableEncoder(**options).fit(table, y)
    told = next(each for each in encoder.treatments_ if each.name == name)
    X = encoder.transform(table)[:, : len(encoder.get_feature_names_out()) - 1]
    return told, X, encoder


def numbers(cells, decimal=None):
    """Cells read as numbers, NaN where they are none."""
    column = columns_of({"x": text_column(cells)})["x"]
    return look_at(column, "number", decimal).values


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", ""], "number"),
        (["1,5", "2"], "number"),
        (["1"] * 38 + ["2", "47,2?"], "number"),
        (["1"] * 18 + ["a", "b"], "category"),
        (["1", "2", "3"] * 4 + ["unknown"] * 5, "number"),
        (["1", "2", "3"] + ["unknown"] * 5, "category"),
        (["02139", "10001"] * 5, "category"),
        (["yes", "No", "", "yes"], "boolean"),
        (["red", "blue"] * 3, "category"),
        (["m", "f", "m", "f"], "category"),
        ([f"word {i}" for i in range(40)], "text"),
        ([f"word {i % 35}" for i in range(400)], "text"),
        (["2024-03-31", "2024-04-01", ""], "date"),
        (["soon", "later", "12"] * 3, "category"),
        (["", "NA"], "empty"),
        (np.array([1, 2]), "number"),
        (np.array([True, False]), "boolean"),
        (np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"), "date"),
        (np.array([np.nan, np.nan]), "empty"),
    ],
)
def test_kinds(cells, kind):
    assert treated(cells)[0].kind == kind


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "2.5e3", "", "-3"], [1, 2500, NAN, -3]),
        (["1,5", "2", "-3,25"], [1.5, 2, -3.25]),
        (["1,234", "5,678,901", "12"], [1234, 5678901, 12]),
        (["1.234,5", "1.000.000", "2"], [1234.5, 1e6, 2]),
        (["1,234.5", "12,000"], [1234.5, 12000]),
        (["0,123", "0,456"], [0.123, 0.456]),
        (["12 %", "47,2%"], [12, 47.2]),
        (["$1,200", "-$3.50", "€ 7"], [1200, -3.5, 7]),
        (["1 234", "12\N{NO-BREAK SPACE}000", "1'000"], [1234, 12000, 1000]),
        (["\N{MINUS SIGN}4,5", "+2,5"], [-4.5, 2.5]),
        (["1", "two", "1_000", "1,2,3", "1-2"], [1, NAN, NAN, NAN, NAN]),
        (["e", "%", ".", "-", "1e5", "E106", "-e3"], [NAN, NAN, NAN, NAN, 1e5, NAN, NAN]),
        (["a", "NA", "?", " ", "None", "n/a", "0"], [NAN] * 6 + [0]),
        (["12 kg", "3,5 kg", "1"], [12, 3.5, 1]),
        (["12a", "13a"], [NAN, NAN]),
    ],
)
def test_numbers_are_read_with_the_decimal_mark_of_their_column(cells, values):
    np.testing.assert_array_equal(numbers(cells), values)


def test_a_decimal_mark_that_is_given_is_used_and_plain_numbers_are_those_of_numpy():
    np.testing.assert_array_equal(numbers(["1,234", "2"], decimal=","), [1.234, 2])
    np.testing.assert_array_equal(numbers(["1,23", "2"], decimal="."), [NAN, 2])
    texts = [repr(value) for value in np.random.default_rng(0).normal(size=100).tolist()]
    np.testing.assert_array_equal(numbers(texts), np.array(texts, dtype=float))
    with pytest.raises(gw.errors.OptionError, match="'x' is infinite"):
        gw.TableEncoder(standardise="standard").fit({"x": ["inf", "1,5"]})


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["2024-03-31", "1999-1-2"], ["2024-03-31", "1999-01-02"]),
        (["31.03.2024", "01.02.2024"], ["2024-03-31", "2024-02-01"]),
        (["03/31/2024", "01/02/2024"], ["2024-03-31", "2024-01-02"]),
        (["31/03/2024", "01/02/2024"], ["2024-03-31", "2024-02-01"]),
        (["01/02/2024", "03/04/2024"], ["2024-01-02", "2024-03-04"]),
        (["2024-03-31 12:30", "2024-03-31T12:30:15Z"], ["2024-03-31T12:30", "2024-03-31T12:30:15"]),
        (
            ["31.02.2024"] + 19 * ["01.02.2024"] + ["02.02.2024"],
            [None] + 19 * ["2024-02-01"] + ["2024-02-02"],
        ),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_column(cells, dates):
    told, X, _ = treated(cells)
    known = [date is not None for date in dates]
    times = np.array([date or "NaT" for date in dates], dtype="datetime64[s]")
    days = (times - times[known].min()) / np.timedelta64(1, "D")
    assert told.kind == "date"
    np.testing.assert_allclose(X[known, 0], days[known])
    assert (X[np.logical_not(known), 0] == np.median(days[known])).all()


def test_holes_get_the_median_and_a_column_of_their_own_where_there_are_many():
    told, X, encoder = treated(["1", "", "2", "9"])
    np.testing.assert_array_equal(X, [[1], [2], [2], [9]])
    assert (str(told.became), encoder.kinds_[0]) == ("one feature; 1 missing, filled in", "step")
    told, X, encoder = treated([str(i) if i > 4 else "" for i in range(20)])
    assert encoder.get_feature_names_out()[:2].tolist() == ["x", "x missing"]
    assert encoder.kinds_[:2] == ("number", "indicator")
    np.testing.assert_array_equal(X[:, 1], np.arange(20) <= 4)
    np.testing.assert_array_equal(X[:6, 0], [12, 12, 12, 12, 12, 5])


@pytest.mark.parametrize("counts", [[50, 50], [10, 20, 30], [10] * 20, [99, 2]])
def test_categories_count_at_most_half_as_much_as_a_standardised_number(counts):
    X = treated(np.repeat([f"word {i}" for i in range(len(counts))], counts))[1]
    apart = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    assert apart.mean() <= 0.5 + 1e-9
    assert apart.max() <= 1 + 1e-9


def test_categories_become_indicators():
    _, X, encoder = treated(["b", "a", "b", "", "a", "b"])
    assert encoder.get_feature_names_out()[:2].tolist() == ["x=a", "x=b"]
    np.testing.assert_array_equal(X > 0, [[0, 1], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1]])
    _, X, encoder = treated(["b", "a"] * 5 + [""] * 5)
    assert encoder.get_feature_names_out()[2] == "x=missing"
    np.testing.assert_array_equal(X[-1] > 0, [False, False, True])


def test_categories_that_differ_in_case_or_blanks_are_joined_with_a_note():
    told, X, _ = treated(["red", "Red", "red ", "dark  blue", "Dark blue", "red"] * 3)
    assert str(told.became).startswith("2 indicators; ")
    assert str(told.became).endswith("differ in case or blanks alone and are one category")
    assert told.warns
    np.testing.assert_array_equal(X[[0, 3]], X[[1, 4]])


def test_words_in_new_rows_of_a_column_of_numbers_are_told():
    encoder = gw.TableEncoder(standardise=False).fit({"x": [1.0, 2.0, 4.0]})
    with pytest.warns(UserWarning, match=r"2 of 3 cells of 'x' are no numbers \('low', say\); they count as"):
        np.testing.assert_array_equal(encoder.transform({"x": ["low", "3", "high"]}), [[2.0], [3.0], [2.0]])


def test_a_new_category_has_no_indicator_and_is_named():
    words = ["a word of more than sixteen letters", "another word of more than sixteen letters"]
    encoder = gw.TableEncoder().fit({"x": words * 3})
    with pytest.warns(UserWarning, match=r"1 rows have a category in 'x' that no fitted row has \('zz', say"):
        X = encoder.transform({"x": [words[0], "zz"]})
    np.testing.assert_array_equal(X > 0, [[True, False], [False, False]])


def test_booleans_are_one_column():
    np.testing.assert_array_equal(treated(["yes", "no", "", "no"])[1][:, 0], [0.5, -0.5, -0.5, -0.5])
    _, X, encoder = treated(["yes", "no"] * 3 + [""] * 4)
    assert encoder.get_feature_names_out()[:2].tolist() == ["x", "x missing"]
    assert X[-1].tolist() == [0, 1]


def test_dates_are_days_and_seasons_and_hours():
    _, X, encoder = treated(["2024-01-01", "2024-01-03", ""])
    assert encoder.get_feature_names_out()[0] == "x days"
    np.testing.assert_array_equal(X[:, 0], [0, 2, 1])
    _, X, encoder = treated(["2020-01-01", "2021-01-01", "2024-07-01"])
    assert encoder.get_feature_names_out()[:3].tolist() == ["x days", "x season sin", "x season cos"]
    assert encoder.kinds_[:3] == ("number", "cycle", "cycle")
    np.testing.assert_allclose(X[0, 1:3], X[1, 1:3], atol=0.02)
    np.testing.assert_allclose(X[0, 1:3], -X[2, 1:3], atol=0.02)
    told, X, _ = treated(["2024-01-01 06:00", "2024-01-02 06:00", "2024-01-02 18:00"])
    assert str(told.became) == "days, hour"
    np.testing.assert_allclose(X[:, 1], [1, 1, -1], atol=1e-9)


FRUIT, TOOLS = ["apple", "pear", "plum", "cherry"], ["hammer", "saw", "drill", "pliers"]


@pytest.mark.parametrize("n_words", [5, 2])
def test_texts_about_the_same_thing_lie_near_each_other(n_words):
    rng = np.random.default_rng(0)
    encoder = gw.TableEncoder().fit(
        {"x": [" ".join(rng.choice(FRUIT if i % 2 else TOOLS, n_words)) + f" {i}" for i in range(80)]}
    )
    X = encoder.transform({"x": [" ".join(rng.choice(FRUIT if i % 2 else TOOLS, 5)) for i in range(40)]})
    np.testing.assert_allclose((X**2).sum(axis=1), 1)
    same = (np.arange(40)[:, None] - np.arange(40)) % 2 == 0
    assert (X @ X.T)[same].mean() > (X @ X.T)[~same].mean() + 0.3
    assert (encoder.transform({"x": ["", "#"]}) == 0).all()


@pytest.mark.parametrize(
    "cells", [["one two three", "four five six"], ["the same of all", "all of the same"]]
)
def test_texts_without_a_common_word_say_nothing(cells):
    told = treated(cells, features=["x", "filler"])[0]
    assert str(told.became) == "left out: no two of its texts share a word"


# ------------------------------------------------------------------------------------------------ left out

LABELS = ["a", "b", "", "a", "b", "a", ""]


def why(cells, name="x", y=None):
    told = treated(cells, name, y)[0]
    return None if told.used else str(told.became).removeprefix("left out: ")


def test_a_column_that_repeats_the_labels_looks_like_the_truth():
    told = "it equals the labels wherever they are given; features uses it after all"
    assert why(["a", "b", "c", "a", "b", "a", "b"], y=LABELS) == told
    assert why(["A", "b ", "c", "a", "b", "a", "b"], y=LABELS) == told
    assert why(["a", "b", "b", "a", "b", "b", "b"], y=LABELS) is None
    assert why(np.array([1.0, 2, 1, 5, 2, 1]), y=["1", "2", "1.0", "", "2", "1"]) == told
    assert why(["a", "b", "a", "b"], y=["a", "b", "a", "b"]) is None


@pytest.mark.parametrize("name", ["truth", "Target", "CLASS", "label", "y_true", "Ground Truth", "y"])
def test_a_name_may_say_that_a_column_is_the_truth(name):
    assert why(list("uvwuvw"), name) == "its name says that it is the truth; features uses it after all"


def test_y_beside_x_is_a_coordinate():
    told = gw.TableEncoder().fit({"X": [0.5, 1.5, 2.5], "y": [1.0, 5.0, 2.0], "yield": [3.0, 1.0, 2.5]})
    assert all(each.used for each in told.treatments_)


def test_counters_and_identifiers_are_told_from_features():
    shuffled = np.random.default_rng(0).permutation(20)
    assert why(np.arange(1, 21)) == why(shuffled) == "it counts the rows"
    own = "every row has its own"
    assert why(shuffled**2, "Patient ID") == own
    assert why([f"P{i:03}" for i in range(20)]) == own
    assert why([f"row number {i} of many" for i in range(40)]) == own
    codes = [f"AX{i:03}-{7 * i % 13}" for i in range(60)]
    assert why([*codes[:59], codes[0]]) == "nearly every row has its own code"
    for kept in (np.append(shuffled[:-1], shuffled[0]), shuffled**2, np.arange(9), np.arange(20) + 0.5):
        assert why(kept) is None
    assert why(np.append(shuffled[1:] ** 2, 25), "Patient ID") is None
    assert why([f"{('good', 'bad')[i % 2]} {i} really long text {'x' * i}" for i in range(40)]) is None
    assert why([f"P{i // 2}" for i in range(80)]) is None


FIRST, LAST = (
    ["Anna", "Bo", "Cora", "Dan", "Eva", "Finn", "Gus"],
    ["Ito", "Berg", "Costa", "Diaz", "Fay", "Haas"],
)


def test_people_are_a_category_where_they_come_back_and_left_out_where_they_do_not():
    people = [f"{a} {b}" for a in FIRST for b in LAST]
    told = treated(people * 3)[0]
    assert (told.kind, str(told.became)) == ("category", "42 indicators")
    many = [f"{a}{c} {b}{c}" for c in "abcdefg" for a in FIRST for b in LAST]  # 294, some in two rows
    for cells in (["", *people, people[3]], [*many, *many[:100]]):
        assert why(cells) == "names of people; features uses them after all"
    assert treated([*people, people[3]], features=["x", "filler"])[0].kind == "text"
    towns = [
        word
        for b in LAST
        for word in (f"{b}ville", f"{b}burg", f"Port {b}", f"{b} on Sea", f"{b}ham", f"{b}ford")
    ]
    assert treated(towns * 3)[0].kind == "text"


def test_a_code_of_the_labels_is_seen():
    y = ["a", "b", "c"] * 4 + ["", ""]

    def is_code(values, y=y):
        return "one value for each class" in str(treated(np.array(values), y=y)[0].became)

    assert is_code([3, 1, 2] * 4 + [3, 3])
    assert not is_code([3, 1, 2] * 4 + [3, 5])
    assert not is_code([3, 1, 1] * 4 + [3, 3])
    assert not is_code([3, 1, 2] * 3 + [3, 1, 3] + [2, 2])
    assert not is_code([3, 1, 2] * 4 + [3, np.nan])
    assert not is_code([1, 2, 3], y[:3])


# ------------------------------------------------------------------------------------------- any library


def test_every_type_of_pandas_is_read():
    frame = pd.DataFrame(
        {
            "float": np.array([1.5, np.nan], dtype=np.float32),
            "int": pd.array([1, None], dtype="Int64"),
            "bool": [True, False],
            "maybe": pd.array([True, None], dtype="boolean"),
            "text": ["a", None],
            "string": pd.array(["b", pd.NA], dtype="string"),
            "category": pd.Categorical(["x", None]),
            "code": pd.Categorical([3, 1]),
            "time": pd.to_datetime(["2024-03-31 12:00", None]),
            "zone": pd.to_datetime(["2024-03-31 12:00+02:00", "2024-03-31 12:00+02:00"]),
            "span": pd.to_timedelta(["1D", "12h"]),
            "date": [DAY, None],
            "decimal": [Decimal("1.5"), None],
            "mixed": [1, "a"],
        }
    )
    encoder = gw.TableEncoder(features=list(frame)).fit(frame)
    kinds = {told.name: told.kind for told in encoder.treatments_ if told.kind != "text"}
    assert kinds == {
        "float": "number", "int": "number", "bool": "boolean", "maybe": "boolean", "category": "category",
        "code": "category", "time": "date", "zone": "date", "span": "number", "date": "date",
        "decimal": "number",
    }  # fmt: skip
    X = dict(zip(encoder.get_feature_names_out(), encoder.transform(frame).T, strict=True))
    np.testing.assert_array_equal(X["span"], [1.0, 0.5])
    np.testing.assert_array_equal(X["decimal"], [1.5, 1.5])
    np.testing.assert_array_equal(X["maybe"], [0.5, 0.5])
    zones = [datetime.datetime.fromisoformat(f"2024-03-31 12:00+0{hours}:00") for hours in (2, 0)]
    np.testing.assert_allclose(gw.TableEncoder().fit_transform({"zone": zones})[:, 0], [0, 2 / 24])


def test_polars_and_arrow_are_read_alike():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    plain = {
        "x": [1.5, None, 2, 3], "n": [1, 2, 4, 7], "b": [True, None, False, True], "t": ["a", None, "b", "a"],
        "d": [DAY, None, DAY.replace(day=1), DAY],
    }  # fmt: skip
    frame = pd.DataFrame(plain).astype({"b": "boolean"})
    expected = gw.TableEncoder().fit_transform(frame)
    for made in (polars.DataFrame(plain), pyarrow.table(plain), pyarrow.RecordBatch.from_pydict(plain)):
        np.testing.assert_array_equal(gw.TableEncoder().fit_transform(made), expected)
    categories = polars.DataFrame({"c": ["3", "1"]}, schema={"c": polars.Categorical})
    for made in (categories, pyarrow.table({"c": pyarrow.array(["3", "1"]).dictionary_encode()})):
        assert gw.TableEncoder().fit(made).treatments_[0].kind == "category"


def test_numbers_that_no_array_holds_are_fitted_or_refused_in_a_sentence():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    small, large = [3, None, 1, 2], [10**30, -(10**30), 10**29, 5]
    exact = [Decimal(value) for value in large]
    for made, values in (
        (polars.DataFrame({"x": polars.Series(small, dtype=polars.Int128)}), small),
        (polars.DataFrame({"x": polars.Series(large, dtype=polars.Int128)}), large),
        (polars.DataFrame({"x": polars.Series(exact)}), large),
        (pyarrow.table({"x": pyarrow.array(exact, pyarrow.decimal256(60, 2))}), large),
        (pd.DataFrame({"x": large}), large),
    ):
        found = gw.TableEncoder().fit_transform(made)[:, 0]
        np.testing.assert_array_equal(found, [2.0 if value is None else float(value) for value in values])
    for cells in ([10**400, 1, 2], [Decimal("1e400"), 1, 2]):
        with pytest.raises(gw.errors.OptionError, match="Row 1: the feature 'x' is infinite"):
            gw.TableEncoder(standardise="standard").fit(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), "of 2 levels"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "several columns named 'a'"),
        (pd.DataFrame({"a": [[1, 2], [3]]}), "'a' holds values of the type list; each cell must be one"),
        (pd.DataFrame({"a": [1j, 2]}), "'a' holds values of the type complex"),
    ],
)
def test_tables_of_other_things_get_one_sentence(made, words):
    with pytest.raises(ValueError, match=words):
        gw.TableEncoder().fit(made)
