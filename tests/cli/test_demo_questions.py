"""The digits of the demo."""

import pytest

from graphwell.cli.demo_questions import run_questions


@pytest.mark.slow
def test_ten_answers_are_worth_more_than_ten_random_labels(tmp_path):
    rows, picture = run_questions(tmp_path)
    errors = {row.method: row.error for row in rows}
    assert errors["graphwell, 10 answers"] < 0.06
    assert errors["graphwell, 10 answers"] == min(errors.values())
    assert errors["graphwell, 10 random labels"] > 0.2
    assert picture.read_bytes().startswith(b"\x89PNG")
