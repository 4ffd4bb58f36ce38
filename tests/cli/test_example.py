"""Examples to try the other commands on."""

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from graphwell.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["example", *map(str, arguments)])


def test_digits(tmp_path):
    finished = run("digits", "-o", tmp_path / "digits.csv", "--per-class", 3)
    assert finished.exit_code == 0, finished.output
    assert "1,797 digits with 3 labels per class" in finished.output
    table = pd.read_csv(tmp_path / "digits.csv")
    assert len(table) == 1797
    assert table.label.value_counts().tolist() == [3] * 10


def test_image(tmp_path):
    finished = run("image", "-o", tmp_path / "example", "--per-class", 7)
    assert finished.exit_code == 0, finished.output
    assert "191 x 196 pixels with 35 of them marked" in " ".join(finished.output.split())
    assert np.load(tmp_path / "example" / "truth.npy").shape == (191, 196)


def test_a_file_is_no_folder_and_a_folder_must_be_there(tmp_path):
    (tmp_path / "taken").write_text("x")
    refused = run("image", "-o", tmp_path / "taken")
    assert refused.exit_code == 2
    assert "--output" in refused.stderr
    assert "is a file; give the name of a folder" in refused.stderr
    assert run("image", "-o", tmp_path / "no" / "folder").exit_code == 2
    assert run("digits", "-o", tmp_path / "no" / "digits.csv").exit_code == 2
