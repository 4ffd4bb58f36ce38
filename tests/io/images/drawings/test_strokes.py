"""The strokes of graphwell's own page."""

import pytest

from graphwell.io.images.drawings.strokes import DIALECT
from tests.io.images.drawings.drawn import drawn, marked


def document(**changes):
    return {
        "format": "graphwell-strokes",
        "version": 1,
        "size": [12, 10],
        "classes": [{"name": "leaf", "color": "#2ca02c"}, {"name": "ground"}],
        "strokes": [
            {"class": 1, "width": 1, "points": [[0.5, 8.5], [11.5, 8.5]]},
            {"class": 0, "width": 1, "erase": False, "points": [[2.5, 0.5], [2.5, 4.5]]},
            {"width": 1, "erase": True, "points": [[0.5, 8.5], [5.5, 8.5]]},
        ],
        **changes,
    }


def test_strokes_and_erasers():
    drawing = drawn(DIALECT, document())
    assert drawing.names == ["leaf", "ground"]
    assert drawing.colors == {0: (44, 160, 44)}
    assert marked(drawing, 0) == (0, 4, 2, 2)
    assert marked(drawing, 1) == (8, 8, 6, 11)


def test_classes_of_one_name_are_one_class():
    classes = [{"name": "leaf"}, {"name": "leaf"}, {"name": "ground"}]
    strokes = [{"class": place, "points": [[place + 0.5, 0.5]]} for place in range(3)]
    drawing = drawn(DIALECT, document(classes=classes, strokes=strokes))
    assert drawing.names == ["leaf", "ground"]
    assert drawing.raster.classes[0, :4].tolist() == [0, 0, 1, -1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "only version 1 is known"),
        ({"size": [10, 12]}, "drawn on a picture of 10 x 12"),
        ({"strokes": [{"class": 2, "points": [[1, 1]]}]}, "classes count from 0 to 1"),
        ({"strokes": [{"class": "leaf", "points": [[1, 1]]}]}, "the class 'leaf'"),
        ({"strokes": [{"class": 0, "points": []}]}, "points must be a list of pairs"),
    ],
)
def test_garbled_strokes_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        drawn(DIALECT, document(**changes))
