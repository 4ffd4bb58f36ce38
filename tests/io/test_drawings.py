"""Drawings of graphwell and labelme in JSON files."""

import json
from base64 import b64encode
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from graphwell.io.images import read_seeds

SHAPE = (10, 12)


def drawn(tmp_path, document):
    path = tmp_path / "marks.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return read_seeds(path, SHAPE)


def marked(drawing, number):
    """Rows and columns of the rectangle that a class covers whole."""
    rows, columns = (drawing.classes == number).nonzero()
    area = (rows.max() - rows.min() + 1) * (columns.max() - columns.min() + 1)
    assert len(rows) == area
    return rows.min(), rows.max(), columns.min(), columns.max()


def strokes(**changes):
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


def test_strokes_and_erasers(tmp_path):
    drawing = drawn(tmp_path, strokes())
    assert list(drawing.names.values()) == ["leaf", "ground"]
    assert drawing.colors[0] == (44, 160, 44)
    assert marked(drawing, 0) == (0, 4, 2, 2)
    assert marked(drawing, 1) == (8, 8, 6, 11)


def shapes(*found):
    return {"version": "5.5.0", "shapes": list(found), "imageHeight": SHAPE[0], "imageWidth": SHAPE[1]}


def shape(kind, label, *points, **more):
    return {"label": label, "points": [list(point) for point in points], "shape_type": kind, **more}


def test_every_kind_of_shape(tmp_path):
    picture = BytesIO()
    Image.fromarray(np.full((2, 3), 255, dtype=np.uint8)).save(picture, "PNG")
    drawing = drawn(
        tmp_path,
        shapes(
            shape("polygon", "a", (0, 0), (3, 0), (3, 2), (0, 2)),
            shape("rectangle", "b", (5, 0), (8, 2)),
            shape("line", "c", (0.5, 4.5), (4.5, 4.5)),
            shape("point", "d", (6.5, 4.5)),
            shape("mask", "e", (8, 7), (10, 8), mask=b64encode(picture.getvalue()).decode()),
            shape("circle", "f", (3.5, 7.5), (5.5, 7.5)),
            shape("linestrip", "a", (0.5, 9.5), (1.5, 9.5)),
        ),
    )
    assert list(drawing.names.values()) == ["a", "b", "c", "d", "e", "f"]
    assert marked(drawing, 1) == (0, 1, 5, 7)
    assert marked(drawing, 2) == (4, 4, 0, 4)
    assert marked(drawing, 3) == (4, 4, 6, 6)
    assert marked(drawing, 4) == (7, 8, 8, 10)
    assert (drawing.classes == 5).sum() == 13
    assert drawing.classes[9, 1] == drawing.classes[1, 2] == 0


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("", "is empty"),
        ("{", "is no JSON file"),
        ("[" * 100_000, "is no JSON file"),
        ([1, 2], "no drawing of a known kind; known are graphwell strokes and labelme"),
        ({"format": "graphwell-strokes"}, "as a graphwell strokes drawing: 'version' is missing"),
        (strokes(version=2), "only version 1 is known"),
        (strokes(size=[10, 12]), "drawn on a picture of 10 x 12"),
        (strokes(size=5), "cannot be read as a graphwell strokes drawing"),
        (strokes(classes=None), "cannot be read as a graphwell strokes drawing"),
        (strokes(strokes=[{"class": 2, "points": [[1, 1]]}]), "classes count from 0 to 1"),
        (strokes(strokes=[{"class": "leaf", "points": [[1, 1]]}]), "the class 'leaf'"),
        (strokes(strokes=[{"class": 0, "points": []}]), "points must be a list of pairs"),
        (strokes(strokes=[{"class": 0, "width": "1", "points": [[1e400, 2]]}]), "points must be a list"),
        (strokes(strokes=[{"class": 0, "points": [[-1e300, 5], [1e300, 5]]}]), "points must be a list"),
        (shapes({}), "as a labelme drawing: 'label' is missing"),
        (shapes(shape("spline", "a", (1, 1))), "of the kind 'spline'; known are polygon"),
        (shapes(shape("mask", "a", (0, 0), mask="AAAA")), "no PNG picture"),
        (shapes(shape("rectangle", "a", (0, 0))), "values to unpack"),
    ],
)
def test_garbled_files_are_refused_in_one_sentence(tmp_path, document, words):
    with pytest.raises(ValueError, match=words) as caught:
        drawn(tmp_path, document)
    assert "\n" not in str(caught.value)


def test_absurd_numbers_do_no_harm(tmp_path):
    huge = [{"class": 0, "width": 1e300, "points": [[1, 1]]}, {"class": 1, "points": [[-1e6, 5], [1e6, 5]]}]
    marks = drawn(tmp_path, strokes(strokes=huge))
    assert [(marks.classes == c).sum() for c in (-1, 0, 1)] == [0, 9 * 12, 12]


MIDDLES = np.stack(np.meshgrid(np.arange(SHAPE[1]) + 0.5, np.arange(SHAPE[0]) + 0.5), axis=-1)


def distance_to(start, end):
    """From the middle of each pixel to a piece of a line."""
    along = end - start
    share = np.clip((MIDDLES - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(MIDDLES - start - share[..., None] * along, axis=-1)


def inside_polygon(points):
    """The even-odd rule, one ray for each pixel."""
    found = np.zeros(SHAPE, dtype=bool)
    for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, axis=0), strict=True):
        for row, column in np.ndindex(SHAPE):
            x, y = column + 0.5, row + 0.5
            if (y0 <= y) != (y1 <= y) and x >= x0 + (y - y0) * (x1 - x0) / (y1 - y0):
                found[row, column] ^= True
    return found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("width", [1.0, 2.5, 9.0])
def test_strokes_and_polygons_cover_what_slow_obvious_versions_cover(tmp_path, seed, width):
    points = np.random.default_rng(seed).uniform((-8, -8), (SHAPE[1] + 8, SHAPE[0] + 8), (3 + seed, 2))
    stroke = {"class": 0, "width": width, "points": points.tolist()}
    wanted = np.min([distance_to(*piece) for piece in pairwise(points)], axis=0) <= width / 2
    for x, y in np.floor(points).astype(int):  # the pixel that holds a point is marked in any case
        if 0 <= x < SHAPE[1] and 0 <= y < SHAPE[0]:
            wanted[y, x] = True
    np.testing.assert_array_equal(drawn(tmp_path, strokes(strokes=[stroke])).classes == 0, wanted)
    found = drawn(tmp_path, shapes(shape("polygon", "a", *points.tolist())))
    np.testing.assert_array_equal(found.classes == 0, inside_polygon(points))


def test_what_is_small_marks_a_pixel_and_what_is_outside_none(tmp_path):
    tiny = shape("polygon", "a", (5.1, 6.1), (5.2, 6.1), (5.2, 6.2))
    far = shape("polygon", "b", (100, 100), (120, 100), (110, 110))
    found = drawn(tmp_path, shapes(tiny, shape("point", "a", (3.0, 4.99)), far))
    assert np.argwhere(found.classes >= 0).tolist() == [[4, 3], [6, 5]]
    line = {"class": 0, "width": 0.1, "points": [[0.0, 2.0], [12.0, 8.3]]}
    assert (drawn(tmp_path, strokes(strokes=[line])).classes == 0).any(axis=0).all()
