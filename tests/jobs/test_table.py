"""A table on its one path: read, its columns encoded in the fit, its labels read once."""

import warnings

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.classify import ClassifyOptions, classify
from tests.golden import cases
from tests.jobs.tables import messy

WRITERS = {
    "plain": (cases.to_csv, ".csv"),
    "commas": (cases.with_commas, ".csv"),
    "parquet": (lambda frame, path: frame.to_parquet(path), ".parquet"),
    "spreadsheet": (lambda frame, path: frame.to_excel(path, index=False), ".xlsx"),
    "lines": (lambda frame, path: frame.astype(str).to_json(path, orient="records", lines=True), ".jsonl"),
    "tripled": (lambda frame, path: cases.to_csv(pd.concat([frame] * 3), path), ".csv"),
    "numbers": (lambda frame, path: cases.to_csv(frame[["name", "weight", "class"]], path), ".csv"),
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
        assert report.added.label.tolist() == clf.transduction_.tolist()
        np.testing.assert_array_equal(report.added.score, clf.label_distributions_.max(axis=1))
    assert not [note for note in report.notes if "scaled" in str(note)]  # one statement about scale


def run(folder, frame, **options):
    """Label a table without learned metrics, and what was said of it."""
    pd.DataFrame(frame).to_csv(folder / "t.csv", index=False)
    given = {"n_neighbors": 2, "n_jobs": 1, "parameters": {"models": None}, **options}
    report = classify(ClassifyOptions(table=folder / "t.csv", **given))
    return report, " ".join(map(str, report.notes))


def labels(folder, cells, **options):
    """Names of the classes, the class of each row, and what was said of them."""
    x = [i * i for i in range(len(cells))]
    report, said = run(folder, {"label": cells, "x": x}, **options)
    names, given = [count["name"] for count in report.facts["classes"]], report.added.given
    codes = [
        names.index(name) if known else -1 for name, known in zip(report.added.label, given, strict=True)
    ]
    return names, codes, said


@pytest.mark.parametrize(
    ("cells", "options", "names", "codes"),
    [
        (["b", "", "a", "NA", " b "], {}, ["a", "b"], [1, -1, 0, -1, 1]),
        (["10", "9", ""], {}, ["9", "10"], [1, 0, -1]),
        (["1.0", "2", "", "1"], {}, ["1.0", "2"], [0, 1, -1, 0]),
        (["3", "-1", "4"], {}, ["3", "4"], [0, -1, 1]),
        (["1", "-1", "2"], {"unknown": ("",)}, ["-1", "1", "2"], [1, 0, 2]),
        (["a", "-1", "b"], {}, ["-1", "a", "b"], [1, 0, 2]),
        (["0", "1", "9"], {"unknown": ("9",)}, ["0", "1"], [0, 1, -1]),
        (["0", "1", "-1", "2"], {"unknown": ("0",)}, ["1", "2"], [-1, 0, -1, 1]),  # as fit(unknown=0) has it
        (["true", "False", ""], {}, ["False", "true"], [1, 0, -1]),
    ],
)
def test_labels_are_read_as_people_write_them(tmp_path, cells, options, names, codes):
    assert labels(tmp_path, cells, **options)[:2] == (names, codes)


@pytest.mark.parametrize("word", ["?", "n/a", "unknown", "NaT", "none", "-", "TODO", "NA"])
def test_usual_spellings_are_unknown_unless_another_marker_is_named(tmp_path, word):
    cells = ["cat", word, "dog", f" {word} ", ""]
    _, given, said = labels(tmp_path, cells)
    assert given == [0, -1, 1, -1, -1]
    assert f'Taken for unknown labels: {word!r} (2 rows); unknown="" makes classes' in said
    assert word in labels(tmp_path, cells, unknown=("",))[0]


def test_odd_names_of_classes_are_pointed_out(tmp_path):
    said = labels(tmp_path, ["cat", "?", "Cat", "dog", "x"], unknown=("x",))[2]
    assert "'?' is taken for a class; if it means unknown, give unknown='?'" in said
    assert "The classes 'Cat' and 'cat' differ only in case or blanks" in said
    slips = ("setosa", "setsoa", 1), ("setosa", "setsa", 1), ("dog", "dgo", 1), ("cat", "car", 0)
    for name, slip, is_one in slips:
        said = labels(tmp_path, [*[name] * 4, slip, *["virginica"] * 4, "", ""])[2]
        told = f"The class {slip!r} has one label and differs from {name!r} in one letter"
        assert (told in said) == is_one
    said = labels(tmp_path, [*["0"] * 20, "1", "1", "2"])[2]
    assert "20 of 23 are 0; if 0 means unlabelled, give unknown=0." in said


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
def test_labels_that_teach_nothing_are_refused(tmp_path, cells, words):
    with pytest.raises(OptionError, match=words) as caught:
        labels(tmp_path, cells)
    assert caught.value.field == "label"


def test_labels_truth_names_and_notes_come_together(tmp_path):
    frame = {
        "label": ["b", "", "a"], "truth": ["b", "c", "a"], "name": ["u", "v", "w"], "x": [1, 4, 2],
        "target": ["p", "q", "r"], "graphwell_label": ["k", "", ""],
    }  # fmt: skip
    report, _ = run(tmp_path, frame, truth="truth", row_id="name")
    assert report.facts["features"] == ["x"]
    assert report.facts["truth"]["of"] == 1
    assert {row["id"] for row in report.facts["doubtful"]} <= {"u", "v", "w"}
    assert [str(note) for note in report.notes][:2] == [
        "The column 'target' was left out: its name says that it is the truth; features uses it after all.",
        "Columns of an earlier run were not used and are replaced: graphwell_label.",
    ]


def test_copies_and_equal_rows_with_different_labels_are_named(tmp_path):
    frame = messy(1, n=60, labelled=30).drop(columns="truth")
    _, said = run(tmp_path, pd.concat([frame, frame[4:5].assign(label="owl")]))
    told = f"1 group of equal rows has different labels: (row 5 {frame.label[4]!r}, row 61 'owl')."
    assert told in said
    assert "1 of the 61 rows is a copy of another row; copies are held out together." in said


# ------------------------------------------------------------------------------------ columns and their scale


def points(folder, X, **options):
    """The table of a matrix, with two labels, labelled on rows as they are encoded."""
    frame = pd.DataFrame(np.asarray(X), columns=[*"abcdefgh"[: np.shape(X)[1]]])
    frame["label"] = ["u", "v", *[""] * (len(frame) - 2)]
    return run(folder, frame, **{"method": "laplace", "parameters": {}, **options})


@pytest.mark.filterwarnings("ignore::graphwell.BridgedWarning")
def test_units_that_differ_are_evened_out_by_methods_that_do_not_tune(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2))
    even, as_they_are = (points(tmp_path, X, scale=how)[0] for how in ("auto", "none"))
    uneven = points(tmp_path, X * [1, 1000])[0]
    assert even.facts["compared_by"] is None
    assert (
        uneven.facts["compared_by"]
        == "features standardised (a few features would decide the distances alone)"
    )
    np.testing.assert_array_equal(even.added.score, as_they_are.added.score)
    standard = points(tmp_path, X * [1, 1000], scale="standard")[0]
    np.testing.assert_array_equal(uneven.added.score, standard.added.score)
    clf = gw.baselines.LaplaceLearning(n_neighbors=2, n_jobs=1)
    clf.fit(pd.DataFrame(X * [1, 1000]), ["u", "v", *[None] * 48])
    np.testing.assert_allclose(uneven.added.score, clf.label_distributions_.max(axis=1))


def test_missing_values_are_filled(tmp_path):
    X = np.random.default_rng(0).normal(size=(10, 2))
    X[3, 1] = X[5, 0] = np.nan
    assert all(points(tmp_path, X)[0].added.label.tolist())
