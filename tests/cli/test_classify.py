"""`graphwell classify` as its users meet it."""

import csv
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from graphwell import DiffuseInterfaceClassifier, datasets
from graphwell.cli.app import app
from tests.cli.blobs import RUNNER, blobs, classify, table_of_blobs

__all__ = ["blobs"]


def test_every_row_comes_back_with_its_label(blobs):
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth")
    assert finished.exit_code == 0, finished.output
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


def test_the_summary_says_what_was_done(blobs):
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--id", "name")
    for words in (
        "120 rows, 12 labels given, 3 classes, 0 of 2 components without a label",
        "│ x, y   │ number │ one feature       │",
        "100.00 % of the 108 rows without a given label agree with the truth",
        "most doubtful rows; row 1 is the first below the header",
        "The rows to label next, best first:",
        "Seconds: reading",
        "neighbours",
        "descent",
    ):
        assert words in finished.stdout
    assert re.search(r"bee +│ +4 │ +40 │", finished.stdout)
    assert len(re.findall(r"│ row \d+", finished.stdout)) == 20
    assert finished.stderr == ""


def test_json_alone_goes_to_stdout(blobs):
    finished = classify(
        blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--holdout", 0.25, "--json"
    )
    summary = json.loads(finished.stdout)
    assert summary["rows"] == 120
    assert summary["labels_given"] == 12
    assert summary["classes"][1] == {"name": "bee", "given": 4, "assigned": 40}
    assert summary["truth"] == {"accuracy": 1.0, "right": 108, "of": 108, "interval_95": [0.9657, 1.0]}
    assert (summary["holdout"]["of"], summary["holdout"]["runs"]) == (15, 5)
    assert summary["sweeps"] > 0
    assert len(summary["doubtful"]) == 10
    assert summary["notes"] == []
    assert summary["features"] == ["x", "y"]
    assert summary["columns"][0] == {
        "name": "name", "kind": "text", "became": "left out: every row has its own", "used": False,
    }  # fmt: skip
    assert [column["name"] for column in summary["columns"]] == ["name", "x", "y", "label", "truth"]
    assert "120 rows" in finished.stderr


def test_quiet_is_quiet(blobs):
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--quiet")
    assert (finished.stdout, finished.stderr, finished.exit_code) == ("", "", 0)
    assert (blobs / "out.csv").exists()


def test_the_report_is_a_page_in_the_words_of_the_command_line(blobs):
    frame = table_of_blobs(blobs / "in.csv").assign(number=np.arange(120))
    frame.to_csv(blobs / "in.csv", index=False)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--report", blobs / "r.html")
    assert finished.exit_code == 0, finished.output
    page = (blobs / "r.html").read_text()
    assert "<td>number</td><td>number</td><td>left out: it counts the rows</td>" in page
    assert "<td>name</td><td>text</td><td>left out: every row has its own</td>" in page
    assert "The column &#x27;truth&#x27; was left out: it equals the labels" in page
    assert "--features uses it after all" in page
    assert page.count('<img src="data:image/png;base64,') == 3
    assert "r.html" in finished.stdout.split("Written:")[1]


def test_holdout_hides_labels_and_then_uses_all(blobs):
    plain = classify(blobs / "in.csv", "-o", blobs / "plain.csv")
    held = classify(blobs / "in.csv", "-o", blobs / "held.csv", "--holdout", 0.3)
    assert plain.exit_code == held.exit_code == 0
    assert "5 runs, each without some of the given labels, got 20 of 20 right" in held.stdout
    assert "So few labels tell little." in held.stdout
    assert (blobs / "plain.csv").read_bytes() == (blobs / "held.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "features standardised (a few features would decide the distances alone)"),
        (["--scale", "standard"], "features standardised (as asked)"),
        (["--scale", "robust"], "(as asked)"),
        (["--method", "laplace"], "features standardised (a few features would decide the distances alone)"),
        (["--scale", "none"], "features standardised (a few features would decide the distances alone)"),
    ],
)
def test_the_scale_is_told_once_and_hidden_labels_first(tmp_path, options, said):
    truth = np.repeat(["ant", "bee"], 60)
    X = np.random.default_rng(0).normal(size=(120, 2)) + 4 * (truth == "bee")[:, None]
    label = np.where(np.arange(120) % 60 < 20, truth, "")
    pd.DataFrame({"x": X[:, 0], "y": 5000 * X[:, 1], "label": label}).to_csv(tmp_path / "in.csv", index=False)
    page = tmp_path / "page.html"
    shown = classify(
        tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--holdout", 0.2, "--report", page, *options
    )
    text = " ".join(re.sub(r"<style.*?</style>|<[^>]+>", " ", page.read_text(), flags=re.DOTALL).split())
    for told in (" ".join(shown.stdout.split()), text):
        assert said in told.split("Compared by: ")[1]
        assert len(re.findall(r"Compared by|The features? |as (?:it is|they are)", told)) == 1
    assert shown.stdout.startswith("5 runs, each without some of the given labels")
    assert re.search(r'<p class="lead">(.)', page.read_text())[1] == "5"


def test_rows_in_a_part_without_labels_need_attention(blobs):
    frame = table_of_blobs(blobs / "in.csv")
    lost = pd.DataFrame({"name": "far", "x": 1000.0 + np.arange(30), "y": 0.0, "label": "", "truth": "ant"})
    pd.concat([frame, lost]).to_csv(blobs / "in.csv", index=False)
    finished = classify(
        blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--report", blobs / "r.html",
        "--features", "x,y", "--scale", "none", "--no-tune",
    )  # fmt: skip
    assert finished.exit_code == 1
    said = " ".join(finished.stdout.split())
    assert "30 rows bridged" in said
    assert "Note: 30 rows lie in one part of the graph without any label; they were joined" in said
    assert "(row 121, 122, 123)" in said
    after = pd.read_csv(blobs / "out.csv")
    assert after.graphwell_label.notna().all()
    assert after.graphwell_reachable.all()
    np.testing.assert_array_equal(after.graphwell_bridged, np.arange(150) >= 120)
    assert (after.graphwell_score[120:] < after.graphwell_score[:120].median()).all()
    assert "joined to the nearest" in (blobs / "r.html").read_text()
    again = classify(blobs / "out.csv", "-o", blobs / "again.csv", "--truth", "truth", "--label", "truth")
    assert again.exit_code == 2  # every row has a label now: the truth


def test_missing_values_are_dropped_or_filled(blobs):
    frame = table_of_blobs(blobs / "in.csv")
    frame.loc[[7, 50], "x"] = np.nan
    frame.to_csv(blobs / "in.csv", index=False)
    refused = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--missing", "error")
    assert refused.exit_code == 2
    assert "Row 8: the feature 'x' is missing, one of 2 missing values" in refused.stderr
    assert not (blobs / "out.csv").exists()
    dropped = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--missing", "drop")
    assert dropped.exit_code == 0
    assert "2 rows left out" in dropped.stdout
    after = pd.read_csv(blobs / "out.csv")
    assert len(after) == 120
    assert np.flatnonzero(after.graphwell_label.isna()).tolist() == [7, 50]
    filled = classify(blobs / "in.csv", "-o", blobs / "out.csv")
    assert "one feature; 2 missing, filled in" in filled.stdout
    assert pd.read_csv(blobs / "out.csv").graphwell_label.notna().all()
    assert classify(blobs / "in.csv", "-o", blobs / "out.csv", "--missing", "mean").exit_code == 0
    assert pd.read_csv(blobs / "out.csv").graphwell_label.notna().all()


def test_the_command_gives_the_labels_of_the_library(tmp_path):
    X, truth = datasets.make_three_moons(n_per_class=100, dim=20, random_state=0)
    y = datasets.sample_labels(truth, 5, random_state=0)
    np.savez(tmp_path / "in.npz", X=X, y=y, truth=truth)
    finished = classify(
        tmp_path / "in.npz", "--label", "y", "--truth", "truth", "-o", tmp_path / "out.npz", "--seed", 3
    )
    assert finished.exit_code == 0, finished.output
    expected = DiffuseInterfaceClassifier(random_state=3).fit(X, y).transduction_
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["graphwell_label"], expected)


def test_options_reach_the_classifier(blobs):
    for option, value, name, found in [
        ("--neighbors", 7, "n_neighbors", 7),
        ("--start", "random", "start", "random"),
        ("--fidelity", 5, "fidelity", 5.0),
    ]:
        classify(blobs / "in.csv", "-o", blobs / "out.csv", "--checkpoint", blobs / "run", option, value)
        with np.load(blobs / "run") as saved:
            assert json.loads(str(saved["fingerprint"]))["settings"][name] == found
        (blobs / "run").unlink()


def test_a_method_is_chosen_by_name(blobs):
    arguments = [blobs / "in.csv", "--truth", "truth", "--drop", "name", "--json"]
    chosen = ("--method", "laplace", "--report", blobs / "r.html")
    finished = classify(*arguments, "-o", blobs / "out.csv", *chosen)
    assert finished.exit_code == 0, finished.output
    summary = json.loads(finished.stdout)
    assert summary["truth"]["accuracy"] > 0.95
    assert summary["status"] == "Method laplace: each vertex is the weighted mean of its neighbours."
    assert "The descent" not in (blobs / "r.html").read_text()
    default = classify(*arguments, "-o", blobs / "default.csv")
    assert list(json.loads(default.stdout)) == list(summary)


def test_columns_are_chosen_by_name(blobs):
    used = lambda *options: json.loads(  # noqa: E731
        classify(blobs / "in.csv", "-o", blobs / "o.csv", "--json", *options).stdout
    )["features"]
    assert used("--features", " x ") == ["x"]
    assert used("--drop", "x") == ["y"]
    assert used("--as-category", "y", "--as-number", "x") == ["x", "y"]
    frame = table_of_blobs(blobs / "in.csv").rename(columns={"x": "x, in m"})
    frame.to_csv(blobs / "in.csv", index=False)
    assert used("--features", '"x, in m",y') == ["x, in m", "y"]


def test_the_output_of_one_run_can_be_the_input_of_the_next(blobs):
    classify(blobs / "in.csv", "-o", blobs / "one.csv")
    again = classify(blobs / "one.csv", "-o", blobs / "two.csv")
    assert "Columns of an earlier run were not used and are replaced" in again.stdout
    assert (blobs / "one.csv").read_bytes() == (blobs / "two.csv").read_bytes()


def test_a_class_seen_once_works(blobs):
    frame = table_of_blobs(blobs / "in.csv")
    frame.loc[frame.index % 40 > 0, "label"] = ""
    frame.to_csv(blobs / "in.csv", index=False)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--json")
    assert [c["given"] for c in json.loads(finished.stdout)["classes"]] == [1, 1, 1]


def test_a_checkpoint_of_another_run_is_refused(blobs):
    options = ["-o", blobs / "out.csv", "--checkpoint", blobs / "run"]
    assert classify(blobs / "in.csv", *options).exit_code == 0
    first = (blobs / "out.csv").read_bytes()
    assert classify(blobs / "in.csv", *options).exit_code == 0
    assert (blobs / "out.csv").read_bytes() == first
    for other, words in [
        (["--fidelity", 3], "fidelity was 30.0 there and is 3.0 here"),
        (["--scale", "standard"], "the graph differs"),
        (["--label", "truth"], "the known labels differ"),
    ]:
        finished = classify(blobs / "in.csv", *options, *other)
        assert finished.exit_code == 2
        assert words in finished.stderr


def test_digits_with_five_labels_per_class(tmp_path):
    made = RUNNER.invoke(app, ["example", "digits", "-o", str(tmp_path / "digits.csv")])
    assert made.exit_code == 0, made.output
    finished = classify(
        tmp_path / "digits.csv", "--truth", "truth", "--id", "id", "-o", tmp_path / "out.csv", "--json"
    )
    summary = json.loads(finished.stdout)
    assert len(summary["features"]) == 61  # three of the 64 pixels are never inked
    assert summary["labels_given"] == 50
    assert summary["truth"]["of"] == 1747
    assert summary["truth"]["accuracy"] > 0.92
    pixels = pd.read_csv(tmp_path / "digits.csv").filter(like="pixel").to_numpy()
    np.testing.assert_array_equal(pixels, load_digits().data)
