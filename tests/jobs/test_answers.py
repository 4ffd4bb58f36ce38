"""Answers, brought back."""

import pytest

from graphwell.jobs.answers import MergeOptions, merge_answers

TABLE = "id,x,label\na,1,cat\nb,2,\nc,3,\nd,4,dog\n"
HEADER = "graphwell_row,id,graphwell_reason,label,x\n"


def merged(folder, answers, table=TABLE, **options):
    (folder / "in.csv").write_text(table)
    (folder / "ask.csv").write_text(answers)
    options = {
        "table": folder / "in.csv",
        "answers": folder / "ask.csv",
        "output": folder / "out.csv",
        **options,
    }
    return merge_answers(MergeOptions(**options))


def test_answers_corrections_and_cannot_tell(tmp_path):
    report = merged(
        tmp_path, HEADER + "3,c,border, owl ,3\n2,b,border,?,2\n4,d,border,cat,4\n1,a,border,,1\n"
    )
    assert (tmp_path / "out.csv").read_text() == "id,x,label\na,1,cat\nb,2,?\nc,3,owl\nd,4,cat\n"
    assert (report.answered, report.corrected, report.cannot_tell, report.unanswered) == (2, 1, 1, 1)
    assert report.labels == 3
    assert report.to_json()["answered"] == 2
    assert report.notes == ()  # `classify` takes ? for unknown


def test_a_table_without_labels_gets_a_column_for_them(tmp_path):
    merged(tmp_path, "graphwell_row,graphwell_reason,label,x\n2,why,dog,2\n", "x\n1\n2\n")
    assert (tmp_path / "out.csv").read_text() == "x,label\n1,\n2,dog\n"


@pytest.mark.parametrize(
    ("problem", "answers"),
    [
        ("no column 'graphwell_row'", "id,label\na,cat\n"),
        ("names row 9, but .* has rows 1 to 4", HEADER + "9,a,why,cat,1\n"),
        ("names row 2 twice", HEADER + "2,b,why,cat,2\n2,b,why,dog,2\n"),
        ("must hold row numbers", HEADER + "two,b,why,cat,2\n"),
        ("row 2 has another 'x'", HEADER + "2,b,why,cat,5\n"),
        ("row 2 has another 'id'", HEADER + "2,z,why,cat,2\n"),
    ],
)
def test_answers_that_do_not_fit_write_nothing(tmp_path, problem, answers):
    with pytest.raises(ValueError, match=problem):
        merged(tmp_path, answers)
    assert not (tmp_path / "out.csv").exists()


def test_the_column_of_answers_must_be_there(tmp_path):
    with pytest.raises(ValueError, match=r"label kind: .* has no such column"):
        merged(tmp_path, HEADER + "2,b,why,cat,2\n", label="kind")
