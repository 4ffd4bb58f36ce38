"""Strokes as they come in from windows."""

import json

import numpy as np
import pytest

from graphwell.io.drawings import read_drawing as read_marks
from graphwell.serve.strokes import (
    MOST_CLASSES,
    MOST_STROKES,
    Strokes,
    checked_class,
    checked_stroke,
    first_classes,
)

GOOD = {"class": 0, "width": 3, "erase": False, "points": [[2, 2], [8.5, 4]]}


@pytest.fixture
def painting():
    made = Strokes((10, 12))
    made.do({"do": "classes", "classes": first_classes()})
    return made


def paint(painting, **changed):
    painting.do({"do": "stroke", **checked_stroke({**GOOD, **changed}, painting)})


def test_undoing_gives_the_pixels_before_back(painting):
    seen = [painting.seeds]
    for changed in (
        {},
        {"class": 1, "points": [[5, 0], [5, 9]]},
        {"erase": True, "points": [[5, 3]], "width": 6},
    ):
        paint(painting, **changed)
        seen.append(painting.seeds)
    assert (seen[1] != seen[0]).any()
    assert set(np.unique(seen[2])) == {-1, 0, 1}
    for before in reversed(seen[:-1]):
        painting.take_back({"do": "stroke"})
        assert (painting.seeds == before).all()


def test_the_document_marks_the_same_pixels_when_it_is_read(tmp_path, painting):
    paint(painting)
    paint(painting, **{"class": 1, "points": [[5, 0], [5, 9]]})
    paint(painting, erase=True, points=[[2, 2]])
    (tmp_path / "strokes.json").write_text(json.dumps(painting.document()))
    marks = read_marks(tmp_path / "strokes.json", (10, 12))
    assert (marks.classes == painting.seeds).all()
    assert marks.names == {0: "class 1", 1: "class 2"}


def test_classes_are_added_renamed_coloured_and_all_that_is_undone(painting):
    begun = painting.classes
    actions = [
        checked_class({"do": "add class", "name": " <b>leaf</b> "}, painting),
    ]
    painting.do(actions[0])
    actions.append(checked_class({"do": "rename class", "class": 2, "name": "stem"}, painting))
    painting.do(actions[1])
    actions.append(checked_class({"do": "color class", "class": 2, "color": "#ABCDEF"}, painting))
    painting.do(actions[2])
    assert painting.classes[2] == {"name": "stem", "color": "#abcdef"}
    painting.take_back(actions[2])
    painting.take_back(actions[1])
    assert painting.classes[2]["name"] == "<b>leaf</b>"
    painting.take_back(actions[0])
    assert painting.classes == begun


def test_the_number_of_strokes_is_limited(painting):
    painting.strokes = [GOOD] * MOST_STROKES
    with pytest.raises(ValueError, match="strokes already"):
        checked_stroke(GOOD, painting)


def test_the_number_of_classes_is_limited(painting):
    painting.do({"do": "classes", "classes": first_classes(tuple(map(str, range(MOST_CLASSES))))})
    with pytest.raises(ValueError, match="64 classes already"):
        checked_class({"do": "add class"}, painting)
