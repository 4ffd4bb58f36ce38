"""The demo."""

import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app
from graphwell.cli.demo import run_demo


@pytest.mark.slow
def test_it_prints_a_table_and_writes_a_picture(tmp_path):
    finished = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "demo")])
    assert finished.exit_code == 0, finished.output
    for method in ("nearest labelled point", "spectral clustering", "fixed epsilon", "annealed epsilon"):
        assert method in finished.stdout
    assert "graphwell, 10 answers" in finished.stdout
    for name in ("three_moons.png", "ten_questions.png"):
        assert (tmp_path / "demo" / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_default_is_the_best_of_the_table(tmp_path):
    rows, picture = run_demo(tmp_path)
    assert picture.exists()
    errors = {row.method: row.error for row in rows}
    assert errors["graphwell, default"] == min(errors.values())
    assert errors["graphwell, annealed epsilon"] < errors["graphwell, fixed epsilon"]
