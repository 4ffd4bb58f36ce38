"""The job on a table, called from Python."""

import numpy as np
import pandas as pd
import pytest

from graphwell import DiffuseInterfaceClassifier, methods
from graphwell.errors import OptionError
from graphwell.jobs.classify import classify
from graphwell.jobs.options import ClassifyOptions
from tests.jobs.tables import messy, write_blobs


@pytest.fixture
def table(tmp_path):
    write_blobs(tmp_path / "in.csv")
    return tmp_path / "in.csv"


def run(table, **options):
    return classify(ClassifyOptions(table=table, n_jobs=1, **options))


def test_the_report_is_a_value_and_no_file_is_needed(table):
    report = run(table, truth="truth", row_id="name", holdout=0.25)
    assert (report.rows, report.labels_given, report.unreachable_rows) == (120, 12, 0)
    assert [(count.name, count.assigned) for count in report.classes] == [
        ("ant", 40),
        ("bee", 40),
        ("cat", 40),
    ]
    assert (report.comparison.accuracy.right, report.comparison.accuracy.of) == (108, 108)
    assert (report.holdout.of, report.holdout.runs) == (15, 5)
    assert report.files == ()
    assert report.doubtful[0].id.startswith("row ")
    assert list(report.seconds)[:4] == ["reading", "columns", "neighbours", "holdout"]
    assert list(report.seconds)[-1] == "in all"
    assert [path.name for path in table.parent.iterdir()] == ["in.csv"]


def test_the_details_are_those_of_the_library(table):
    frame = pd.read_csv(table)
    codes = frame.label.map({"ant": 0, "bee": 1, "cat": 2}).fillna(-1).astype(int)
    report = run(table, drop=("truth",), seed=5)
    expected = DiffuseInterfaceClassifier(random_state=5).fit(frame[["x", "y"]].to_numpy(), codes)
    np.testing.assert_array_equal(report.details.assigned, expected.transduction_)
    np.testing.assert_array_equal(report.details.score, expected.label_distributions_.max(axis=1))
    np.testing.assert_array_equal(report.details.given, codes)


@pytest.mark.parametrize("name", [name for name in methods() if methods()[name].most_classes is None])
def test_every_method_labels_a_table(table, name):
    report = run(table, method=name, truth="truth")
    assert report.comparison.accuracy.share > 0.6  # chance is a third; MBO from a random start is the weakest
    assert report.status.endswith(".")


def test_a_method_for_two_classes_refuses_three(table):
    with pytest.raises(OptionError, match="method 'binary interface' tells at most 2 classes apart"):
        run(table, method="binary interface")


def test_the_page_is_drawn_from_the_report_and_written_with_the_table(table, tmp_path):
    options = ClassifyOptions(table=table, output=tmp_path / "o.csv", report=tmp_path / "r.html", n_jobs=1)
    with pytest.raises(OptionError, match="report needs a function that draws it"):
        classify(options)
    report = classify(options, draw=lambda found: f"{found.rows} rows")
    assert (tmp_path / "r.html").read_text() == "120 rows"
    assert report.files == (tmp_path / "o.csv", tmp_path / "r.html")


def test_a_class_whose_rows_are_all_left_out_is_named(table):
    frame = pd.read_csv(table)
    frame.loc[frame.label == "bee", "x"] = np.nan
    frame.to_csv(table, index=False)
    with pytest.raises(
        OptionError, match=r"'bee' has labels on rows with missing .* missing=\"mean\""
    ) as caught:
        run(table, missing="drop")
    assert caught.value.field == "missing"


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_penguins_with_all_their_columns_from_20_random_labels(shared_data, tmp_path, seed):
    frame = pd.read_csv(shared_data / "tables" / "penguins.csv")
    known = frame.species.where(np.random.default_rng(seed).permutation(len(frame)) < 20)
    frame.assign(known=known).to_csv(tmp_path / "in.csv", index=False)
    report = run(tmp_path / "in.csv", label="known", scale="standard")
    treatments = {treatment.name: (treatment.kind, treatment.used) for treatment in report.columns}
    assert treatments["penguin_id"] == ("text", False)
    assert treatments["species"] == ("category", False)
    assert treatments["sex"] == ("category", True)
    assert "'species' was left out: it equals the labels wherever they are given" in str(report.notes[0])
    names = np.array([count.name for count in report.classes])
    right = names[report.details.assigned] == frame.species
    assert right[known.isna()].mean() > 0.9


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"label": "z"}, "label"),
        ({"holdout": 2.0}, "holdout"),
        ({"scale": "log"}, "scale"),
        ({"pca": 9}, "pca"),
        ({"decimal": "x"}, "decimal"),
        ({"delimiter": "::"}, "delimiter"),
        ({"encoding": "klingon"}, "encoding"),
        ({"method": "magic"}, "method"),
    ],
)
def test_errors_carry_their_field_and_name_no_flag(table, options, field):
    with pytest.raises(OptionError) as caught:
        run(table, **options)
    assert caught.value.field == field
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("plain", [False, True])
def test_hold_out_tells_the_true_accuracy_of_tables_whose_rows_come_three_times(tmp_path, plain):
    how = {"tune": False, "evidence": "none"} if plain else {}
    copies = "600 of the 900 rows are copies of another row; copies are held out together."
    too_high = []
    for seed in range(3):
        pd.concat([messy(seed)] * 3).to_csv(tmp_path / "in.csv", index=False)
        report = run(tmp_path / "in.csv", truth="truth", holdout=0.2, **how)
        too_high.append(report.holdout.share - report.comparison.accuracy.share)
        assert report.holdout.labels <= 100 < report.holdout.of
        assert [str(note) for note in report.notes].count(copies) == 1
    assert abs(np.mean(too_high)) < 0.05
    assert max(np.abs(too_high)) < 0.12


def test_equal_rows_with_different_labels_are_named_by_row_and_label(tmp_path):
    frame = messy(1, n=60, labelled=30)
    again = frame[4:5].assign(label="owl")
    pd.concat([frame, again]).to_csv(tmp_path / "in.csv", index=False)
    notes = [str(note) for note in run(tmp_path / "in.csv", drop=("truth",)).notes]
    (told,) = [note for note in notes if "different labels" in note]
    assert told == f"1 group of equal rows has different labels: (row 5 {frame.label[4]!r}, row 61 'owl')."


def test_question_marks_are_unknown_and_told_of(tmp_path):
    frame = messy(0, n=60, labelled=30)
    frame.assign(label=frame.label.replace("", "?")).to_csv(tmp_path / "in.csv", index=False)
    report = run(tmp_path / "in.csv", drop=("truth",))
    assert [count.name for count in report.classes] == ["ant", "bee", "cat"]
    assert "Taken for unknown labels: '?' (30 rows);" in " ".join(map(str, report.notes))
    report = run(tmp_path / "in.csv", drop=("truth",), unknown=("",))
    assert [count.name for count in report.classes] == ["?", "ant", "bee", "cat"]
