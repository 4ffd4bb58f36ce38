"""`graphwell classify` as its users meet it."""

import csv
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.blobs import blobs, classify
from tests.jobs.tables import write_blobs

__all__ = ["blobs"]


def test_every_row_comes_back_with_its_label(blobs):
    named = ("--truth", "truth", "--id", "name")
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", *named, "--verbose")
    assert (finished.exit_code, finished.stderr) == (0, ""), finished.output
    before, after = (
        list(csv.reader((blobs / name).read_text().splitlines())) for name in ("in.csv", "out.csv")
    )
    new = ["graphwell_label", "graphwell_score", "graphwell_reachable", "graphwell_given"]
    assert after[0] == before[0] + new
    assert [row[:5] for row in after] == [row[:5] for row in before]
    assert [row[5] for row in after[1:]] == [row[4] for row in before[1:]]
    assert all(0.3 < float(row[6]) <= 1 for row in after[1:])
    assert {row[7] for row in after[1:]} == {"true"}
    assert [row[8] == "true" for row in after[1:]] == [row[3] != "" for row in before[1:]]
    for words in (
        "0 of 2 components without a label.",
        "│ x, y   │ number │ one feature       │",
        "100.00 % of the 108 rows without a given label agree with the truth",
        "most uncertain rows (row 1 is the first below the header)",
        "Seconds: reading",
        "descent",
    ):
        assert words in finished.stdout
    assert re.search(r"bee +│ +4 │ +40 │", finished.stdout)
    assert len(re.findall(r"│ +\d+ \(row \d+\)", finished.stdout)) >= 10


def test_the_summary_begins_with_how_many_how_well_where_and_what_to_look_at(blobs):
    frame = write_blobs(blobs / "in.csv")
    frame.assign(label=frame.label.mask(frame.index % 40 > 1, "?")).to_csv(blobs / "in.csv", index=False)
    finished = classify(blobs / "in.csv", "--drop", "truth")
    estimate = (
        r"Estimated accuracy: \d+\.\d % \(90 % confidence: \d\d to \d+ %\), by cross-validation on 6 labels"
    )
    first = r"Rows to look at first, as they are the least certain: (\d+, ){4}\d+"
    told = r"\. ".join(
        (
            "114 rows labelled from 6 labels",
            estimate,
            r"Classes: ant \(40\), bee \(40\), cat \(40\)",
            r"Written: \S+led\.csv",
        )
    )
    pattern = rf"{told} {first}\. Distances: .*\. More with --verbose\."
    assert re.fullmatch(pattern, " ".join(finished.stdout.split()))
    assert (blobs / "in.labelled.csv").read_text().startswith("name,x,y,label,truth,graphwell_label")
    told = "Note: Taken for unknown labels: '?' (114 rows); --unknown \"\" makes classes of all"
    assert " ".join(finished.stderr.split()).startswith(told)
    unsure = classify(blobs / "in.csv", "--method", "laplace", "--drop", "truth")
    assert "Their accuracy was not estimated; the default method does that" in " ".join(unsure.stdout.split())
    full = classify(blobs / "in.csv", "--label", "truth", "--method", "laplace")
    told = "Every one of the 120 rows has a label already. --check-labels lists those that look wrong"
    assert " ".join(full.stdout.split()).startswith(told)
    assert "uncertain" not in full.stdout


def test_json_alone_goes_to_stdout(blobs):
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--json")
    summary = json.loads(finished.stdout)
    assert (summary["rows"], summary["labels_given"], summary["notes"]) == (120, 12, [])
    assert summary["columns"][0] == {
        "name": "name", "kind": "text", "became": "left out: every row has its own", "used": False,
    }  # fmt: skip
    assert "108 rows labelled" in finished.stderr


def test_the_report_is_a_page_in_the_words_of_the_command_line(blobs):
    frame = write_blobs(blobs / "in.csv").assign(number=np.arange(120))
    frame.to_csv(blobs / "in.csv", index=False)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--report", blobs / "r.html")
    assert finished.exit_code == 0, finished.output
    page = (blobs / "r.html").read_text()
    classify(blobs / "in.csv", "-o", blobs / "out.csv", "--report", blobs / "r.html")
    assert (blobs / "r.html").read_text() == page
    assert "<td>number</td><td>number</td><td>left out: it counts the rows</td>" in page
    assert "The column &#x27;truth&#x27; was left out: it equals the labels" in page
    assert "--features uses it after all" in page
    assert page.count('<img src="data:image/png;base64,') == 1
    assert "Note: The column 'truth' was left out" in finished.stderr
    assert "r.html" in finished.stdout.split("Written:")[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "features standardised (a few features would decide the distances alone)"),
        (["--set", "scale=standard"], "features standardised (as asked)"),
        (["--method", "laplace"], "features standardised (a few features would decide the distances alone)"),
        (["--set", "scale=none"], "features standardised (a few features would decide the distances alone)"),
    ],
)
def test_the_scale_is_told_once(tmp_path, options, said):
    truth = np.repeat(["ant", "bee"], 60)
    X = np.random.default_rng(0).normal(size=(120, 2)) + 4 * (truth == "bee")[:, None]
    label = np.where(np.arange(120) % 60 < 20, truth, "")
    pd.DataFrame({"x": X[:, 0], "y": 5000 * X[:, 1], "label": label}).to_csv(tmp_path / "in.csv", index=False)
    page = tmp_path / "page.html"
    shown = classify(tmp_path / "in.csv", "--report", page, "--verbose", *options)
    text = re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", page.read_text(), flags=re.DOTALL)
    for told in (shown.output, text):
        told = " ".join(told.split())
        assert said in told.split("Distances: ")[1]
        assert len(re.findall(r"Distances:|The features? |as (?:it is|they are) \(", told)) == 1
    begin = "80 rows labelled from 40 labels. "
    assert " ".join(shown.stdout.split()).startswith(begin)
    assert f'<p class="lead">{begin}' in page.read_text()


def test_rows_in_a_part_without_labels_are_told_of_and_end_a_strict_run_with_1(blobs):
    frame = write_blobs(blobs / "in.csv")
    lost = pd.DataFrame({"name": "far", "x": 1000.0 + np.arange(30), "y": 0.0, "label": "", "truth": "ant"})
    pd.concat([frame, lost]).to_csv(blobs / "in.csv", index=False)
    options = ("--truth", "truth", "--features", "x,y", "--set", "scale=none", "--set", "models=none")
    arguments = (blobs / "in.csv", "-o", blobs / "out.csv", "--report", blobs / "r.html", *options)
    shown = classify(*arguments, "--verbose")
    assert shown.exit_code == 0
    assert "30 rows bridged" in shown.stdout
    finished = classify(*arguments, "--strict", "--json")
    assert finished.exit_code == 1
    summary = json.loads(finished.stdout)
    assert (summary["unreachable_rows"], summary["bridged_rows"]) == (0, 30)
    assert {row["row"] for row in summary["doubtful"]} <= set(range(121, 151))
    said = " ".join(finished.stderr.split())
    assert "Note: 30 rows lie in 1 component of the graph without any label; they were connected" in said
    assert "Label some of them (row 121, 122, 123); if they are many, bring columns" in said
    after = pd.read_csv(blobs / "out.csv")
    assert after.graphwell_label.notna().all()
    assert after.graphwell_reachable.all()
    np.testing.assert_array_equal(after.graphwell_bridged, np.arange(150) >= 120)
    assert (after.graphwell_score[120:] < after.graphwell_score[:120].median()).all()
    assert "they were connected to the nearest one" in (blobs / "r.html").read_text()


def test_the_output_of_one_run_can_be_the_input_of_the_next(blobs):
    classify(blobs / "in.csv", "-o", blobs / "one.csv")
    quiet = classify(blobs / "one.csv", "-o", blobs / "two.csv", "--quiet")
    assert (quiet.stdout, quiet.stderr, quiet.exit_code) == ("", "", 0)
    again = classify(blobs / "one.csv", "-o", blobs / "two.csv")
    assert "Columns of an earlier run were not used and are replaced" in again.stderr
    assert (blobs / "one.csv").read_bytes() == (blobs / "two.csv").read_bytes()


# -------------------------------------------------------------------------------------------------- refusals

FEW = "x,label\n1,a\n2,b\n3,\n"
BAD = {
    "missing": (None, [], "No such file or directory"),
    "empty": ("", [], "is empty"),
    "binary": ("\x89PNG\x00", [], "not a text table"),
    "no label column": ("x,lable\n1,a\n2,b\n", [], "did you mean 'lable'"),
    "no features": ("x,label\nu,a\nu,b\n", [], "There is no column that rows could be compared by: x (left"),
    "no number": ("x,label\nu,a\nv,b\n", ["--set", "as_number=x"], "--set as_number x: the column holds no"),
    "too large": ("x,y,label\n1,1,a\n1e200,2,b\n3,4,a\n", [], "Row 2: the feature 'x' is 1e+200"),
    "unknown feature": (FEW, ["--features", "z"], "--features z"),
    "truth of labels": ("x,label,t\n1,a,a\n2,b,b\n3,,\n", ["--truth", "t"], "there is nothing to compare"),
    "start": (FEW, ["--set", "start=z"], "--set start must be one of"),
    "scale": (FEW, ["--set", "scale=z"], "--set scale must be one of"),
    "earlier name": (
        FEW,
        ["--set", "tune=no"],
        "--set tune is an earlier name of --set models; --set models=none",
    ),
    "encoder": (FEW, ["--encoder", "foo"], "--encoder 'foo' is not known; there are tfidf"),
    "of pictures": (FEW, ["--encoder", "pixels"], "--encoder pixels takes images, and these are texts"),
    "nothing like it": ("x,farbe\n1,a\n2,b\n", [], "has no such column; its columns are x, farbe."),
    "other case": ("x,LABEL\n1,a\n2,b\n", [], "did you mean 'LABEL'?"),
    "pca": (FEW, ["--set", "pca=9"], "--set pca means nothing to the method"),
    "fidelity": (FEW, ["--set", "fidelity=0"], "--set fidelity must be positive"),
    "misspelled": (FEW, ["--set", "n_neighbours=5"], "'diffuse interface'; did you mean n_neighbors?"),
    "parameter": (FEW, ["--set", "stepsize=3"], "--set stepsize means nothing to the method 'diffuse"),
    "decimal": (FEW, ["--set", "decimal=x"], "--set decimal must be a point or a comma"),
    "encoding": (FEW, ["--set", "encoding=z"], "--set encoding z is not known"),
    "not for it": (FEW, ["--method", "laplace", "--set", "start=random"], "--set start means nothing to the"),
    "too many classes": (
        "x,label\n1,a\n2,b\n3,c\n4,\n",
        ["--method", "binary interface"],
        "--method 'binary interface' tells at most 2 classes apart, but 3 are given",
    ),
    "both": ("x,label\n1,1\n2,-1\n3,\n", [], "or give --unknown -1 if both do"),
    "report folder": (FEW, ["--report", "no/r.html"], "the folder no does not exist"),
    "report name": (FEW, ["--report", "r.pdf"], "must end in .html or .htm"),
    "no size": (FEW, ["--class-prior", "a=x"], "--class-prior: 'a=x' is no size; write a=0.2 or a=0.05:0.2."),
    "twice": (
        FEW,
        ["--class-prior", "a=0.2,a=0.8"],
        "--class-prior: 'a=0.8' must name a class, each one once",
    ),
    "stranger": (
        FEW,
        ["--class-prior", "a=0.5,owl=0.5"],
        "--class-prior names the class 'owl', which no label",
    ),
    "no word": (FEW, ["--class-prior", "even"], "--class-prior must be auto, labels or sizes by class"),
    "lacking": (
        FEW,
        ["--class-prior", "a=0.5"],
        "--class-prior must name exactly the classes; it lacks ['b']",
    ),
    "classes": (FEW, ["--set", "classes=owl"], "--set classes: classes without any label can be named in"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence_and_no_file(tmp_path, case):
    content, options, words = BAD[case]
    if content is not None:
        (tmp_path / "in.csv").write_bytes(content.encode("latin-1"))
    finished = classify(tmp_path / "in.csv", "-o", tmp_path / "out.csv", *options)
    assert finished.exit_code == 2, finished.output
    assert words in finished.stderr
    assert finished.stdout == ""
    assert finished.stderr.startswith("graphwell: ")
    assert finished.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} <= {"in.csv"}


def test_outputs_that_cannot_be_written_are_refused_before_the_work(blobs, monkeypatch):
    for output, words in [
        (blobs / "in.csv", "TABLE and --output are both the file"),
        (blobs / "no" / "out.csv", "does not exist; create it first"),
        (blobs / "out.docx", "the name must end in .csv"),
        (blobs, "the name must end in"),
    ]:
        finished = classify(blobs / "in.csv", "-o", output)
        assert finished.exit_code == 2
        assert words in finished.stderr
    finished = classify(blobs / "in.csv", "-o", blobs / "o.csv", "--report", blobs / "o.csv")
    assert "--output and --report are both the file" in finished.stderr
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.parquet")
    assert finished.exit_code == 2
    assert 'pip install "graphwell[parquet]"' in finished.stderr


def test_when_the_report_fails_there_is_no_output_either(blobs, monkeypatch):
    def fail(*report):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("graphwell.jobs.classify.page_of", fail)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--report", blobs / "r.html")
    assert finished.exit_code == 2
    assert "No space left on device" in finished.stderr
    assert {path.name for path in blobs.iterdir()} == {"in.csv"}
