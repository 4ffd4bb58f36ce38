"""Drawings in JSON files."""

import json

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.images.drawn import read_marks
from graphwell.io.images.seeds import read_seeds

SHAPE = (20, 30)
STROKES = {
    "format": "graphwell-strokes",
    "version": 1,
    "size": [30, 20],
    "classes": [{"name": "leaf", "color": "#00ff00"}, {"name": "never drawn"}, {"name": "ground"}],
    "strokes": [
        {"class": 0, "width": 4, "points": [[4, 4], [20, 4]]},
        {"class": 2, "width": 4, "points": [[4, 15], [20, 15]]},
    ],
}


def write(tmp_path, document):
    path = tmp_path / "marks.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_names_and_colours_come_along(tmp_path):
    marks = read_seeds(write(tmp_path, STROKES), SHAPE)
    assert marks.names == {0: "leaf", 2: "ground"}
    assert marks.colors[0] == (0, 255, 0)
    assert set(np.unique(marks.classes)) == {-1, 0, 2}


def test_one_class_will_do(tmp_path):
    path = write(tmp_path, {**STROKES, "strokes": STROKES["strokes"][:1]})
    assert read_seeds(path, SHAPE).names == {0: "leaf"}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("", "is empty"),
        ("{", "is no JSON file"),
        ("[" * 100_000, "is no JSON file"),
        ([1, 2], "no drawing of a known kind; known are graphwell strokes, labelme, COCO, napari"),
        ({"format": "graphwell-strokes"}, "as a graphwell strokes drawing: 'version' is missing"),
        ({**STROKES, "size": 5}, "cannot be read as a graphwell strokes drawing"),
        (
            {**STROKES, "strokes": [{"class": 0, "width": "1", "points": [[1e400, 2]]}]},
            "points must be a list",
        ),
        ({**STROKES, "classes": None}, "cannot be read as a graphwell strokes drawing"),
        ({"shapes": [{}], "imageHeight": 20, "imageWidth": 30}, "as a labelme drawing: 'label' is missing"),
    ],
)
def test_garbled_files_are_refused_in_one_sentence(tmp_path, document, words):
    with pytest.raises(ValueError, match=words) as caught:
        read_marks(write(tmp_path, document), SHAPE)
    assert "\n" not in str(caught.value)


def test_absurd_numbers_do_no_harm(tmp_path):
    huge = [{"class": 0, "width": 1e300, "points": [[1, 1]]}, {"class": 2, "points": [[-1e6, 5], [1e6, 5]]}]
    marks = read_marks(write(tmp_path, {**STROKES, "strokes": huge}), SHAPE)
    assert [(marks.classes == c).sum() for c in (-1, 0, 2)] == [0, 19 * 30, 30]
    far = [{"class": 0, "points": [[-1e300, 5], [1e300, 5]]}]
    with pytest.raises(OptionError, match="points must be a list"):
        read_marks(write(tmp_path, {**STROKES, "strokes": far}), SHAPE)
