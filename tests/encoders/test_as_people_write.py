"""Labels and cells as people write them."""

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.jobs.classify import ClassifyOptions, classify
from tests.jobs.tables import write_blobs


def became(frame):
    encoder = gw.TableEncoder().fit(frame)
    return {treatment.name: str(treatment.became) for treatment in encoder.treatments_}, encoder


def test_numbers_with_a_unit_are_numbers():
    weights = ["67,2 kg", "80 kg", "55,5 kg", "71,25 kg", "", "90 kg"]
    frame = pd.DataFrame({"weight": weights, "street": ["1a", "2b", "3a", "4c", "5a", "6b"]})
    said, encoder = became(frame)
    assert said["weight"].startswith("one feature")
    np.testing.assert_array_equal(encoder.transform(frame)[[0, 1, 3], 0], [67.2, 80, 71.25])
    assert "feature" not in said["street"]


def test_categories_that_differ_in_case_or_blanks_are_joined_with_a_note():
    frame = pd.DataFrame({"colour": [*["red", "Red", "red ", "dark  blue", "Dark blue", "red"] * 3]})
    said, encoder = became(frame)
    assert said["colour"].startswith("2 indicators; ")
    assert "differ in case or blanks alone and are one category" in said["colour"]
    assert encoder.treatments_[0].warns
    X = encoder.transform(frame)
    np.testing.assert_array_equal(X[0], X[1])
    np.testing.assert_array_equal(X[3], X[4])


def test_codes_are_identifiers_although_a_few_repeat():
    codes = [f"AX{i:03}-{7 * i % 13}" for i in range(60)]
    codes[7] = codes[8]
    said, _ = became(pd.DataFrame({"code": codes, "x": np.arange(60) ** 2}))
    assert said["code"] == "left out: nearly every row has its own code"


def fit_warning(y):
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    with pytest.warns(gw.LabelWarning) as caught:
        gw.DiffuseInterfaceClassifier(n_neighbors=3, random_state=0, models=None).fit(X, y)
    return " ".join(str(warning.message) for warning in caught)


def test_zeros_that_may_mean_unlabelled_are_asked_about():
    said = fit_warning([*[0] * 20, 1, 1, 2])
    assert said == "Every row has a label, and 20 of 23 are 0; if 0 means unlabelled, give unknown=0."


@pytest.mark.parametrize(("slip", "name"), [("setsoa", "setosa"), ("setsa", "setosa"), ("dgo", "dog")])
def test_a_class_that_may_be_a_slip_of_the_pen_is_named(slip, name):
    said = fit_warning([*[name] * 4, slip, *["virginica"] * 4, *["type A", "type B"] * 3])
    told = f"The class {slip!r} has one label and differs from {name!r} in one letter; are they one class?"
    assert said == told


def test_short_names_that_differ_in_a_letter_are_two_classes(recwarn):
    X = np.random.default_rng(0).normal(size=(8, 2))
    y = [*["cat"] * 4, "car", None, None, None]
    gw.DiffuseInterfaceClassifier(n_neighbors=3, random_state=0, models=None).fit(X, y)
    assert not [warning for warning in recwarn if "one letter" in str(warning.message)]


def test_scores_have_four_digits_and_the_decimal_mark_of_the_file(tmp_path):
    frame = write_blobs(tmp_path / "in.csv").drop(columns="truth")
    frame.to_csv(tmp_path / "commas.csv", index=False, sep=";", decimal=",")
    for name, mark in (("in", "."), ("commas", ",")):
        out = tmp_path / f"{name}.out.csv"
        classify(ClassifyOptions(table=tmp_path / f"{name}.csv", output=out, drop=(), n_jobs=1))
        scores = gw.read_table(out)["graphwell_score"]
        header, *lines = out.read_text().splitlines()
        delimiter = ";" if mark == "," else ","
        at = header.split(delimiter).index("graphwell_score")
        cells = [line.split(delimiter)[at] for line in lines]
        assert all(len(cell) <= 6 for cell in cells)
        assert any(mark in cell for cell in cells)
        assert scores.between(0, 1).all()
