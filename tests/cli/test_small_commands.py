"""Commands beside the large ones: demo, example, doctor, suggest and compare."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from graphwell import __version__
from tests.cli.blobs import run
from tests.jobs.tables import write_blobs


@pytest.mark.slow
def test_the_demo_prints_its_figures_and_draws_a_picture(tmp_path):
    finished = run("demo", "--out", tmp_path / "demo")
    assert finished.exit_code == 0, finished.output
    shares = re.findall(r"│ (.+?) +│ +([\d.]+) % │", finished.stdout)
    wrong = {name: float(share) for name, share in shares}
    assert wrong["graphwell, 10 answers"] == min(wrong.values()) < 6
    assert wrong["graphwell, 10 random labels"] > 20
    assert (tmp_path / "demo" / "ten_questions.png").read_bytes().startswith(b"\x89PNG")


def test_example_digits(tmp_path):
    finished = run("example", "digits", "-o", tmp_path / "digits.csv")
    assert finished.exit_code == 0, finished.output
    assert "1,797 digits with 5 labels per class" in finished.output
    table = pd.read_csv(tmp_path / "digits.csv")
    assert len(table) == 1797
    assert table.label.value_counts().tolist() == [5] * 10


def test_example_image(tmp_path):
    finished = run("example", "image", "-o", tmp_path / "example")
    assert finished.exit_code == 0, finished.output
    assert "191 x 196 pixels with 54 of them marked" in " ".join(finished.output.split())
    assert np.load(tmp_path / "example" / "truth.npy").shape == (191, 196)


def test_a_file_is_no_folder_and_a_folder_must_be_there(tmp_path):
    (tmp_path / "taken").write_text("x")
    refused = run("example", "image", "-o", tmp_path / "taken")
    assert refused.exit_code == 2
    assert "--output" in refused.stderr
    assert "is a file; give the name of a folder" in refused.stderr
    assert run("example", "image", "-o", tmp_path / "no" / "folder").exit_code == 2
    assert run("example", "digits", "-o", tmp_path / "no" / "digits.csv").exit_code == 2


def test_doctor_prints_what_there_is_and_what_is_missing(monkeypatch):
    shown = run("doctor")
    assert shown.exit_code == 0
    for words in (__version__, "threads", "GPU", "compiled loops", "scikit-learn", "for Parquet tables"):
        assert words in shown.output
    assert json.loads(run("doctor", "--json").stdout)["graphwell"] == __version__
    monkeypatch.setattr("graphwell.jobs.doctor.find_spec", lambda name: None)
    assert 'pyarrow is not installed: pip install "graphwell[parquet]"' in run("doctor").output


def test_trouble_that_the_doctor_finds_ends_with_1_and_a_sentence(monkeypatch):
    monkeypatch.setattr("graphwell.backends.cpu.systems.cache_folder", lambda: None)
    shown = run("doctor")
    assert shown.exit_code == 1
    assert "graphwell: compiled loops cannot be kept" in shown.stderr


def test_from_no_label_to_a_labelled_table(tmp_path):
    truth = write_blobs(tmp_path / "in.csv")["truth"]
    bare = pd.read_csv(tmp_path / "in.csv").drop(columns=["label", "truth"])
    bare.to_csv(tmp_path / "bare.csv", index=False)
    asked = run("suggest", tmp_path / "bare.csv", "-n", 9, "--id", "name")
    assert asked.exit_code == 0, asked.output
    assert "120 rows, no label yet." in asked.stdout
    assert "largest group without a label" in asked.stdout
    ask = pd.read_csv(tmp_path / "bare.questions.csv")
    ask["label"] = truth[ask["graphwell_row"] - 1].to_numpy()
    ask.to_csv(tmp_path / "ask.csv", index=False)
    back = run("suggest", tmp_path / "bare.csv", "--answers", tmp_path / "ask.csv")
    assert back.exit_code == 0, back.output
    assert "9 answers merged; the table has 9 labels now." in back.stdout
    done = run("classify", tmp_path / "bare.answered.csv", "-o", tmp_path / "out.csv", "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert (pd.read_csv(tmp_path / "out.csv")["graphwell_label"] == truth).mean() > 0.98


def test_compare_prints_lines_and_a_table(tmp_path):
    write_blobs(tmp_path / "in.csv")
    methods = ("--methods", "nearest, logistic regression, binary interface", "--set", "splits=2")
    named = ("--id", "name", "--truth", "truth")
    shown = run("compare", tmp_path / "in.csv", *named, *methods, "--jobs", 1)
    assert shown.exit_code == 0, shown.output
    before, _, after = shown.stdout.partition("120 rows, 12 labels given, 3 classes.")
    for method in ("nearest", "logistic regression"):
        assert re.search(rf"^{method}: (9\d|100)\.\d\d % correct ± ", before, re.MULTILINE), (
            "a line before the table"
        )
    assert "Judged on the truth of all rows not shown: 120 different rows." in " ".join(after.split())
    assert "Left out: binary interface (tells at most 2 classes" in after
