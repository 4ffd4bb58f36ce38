"""Shapes of labelme."""

from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from graphwell.io.images.drawings.labelme import DIALECT
from tests.io.images.drawings.drawn import SHAPE, drawn, marked


def shapes(*found):
    return {"version": "5.5.0", "shapes": list(found), "imageHeight": SHAPE[0], "imageWidth": SHAPE[1]}


def shape(kind, label, *points, **more):
    return {"label": label, "points": [list(point) for point in points], "shape_type": kind, **more}


def test_every_kind_of_shape():
    picture = BytesIO()
    Image.fromarray(np.full((2, 3), 255, dtype=np.uint8)).save(picture, "PNG")
    drawing = drawn(
        DIALECT,
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
    assert drawing.names == ["a", "b", "c", "d", "e", "f"]
    assert marked(drawing, 1) == (0, 1, 5, 7)
    assert marked(drawing, 2) == (4, 4, 0, 4)
    assert marked(drawing, 3) == (4, 4, 6, 6)
    assert marked(drawing, 4) == (7, 8, 8, 10)
    assert (drawing.raster.classes == 5).sum() == 13
    assert drawing.raster.classes[9, 1] == drawing.raster.classes[1, 2] == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (shape("spline", "a", (1, 1)), "of the kind 'spline'; known are polygon"),
        (shape("mask", "a", (0, 0), mask="AAAA"), "no PNG picture"),
        (shape("rectangle", "a", (0, 0)), "values to unpack"),
    ],
)
def test_garbled_shapes_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        drawn(DIALECT, shapes(wrong))
