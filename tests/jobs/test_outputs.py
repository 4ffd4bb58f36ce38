"""Files checked before the work, warnings kept for after it."""

import warnings

import pytest

from graphwell.cli._options import in_flags
from graphwell.errors import OptionError, Sentence, warn_user
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.outputs import check_classify_files, notes_from_warnings


@pytest.mark.parametrize(
    ("names", "field", "words"),
    [
        ({"output": "out.docx"}, "output", "the name must end in .csv"),
        ({"output": "no/out.csv"}, "output", "does not exist"),
        ({"output": "in.csv"}, "output", "table and output are both the file"),
        ({"report": "page.pdf"}, "report", "must end in .html or .htm"),
        ({"checkpoint": "no/run"}, "checkpoint", "does not exist"),
        ({"output": "a.csv", "checkpoint": "a.csv"}, "checkpoint", "output and checkpoint are both"),
    ],
)
def test_names_are_refused_under_their_field(tmp_path, names, field, words):
    (tmp_path / "in.csv").write_text("x")
    paths = {name: tmp_path / value for name, value in names.items()}
    with pytest.raises(OptionError) as caught:
        check_classify_files(ClassifyOptions(table=tmp_path / "in.csv", **paths))
    assert caught.value.field == field
    assert words in str(caught.value)


def test_good_names_pass(tmp_path):
    paths = {"output": tmp_path / "o.npz", "report": tmp_path / "r.HTM", "checkpoint": tmp_path / "run"}
    check_classify_files(ClassifyOptions(table=tmp_path / "in.csv", **paths))
    check_classify_files(ClassifyOptions(table=tmp_path / "in.csv"))
    assert list(tmp_path.iterdir()) == []


def test_warnings_become_notes_once_each():
    with notes_from_warnings() as notes:
        for text in ("first {odd}", "second", "first {odd}"):
            warnings.warn(text, stacklevel=1)
    assert [str(note) for note in notes] == ["first {odd}", "second"]


def test_a_note_from_a_warning_names_options_as_a_face_does():
    with notes_from_warnings() as notes:
        warn_user(Sentence("{n_neighbors=10} is too much."))
    assert [str(note) for note in notes] == ["n_neighbors=10 is too much."]
    assert [note.worded(in_flags) for note in notes] == ["--set n_neighbors=10 is too much."]
