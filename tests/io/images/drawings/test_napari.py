"""Layers of shapes of napari."""

import pytest

from graphwell.io.images.drawings.napari import DIALECT
from tests.io.images.drawings.drawn import drawn, marked

RECTANGLE = [[0, 0], [0, 3], [2, 3], [2, 0]]
PATH = [[8, 1], [8, 6]]


def layer(**changes):
    return {
        "shape_type": ["rectangle", "path"],
        "edge_width": 1,
        "features": {"class": ["a", "b"]},
        **changes,
    }


@pytest.mark.parametrize(
    "document",
    [
        [[RECTANGLE, PATH], layer(), "shapes"],
        {"data": [RECTANGLE, PATH], **layer()},
        {"data": [RECTANGLE, PATH], **layer(features={"class": {"0": "a", "1": "b"}})},
        {"data": [RECTANGLE, PATH], **layer(features=None, properties={"kind": ["a", "b"]})},
    ],
)
def test_rows_come_first_and_whole_numbers_are_middles(document):
    drawing = drawn(DIALECT, document)
    assert drawing.names == ["a", "b"]
    assert marked(drawing, 0) == (0, 1, 0, 2)
    assert marked(drawing, 1) == (8, 8, 1, 6)


def test_an_ellipse_is_round():
    square = [[1, 1], [1, 9], [9, 9], [9, 1]]
    drawing = drawn(DIALECT, [[square], layer(shape_type="ellipse", features={"class": ["a"]}), "shapes"])
    inside = drawing.raster.classes == 0
    assert inside[5, 2]
    assert not inside[1, 1]
    assert 40 < inside.sum() < 60


@pytest.mark.parametrize(
    ("features", "words"), [({}, "no class; give the layer a feature"), ({"class": ["a"]}, "but 1 values")]
)
def test_shapes_without_classes_are_refused(features, words):
    with pytest.raises(ValueError, match=words):
        drawn(DIALECT, [[RECTANGLE, PATH], layer(features=features), "shapes"])
