"""Questions about a table, written down."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphwell.jobs.suggest import CANNOT_TELL, REASON, ROW, SuggestOptions, merge_answers, suggest
from tests.helpers import blobs


def written(path: Path, label=None) -> Path:
    """A table of three clusters with names, text and perhaps labels."""
    X, truth = blobs()
    frame = pd.DataFrame(X.round(4)).add_prefix("x").assign(remark="some, text")
    frame.insert(0, "name", [f"r{i}" for i in range(len(X))])
    if label is not None:
        frame["label"] = [label(i, of_class) for i, of_class in enumerate(truth)]
    frame.to_csv(path, index=False)
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_table_without_any_label_gives_questions(tmp_path):
    table, ask = written(tmp_path / "in.csv"), tmp_path / "ask.csv"
    report = suggest(SuggestOptions(table=table, output=ask, n=6, row_id="name"))
    rows = read(ask)
    assert list(rows[0])[:4] == [ROW, "name", REASON, "label"]
    assert [int(row[ROW]) for row in rows] == [row["row"] for row in report.facts["to_label"]]
    assert [row["name"] for row in rows] == [f"r{row['row'] - 1}" for row in report.facts["to_label"]]
    assert all(row["label"] == "" and row["remark"] == "some, text" for row in rows)
    cells = read(table)[report.facts["to_label"][0]["row"] - 1]
    assert all(rows[0][name] == cells[name] for name in cells)
    _, truth = blobs()
    assert set(truth[[row["row"] - 1 for row in report.facts["to_label"][:3]]]) == {0, 1, 2}
    assert report.facts["labels_given"] == 0
    assert report.files == (ask,)


def test_cannot_tell_is_not_asked_again(tmp_path):
    def label(i, truth):
        return CANNOT_TELL if i % 3 == 1 else f"c{truth}" if i % 3 == 0 else ""

    report = suggest(SuggestOptions(table=written(tmp_path / "in.csv", label), n=60))
    assert "60 rows with '?' in column 'label' are not asked" in str(report.notes)
    assert sorted(row["row"] - 1 for row in report.facts["to_label"]) == list(range(2, 180, 3))
    assert (report.facts["classes"], report.facts["labels_given"]) == (("c0", "c1", "c2"), 60)


def test_where_every_unknown_label_is_a_question_mark_the_error_says_what_to_empty(tmp_path):
    table = written(tmp_path / "in.csv", lambda i, truth: f"c{truth}" if i % 3 == 0 else CANNOT_TELL)
    with pytest.raises(ValueError, match=r"No row is left .* 120 rows with '\?' .*; empty cells are\."):
        suggest(SuggestOptions(table=table, n=2))


def test_questions_of_an_earlier_run_are_no_features(tmp_path):
    table, ask = written(tmp_path / "in.csv"), tmp_path / "ask.csv"
    suggest(SuggestOptions(table=table, output=ask, n=30, row_id="name"))
    again = suggest(SuggestOptions(table=ask, n=2, row_id="name"))
    assert again.facts["features"] == [f"x{i}" for i in range(5)]


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        ("label nope: .* has no such column", {"label": "nope"}),
        ("n is 500, but 180 rows are left", {"n": 500}),
        ("n must be a number of rows", {"n": 0}),
        ("strategy must be one of", {"strategy": "guess"}),
        ("features nope: .* has no such column", {"features": ("nope",)}),
        ("the name must end in .csv", {"output": Path("ask.parquet")}),
        ("There is no column that rows could be compared by", {"drop": tuple(f"x{i}" for i in range(5))}),
    ],
)
def test_bad_input_writes_nothing(tmp_path, problem, options):
    table, ask = written(tmp_path / "in.csv"), tmp_path / "ask.csv"
    if "output" in options:
        options = {"output": tmp_path / options["output"]}
    with pytest.raises(ValueError, match=problem):
        suggest(SuggestOptions(**{"table": table, "output": ask, **options}))
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_other_formats_are_asked_about_as_text(tmp_path):
    X, _ = blobs()
    np.savez(tmp_path / "in.npz", X=X, y=np.full(len(X), -1))
    report = suggest(SuggestOptions(table=tmp_path / "in.npz", label="y", output=tmp_path / "ask.csv", n=3))
    assert len(read(tmp_path / "ask.csv")) == len(report.facts["to_label"]) == 3


TABLE = "id,x,label\na,1,cat\nb,2,\nc,3,\nd,4,dog\n"
HEADER = "graphwell_row,id,graphwell_reason,label,x\n"


def merged(folder, answers, table=TABLE, **options):
    (folder / "in.csv").write_text(table)
    (folder / "ask.csv").write_text(answers)
    options = SuggestOptions(table=folder / "in.csv", output=folder / "out.csv", **options)
    return merge_answers(options, folder / "ask.csv")


def test_answers_corrections_and_cannot_tell(tmp_path):
    report = merged(
        tmp_path, HEADER + "3,c,border, owl ,3\n2,b,border,?,2\n4,d,border,cat,4\n1,a,border,,1\n"
    )
    assert (tmp_path / "out.csv").read_text() == "id,x,label\na,1,cat\nb,2,?\nc,3,owl\nd,4,cat\n"
    counts = {"answered": 2, "corrected": 1, "cannot_tell": 1, "unanswered": 1, "labels": 3}
    assert report.to_json().items() >= counts.items()
    assert report.notes == ()  # `classify` takes ? for unknown


def test_a_table_without_labels_gets_a_column_for_them(tmp_path):
    merged(tmp_path, "graphwell_row,graphwell_reason,label,x\n2,why,dog,2\n", "x\n1\n2\n")
    assert (tmp_path / "out.csv").read_text() == "x,label\n1,\n2,dog\n"


@pytest.mark.parametrize(
    ("problem", "answers"),
    [
        ("no column 'graphwell_row'", "id,label\na,cat\n"),
        ("names row 9, but .* has rows 1 to 4", HEADER + "9,a,why,cat,1\n"),
        ("names row 2 twice", HEADER + "2,b,why,cat,2\n2,b,why,dog,2\n"),
        ("must hold row numbers", HEADER + "two,b,why,cat,2\n"),
        ("row 2 has another 'x'", HEADER + "2,b,why,cat,5\n"),
        ("row 2 has another 'id'", HEADER + "2,z,why,cat,2\n"),
    ],
)
def test_answers_that_do_not_fit_write_nothing(tmp_path, problem, answers):
    with pytest.raises(ValueError, match=problem):
        merged(tmp_path, answers)
    assert not (tmp_path / "out.csv").exists()
