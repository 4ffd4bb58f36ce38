"""Commands to begin with: demo, example, doctor."""

import json

import numpy as np
import pandas as pd
import pytest

from graphwell import __version__
from tests.cli.blobs import run


@pytest.mark.slow
def test_the_demo_prints_tables_and_writes_pictures(tmp_path):
    finished = run("demo", "--out", tmp_path / "demo")
    assert finished.exit_code == 0, finished.output
    assert "graphwell, 10 answers" in finished.stdout
    assert (tmp_path / "demo" / "ten_questions.png").read_bytes().startswith(b"\x89PNG")


def test_example_digits(tmp_path):
    finished = run("example", "digits", "-o", tmp_path / "digits.csv", "--per-class", 3)
    assert finished.exit_code == 0, finished.output
    assert "1,797 digits with 3 labels per class" in finished.output
    table = pd.read_csv(tmp_path / "digits.csv")
    assert len(table) == 1797
    assert table.label.value_counts().tolist() == [3] * 10


def test_example_image(tmp_path):
    finished = run("example", "image", "-o", tmp_path / "example", "--per-class", 7)
    assert finished.exit_code == 0, finished.output
    assert "191 x 196 pixels with 35 of them marked" in " ".join(finished.output.split())
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
    assert json.loads(run("doctor", "--json").stdout)["version"] == __version__
    monkeypatch.setattr("graphwell.jobs.doctor.find_spec", lambda name: None)
    assert 'pyarrow is not installed: pip install "graphwell[parquet]"' in run("doctor").output


def test_trouble_that_the_doctor_finds_ends_with_1_and_a_sentence(monkeypatch):
    monkeypatch.setattr("graphwell.backends.cpu.systems.cache_folder", lambda: None)
    shown = run("doctor")
    assert shown.exit_code == 1
    assert "graphwell: compiled loops cannot be kept" in shown.stderr
