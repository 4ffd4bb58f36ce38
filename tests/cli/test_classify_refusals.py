"""What `graphwell classify` refuses: in one sentence, and before the work."""

import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.blobs import blobs, classify

__all__ = ["blobs"]


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
