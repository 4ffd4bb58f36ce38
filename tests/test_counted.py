"""One row, two rows."""

from graphwell._counted import counted
from graphwell.active import Session


def test_one_thing_has_no_s():
    assert [counted(n, "row") for n in (0, 1, 2, 1000)] == ["0 rows", "1 row", "2 rows", "1,000 rows"]
    assert counted(1, "class", "classes") == "1 class"
    assert counted(3, "class", "classes") == "3 classes"


def test_a_question_about_one_row_speaks_of_one():
    rows = [[0.0], [0.1], [9.0], [9.1], [50.0]]
    questions = Session(rows, strategy="typiclust", n_neighbors=1, n_jobs=1).suggest(5)
    assert list(questions.reasons) == ["typical of 1 row"] * 5
