"""A table on its one path: read, its columns looked at in the fit, its labels read once."""

import warnings

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.io.tables import open_table
from graphwell.jobs.classify import classify
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.table import LabelColumn, read_label_column, read_rows
from tests.golden import cases
from tests.jobs.tables import messy, write_blobs

WRITERS = {
    "plain": (cases.to_csv, ".csv"),
    "commas": (cases.with_commas, ".csv"),
    "parquet": (lambda frame, path: frame.to_parquet(path), ".parquet"),
    "spreadsheet": (lambda frame, path: frame.to_excel(path, index=False), ".xlsx"),
    "lines": (lambda frame, path: frame.astype(str).to_json(path, orient="records", lines=True), ".jsonl"),
    "tripled": (cases.tripled, ".csv"),
    "numbers": (cases.numbers_only, ".csv"),
    "wide": (cases.many_columns, ".csv"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_the_program_and_a_fit_of_the_data_frame_agree_row_for_row(tmp_path, kind):
    frame, truth = cases.messy_frame()
    frame["class"] = cases.frame_labels(truth, 8)
    write, ending = WRITERS[kind]
    write(frame.assign(name=[f"row {i}" for i in range(len(frame))]), tmp_path / f"in{ending}")
    report = classify(ClassifyOptions(table=tmp_path / f"in{ending}", label="class", row_id="name", n_jobs=1))
    readers = [gw.read_table, *([pd.read_csv] if kind == "plain" else [])]
    for read in readers:
        table = read(tmp_path / f"in{ending}")
        clf = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf.fit(table.drop(columns=["class", "name"]), table["class"])
        names = np.array([count.name for count in report.classes])
        np.testing.assert_array_equal(names[report.details.assigned], clf.transduction_)
        np.testing.assert_array_equal(report.details.score, clf.label_distributions_.max(axis=1))
    assert not [note for note in report.notes if "scaled" in str(note)]  # one statement about scale


def table_of(folder, **columns):
    lengths = max(map(len, columns.values()))
    made = {name: [*cells, *[""] * (lengths - len(cells))] for name, cells in columns.items()}
    pd.DataFrame(made).to_csv(folder / "t.csv", index=False)
    return open_table(folder / "t.csv")


def labels(folder, cells, unknown=(), classes=()):
    """Labels of a column, and what is said of them."""
    table = table_of(folder, label=cells, x=[str(i) for i in range(len(cells))])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_label_column(table, "label", "label", unknown, classes)
    return found, " ".join(str(warning.message) for warning in caught)


@pytest.mark.parametrize(
    ("cells", "unknown", "names", "codes"),
    [
        (["b", "", "a", "NA", " b "], (), ("a", "b"), [1, -1, 0, -1, 1]),
        (["10", "9", ""], (), ("9", "10"), [1, 0, -1]),
        (["1.0", "2", "", "1"], (), ("1.0", "2"), [0, 1, -1, 0]),
        (["3", "-1", "4"], (), ("3", "4"), [0, -1, 1]),
        (["1", "-1", ""], ("-1",), ("1",), [0, -1, -1]),
        (["1", "-1", "2"], ("",), ("-1", "1", "2"), [1, 0, 2]),
        (["a", "-1", "b"], (), ("-1", "a", "b"), [1, 0, 2]),
        (["0", "1", "9"], ("9",), ("0", "1"), [0, 1, -1]),
    ],
)
def test_unknown_labels_are_told_from_known_ones(tmp_path, cells, unknown, names, codes):
    found, _ = labels(tmp_path, cells, unknown)
    assert found.names == names
    assert found.codes.tolist() == codes


@pytest.mark.parametrize("word", ["?", "n/a", "unknown", "NaT", "none", "-", "TODO", "NA"])
def test_usual_spellings_are_unknown_unless_another_marker_is_named(tmp_path, word):
    cells = ["cat", word, "dog", f" {word} ", ""]
    found, said = labels(tmp_path, cells)
    assert found.codes.tolist() == [0, -1, 1, -1, -1]
    assert f'Taken for unknown labels: {word!r} (2 rows); unknown="" makes classes' in said
    assert word in labels(tmp_path, cells, ("",))[0].names


def test_odd_names_of_classes_are_pointed_out(tmp_path):
    _, said = labels(tmp_path, ["cat", "?", "Cat", "dog", "x"], ("x",))
    assert "'?' is taken for a class; if it means unknown, give unknown='?'" in said
    assert "The classes 'Cat' and 'cat' differ only in case or blanks" in said


@pytest.mark.parametrize(
    ("cells", "further", "names", "codes"),
    [
        (["b", "a"], ("c", "a"), ("a", "b", "c"), [1, 0]),
        (["2", "10"], ("3", "2.0"), ("2", "3", "10"), [0, 2]),
        (["2", "10"], ("x",), ("10", "2", "x"), [1, 0]),
    ],
)
def test_classes_without_a_label_are_named(tmp_path, cells, further, names, codes):
    found, _ = labels(tmp_path, cells, (), further)
    assert found.names == names
    assert found.codes.tolist() == codes
    assert "yet; rows get it only if class_prior gives its size" in str(found.notes[0])


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["", "NA"], "no known label in column 'label'"),
        (["a", ""], "names a single class, 'a'"),
        (["1", "-1", "1"], 'There -1 means unknown; if it is a class, give unknown=""'),
        ([str(i) for i in range(1500)], "names 1,500 classes on 1,500 rows; is it the column of labels"),
        ([str(i / 8) for i in range(40)], r"holds 35 different fractions, such as 0\.125; classes are names"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_labels_that_teach_nothing_are_refused(tmp_path, cells, words):
    table = table_of(tmp_path, label=cells, x=[str(i * i) for i in range(len(cells))])
    with pytest.raises(OptionError, match=words) as caught:
        read_rows(table, ClassifyOptions(table=table.path))
    assert caught.value.field == "label"


def test_labels_truth_names_and_notes_come_together(tmp_path):
    table = table_of(
        tmp_path, label=["b", "", "a"], truth=["b", "c", "a"], name=["u", "v", "w"], x=["1", "4", "2"],
        target=["p", "q", "r"], graphwell_label=["k", "", ""],
    )  # fmt: skip
    facts, _ = read_rows(table, ClassifyOptions(table=table.path, truth="truth", row_id="name"))
    assert (facts.n_rows, facts.classes, facts.features) == (3, ("a", "b"), ("x",))
    assert facts.given.codes.tolist() == [1, -1, 0]
    assert (facts.truth.names, facts.truth.codes.tolist()) == (("a", "b", "c"), [1, 2, 0])
    assert facts.ids.tolist() == ["u", "v", "w"]
    assert [str(note) for note in facts.notes] == [
        "The column 'target' was left out: its name says that it is the truth; features uses it after all.",
        "Columns of an earlier run were not used and are replaced: graphwell_label.",
    ]


def test_truth_is_matched_by_value_and_one_that_never_agrees_gets_a_hint(tmp_path):
    columns = {"x": ["1", "4", "2", "7"], "label": ["1.0", "2.0", "", ""]}
    table = table_of(tmp_path, **columns, truth=["1", "2", "", "7"])
    facts, _ = read_rows(table, ClassifyOptions(table=table.path, truth="truth"))
    assert (facts.truth.names, facts.truth.codes.tolist()) == (("1.0", "2.0", "7"), [0, 1, -1, 2])
    table = table_of(tmp_path, **columns, truth=["p", "q", "p", "q"])
    facts, _ = read_rows(table, ClassifyOptions(table=table.path, truth="truth"))
    assert "truth never agrees with a given label: it says 'p' and labels say '1.0'" in str(facts.notes[-1])


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"label": "z"}, "label"),
        ({"row_id": "z"}, "row_id"),
        ({"truth": "z"}, "truth"),
        ({"drop": ("z",)}, "drop"),
        ({"features": ("label",)}, "features"),
        ({"features": ("x",), "drop": ("x",)}, "features"),
        ({"as_number": ("z",)}, "as_number"),
        ({"as_category": ("label",)}, "as_category"),
    ],
)
def test_every_name_is_checked_under_its_own_field(tmp_path, options, field):
    write_blobs(tmp_path / "in.csv")
    with pytest.raises(OptionError) as caught:
        read_rows(open_table(tmp_path / "in.csv"), ClassifyOptions(table=tmp_path / "in.csv", **options))
    assert caught.value.field == field


def test_close_names_are_suggested(tmp_path):
    table = table_of(tmp_path, label=["a"], x=["1"])
    with pytest.raises(ValueError, match=r"^label lable: .*t\.csv has no such column; did you mean 'label'"):
        read_rows(table, ClassifyOptions(table=table.path, label="lable"))


# ------------------------------------------------------------------------------------------ rows made ready


def ready(folder, X, **options):
    """The rows of a matrix with two labels, as a method without a scale of its own compares them."""
    frame = pd.DataFrame(np.asarray(X), columns=[*"abcdefgh"[: np.shape(X)[1]]])
    frame["label"] = ["u", "v", *[None] * (len(frame) - 2)]
    frame.to_parquet(folder / "t.parquet")
    read = {"table": folder / "t.parquet", "features": tuple(frame.columns[:-1]), **options}
    return read_rows(open_table(folder / "t.parquet"), ClassifyOptions(**read))[1]


def test_units_that_differ_are_evened_out_where_the_method_does_not_tune(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1, 1000]
    found = ready(tmp_path, X)
    np.testing.assert_allclose(found.X.std(axis=0), 1)
    assert str(found.scale_notes[0]).startswith("The features were scaled (standard), as a few features")
    np.testing.assert_array_equal(ready(tmp_path, X / [1, 1000]).X, X / [1, 1000])
    assert ready(tmp_path, X / [1, 1000]).notes == ()


def test_one_feature_that_decides_alone_is_pointed_out(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1, 1000]
    (note,) = ready(tmp_path, X, scale="none").scale_notes
    assert "The feature 'b' holds 100.0 %" in str(note)
    assert 'scale="standard" evens the features out' in str(note)


def test_scales_and_components(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 4)) * [1, 100, 3, 5]
    np.testing.assert_allclose(ready(tmp_path, X, scale="standard").X.std(axis=0), 1)
    np.testing.assert_allclose(np.median(ready(tmp_path, X, scale="robust").X, axis=0), 0, atol=1e-12)
    found = ready(tmp_path, X, pca=2)
    assert found.X.shape == (80, 2)
    assert "The 4 features were projected onto 2 principal components." in str(found.notes[0])


def test_missing_values_are_refused_dropped_or_filled(tmp_path):
    X = np.random.default_rng(0).normal(size=(10, 2))
    X[3, 1] = X[5, 0] = np.nan
    with pytest.raises(ValueError, match="Row 4: the feature 'b' is missing, one of 2 missing values"):
        ready(tmp_path, X, missing="error")
    dropped = ready(tmp_path, X, missing="drop")
    assert np.flatnonzero(~dropped.kept).tolist() == [3, 5]
    assert dropped.X.shape == (8, 2)
    filled = ready(tmp_path, X, missing="mean")
    assert filled.X[3, 1] == pytest.approx(np.nanmean(X[:, 1]))
    assert filled.kept.all()


@pytest.mark.parametrize(
    ("X", "how", "words"),
    [
        ([[1.0, np.inf], [2, 3]], {}, "Row 1: the feature 'b' is infinite"),
        ([[1.0, 2], [-1e151, 3]], {}, r"Row 2: the feature 'a' is -1e\+151, too large to take distances"),
        ([[1.0, np.nan], [2, 3]], {"missing": "drop"}, "At least two rows"),
        ([[1.0, 2], [2, 3]], {"pca": 3}, "pca 3: 2 rows of 2 features have at most 2"),
        ([[1.0, 2], [2, 3]], {"pca": -1}, "pca must be a number of components"),
        ([[1.0, 2], [2, 3]], {"scale": "log"}, "scale must be one of auto, none, standard, robust"),
        ([[1.0, 2], [2, 3]], {"missing": "guess"}, "missing must be one of fill, error, drop, mean"),
        ([[1.0, 2], [2, 3]], {"decimal": ";"}, "decimal must be a point or a comma, got ';'"),
    ],
)
def test_bad_features_get_one_sentence(tmp_path, X, how, words):
    with pytest.raises(ValueError, match=words):
        ready(tmp_path, X, **how)


@pytest.mark.parametrize(
    ("n_names", "kind"), [(2, np.int8), (127, np.int8), (128, np.int16), (40_000, np.int32)]
)
def test_numbers_of_classes_in_few_bytes(n_names, kind):
    codes = np.array([-1, 0, n_names - 1])
    narrow = LabelColumn(tuple(map(str, range(n_names))), codes).narrow()
    assert narrow.codes.dtype == kind
    np.testing.assert_array_equal(narrow.codes, codes)


def test_rows_to_label_are_named_when_asked_for(tmp_path):
    messy(0, n=60, labelled=30).drop(columns="truth").to_csv(tmp_path / "in.csv", index=False)
    options = {"table": tmp_path / "in.csv", "n_jobs": 1}
    assert classify(ClassifyOptions(**options)).to_label == ()
    rows = classify(ClassifyOptions(**options, suggest=4)).to_label
    assert len(rows) == 4
    assert all(row.row > 30 for row in rows)
