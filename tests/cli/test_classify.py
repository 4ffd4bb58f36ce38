"""`graphwell classify` as its users meet it."""

import csv
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from typer.testing import CliRunner

from graphwell import DiffuseInterfaceClassifier, datasets
from graphwell.cli.app import app

RUNNER = CliRunner()


def classify(*arguments):
    return RUNNER.invoke(app, ["classify", *map(str, arguments), "--jobs", "1"])


def table_of_blobs(path, unknown="", n=40, seed=0):
    """Three classes in the plane, four labels each, a text column and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(["ant", "bee", "cat"], n)
    points = rng.normal(size=(3 * n, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[np.repeat(np.arange(3), n)]
    given = np.arange(3 * n) % n < 4
    frame = pd.DataFrame({
        "name": [f"row {i}" for i in range(3 * n)],
        "x": points[:, 0].round(4),
        "y": points[:, 1].round(4),
        "label": np.where(given, truth, unknown),
        "truth": truth,
    })  # fmt: skip
    frame.to_csv(path, index=False)
    return frame


@pytest.fixture
def blobs(tmp_path):
    table_of_blobs(tmp_path / "in.csv")
    return tmp_path


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
        "│ x, y   │ number │ as it is          │",
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
    assert "as it is; 2 missing, filled in" in filled.stdout
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


BAD = {
    "missing": (None, [], "No such file or directory"),
    "empty": ("", [], "is empty"),
    "header only": ("x,label\n", [], "a header but no rows"),
    "truncated": ("x,label\n1,a\n2", [], "the file is truncated"),
    "binary": ("\x89PNG\x00", [], "not a text table"),
    "no label column": ("x,lable\n1,a\n2,b\n", [], "did you mean 'lable'"),
    "no known label": ("x,label\n1,\n2,NA\n", [], "no known label in column 'label'"),
    "constant label": ("x,label\n1,a\n2,a\n3,\n", [], "names a single class, 'a'"),
    "two columns of one name": ("x,x,label\n1,2,a\n2,3,b\n", [], "2 columns named 'x'"),
    "no features": (
        "x,label\nu,a\nu,b\n",
        [],
        "There is no column that rows could be compared by: x (left out",
    ),
    "no number": ("x,label\nu,a\nv,b\n", ["--as-number", "x"], "--as-number x: the column holds no number"),
    "two kinds": ("x,label\n1,a\n2,b\n", ["--as-number", "x", "--as-category", "x"], "--as-category names"),
    "nan": ("x,label\n1,a\nnan,b\n", ["--missing", "error"], "Row 2: the feature 'x' is missing"),
    "inf": ("x,label\n1,a\ninf,b\n", [], "Row 2: the feature 'x' is infinite"),
    "too large": ("x,y,label\n1,1,a\n1e200,2,b\n3,4,a\n", [], "Row 2: the feature 'x' is 1e+200"),
    "one row": ("x,label\n1,a\n", [], "names a single class"),
    "identical rows": ("x,label\n1,a\n1,b\n1,\n", ["--features", "x"], "only identical rows"),
    "unknown feature": ("x,label\n1,a\n2,b\n", ["--features", "z"], "--features z"),
    "label as a feature": ("x,label\n1,a\n2,b\n", ["--features", "label"], "another role"),
    "unknown id": ("x,label\n1,a\n2,b\n", ["--id", "z"], "--id z"),
    "unknown truth": ("x,label\n1,a\n2,b\n", ["--truth", "z"], "--truth z"),
    "unknown drop": ("x,label\n1,a\n2,b\n", ["--drop", "z"], "--drop z"),
    "empty truth": ("x,label,t\n1,a,\n2,b,\n", ["--truth", "t"], "there is nothing to compare"),
    "start": ("x,label\n1,a\n2,b\n3,\n", ["--start", "z"], "start must be one of"),
    "scale": ("x,label\n1,a\n2,b\n3,\n", ["--scale", "z"], "--scale must be one of"),
    "missing rule": ("x,label\n1,a\n2,b\n3,\n", ["--missing", "z"], "--missing must be one of"),
    "pca": ("x,label\n1,a\n2,b\n3,\n", ["--pca", "9"], "--pca 9"),
    "device": ("x,label\n1,a\n2,b\n3,\n", ["--device", "tpu"], "device must be one of"),
    "fidelity": ("x,label\n1,a\n2,b\n3,\n", ["--fidelity", "0"], "fidelity must be positive"),
    "holdout": ("x,label\n1,a\n2,b\n3,\n", ["--holdout", "2"], "--holdout must lie between 0 and 1"),
    "decimal": ("x,label\n1,a\n2,b\n3,\n", ["--decimal", "x"], "--decimal must be a point or a comma"),
    "delimiter": ("x,label\n1,a\n2,b\n3,\n", ["--delimiter", "::"], "--delimiter must be one character"),
    "encoding": ("x,label\n1,a\n2,b\n3,\n", ["--encoding", "z"], "--encoding z is not known"),
    "method": (
        "x,label\n1,a\n2,b\n3,\n",
        ["--method", "magic"],
        "--method must be one of diffuse",
    ),
    "not for the method": (
        "x,label\n1,a\n2,b\n3,\n",
        ["--method", "laplace", "--start", "random"],
        "--start means nothing to the method 'laplace'",
    ),
    "too many classes": (
        "x,label\n1,a\n2,b\n3,c\n4,\n",
        ["--method", "binary interface"],
        "--method 'binary interface' tells at most 2 classes apart, but 3 are given",
    ),
    "infinite, hint": ("x,label\n1,a\ninf,b\n", [], "give --missing drop or --missing mean."),
    "neighbors": ("x,label\n1,a\n2,b\n3,\n", ["--neighbors", "0"], "--neighbors"),
    "report folder": ("x,label\n1,a\n2,b\n3,\n", ["--report", "no/r.html"], "the folder no does not exist"),
    "report name": ("x,label\n1,a\n2,b\n3,\n", ["--report", "r.pdf"], "must end in .html or .htm"),
    "open quotation": ('x,label\n1,"a\n2,b\n', [], "a quotation mark is never closed"),
    "one missing value": (
        "x,label\n1,a\n,b\n2,\n",
        ["--missing", "error"],
        "Row 2: the feature 'x' is missing; fill it in",
    ),
    "checkpoint folder": (
        "x,label\n1,a\n2,b\n3,\n",
        ["--checkpoint", "no/c"],
        "the folder no does not exist",
    ),
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
    if not finished.stderr.startswith("Usage"):
        assert finished.stderr.startswith("graphwell: ")
        assert finished.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} <= {"in.csv"}


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npy", "npz"])
def test_a_file_of_any_kind_that_is_missing_empty_or_cut_is_one_sentence(tmp_path, suffix):
    X = np.arange(60.0).reshape(30, 2)
    whole = tmp_path / f"whole.{suffix}"
    if suffix == "npy":
        np.save(whole, X)
    elif suffix == "npz":
        np.savez(whole, X=X, y=np.arange(30) % 2)
    else:
        frame = pd.DataFrame(X, columns=["a", "b"]).assign(label="x")
        frame.to_csv(whole, index=False) if suffix == "csv" else frame.to_parquet(whole)
    content = whole.read_bytes()
    middle = content.index(b",", len(content) // 2) if suffix == "csv" else len(content) // 2
    (tmp_path / f"empty.{suffix}").touch()
    (tmp_path / f"cut.{suffix}").write_bytes(content[:middle])
    for name, words in [
        ("missing", "No such file or directory"),
        ("empty", f"empty.{suffix} is empty"),
        ("cut", "truncated"),
    ]:
        finished = classify(tmp_path / f"{name}.{suffix}", "-o", tmp_path / "out.csv")
        assert finished.exit_code == 2
        assert words in finished.stderr
        assert finished.stderr.count("\n") == 1
        assert not (tmp_path / "out.csv").exists()


def test_labels_of_another_length_than_the_rows_are_refused(tmp_path):
    np.savez(tmp_path / "in.npz", X=np.eye(4), y=np.arange(3))
    finished = classify(tmp_path / "in.npz", "--label", "y", "-o", tmp_path / "out.npz")
    assert finished.exit_code == 2
    assert "y has the shape (3,), but X has 4 rows" in finished.stderr


def test_outputs_that_cannot_be_written_are_refused_before_the_work(blobs):
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


def test_a_format_that_is_not_installed_is_refused_before_the_work(blobs, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.parquet")
    assert finished.exit_code == 2
    assert 'pip install "graphwell[parquet]"' in finished.stderr


def test_when_the_report_fails_there_is_no_output_either(blobs, monkeypatch):
    def fail(report, words):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("graphwell.view.report.report_page", fail)
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--report", blobs / "r.html")
    assert finished.exit_code == 2
    assert "No space left on device" in finished.stderr
    assert {path.name for path in blobs.iterdir()} == {"in.csv"}


def test_class_sizes_and_classes_without_a_label(blobs):
    frame = table_of_blobs(blobs / "in.csv")
    names = sorted(set(frame.truth))
    frame.loc[frame.label == names[-1], "label"] = ""
    frame.to_csv(blobs / "in.csv", index=False)
    sizes = ",".join(f"{name}={1 / len(names):.6f}" for name in names)
    finished = classify(
        blobs / "in.csv", "-o", blobs / "out.csv", "--truth", "truth", "--drop", "name",
        "--classes", names[-1], "--class-prior", sizes, "--json",
    )  # fmt: skip
    assert finished.exit_code in (0, 1)
    summary = json.loads(finished.stdout)
    assert [count["name"] for count in summary["classes"]] == names
    assert summary["classes"][-1]["given"] == 0
    assert summary["classes"][-1]["assigned"] > 0
    note = f"No row has the label {names[-1]} yet; rows get it only if --class-prior gives its size."
    assert note in summary["notes"]


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ("ant=x", "--class-prior: 'ant=x' is no size; write a=0.2 or a=0.05:0.2."),
        ("ant=0.1:0.2:0.3", "--class-prior: 'ant=0.1:0.2:0.3' is no size"),
        ("=0.2", "--class-prior: '=0.2' must name a class"),
        ("ant=0.2,ant=0.8", "--class-prior: 'ant=0.8' must name a class, each one once"),
        ("ant=0.5,owl=0.5", "--class-prior names the class 'owl', which no label has; correct it"),
        ("even", "--class-prior must be auto, labels or sizes by class"),
        ("ant=0.5,bee=0.2", "--class-prior must name exactly the classes; it lacks ['cat']"),
        ("ant=0.5,bee=0.2,cat=0.1", "--class-prior must sum to 1"),
        ("ant=0.5:0.2", "--class-prior has the bounds (0.5, 0.2) for 'ant'"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_class_sizes_gets_one_sentence(blobs, sizes, sentence):
    table_of_blobs(blobs / "in.csv")
    finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--drop", "name", "--class-prior", sizes)
    assert finished.exit_code == 2
    assert sentence in " ".join(finished.stderr.split())
    assert len(finished.stderr.strip().splitlines()) == 1


def test_class_sizes_mean_nothing_to_other_methods(blobs):
    table_of_blobs(blobs / "in.csv")
    for option in (["--class-prior", "auto"], ["--classes", "owl"]):
        finished = classify(blobs / "in.csv", "-o", blobs / "out.csv", "--method", "laplace", *option)
        assert finished.exit_code == 2
        assert f"{option[0]} means nothing to the method 'laplace'" in finished.stderr
