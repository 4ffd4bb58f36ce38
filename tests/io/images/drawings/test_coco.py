"""Annotations of the COCO format."""

import numpy as np
import pytest

from graphwell.io.images.drawings.coco import DIALECT
from tests.io.images.drawings.drawn import SHAPE, drawn, marked


def document(*annotations, pictures=("leaf.png",)):
    height, width = SHAPE
    return {
        "images": [
            {"id": i, "file_name": f"train/{name}", "height": height, "width": width}
            for i, name in enumerate(pictures)
        ],
        "categories": [{"id": 3, "name": "cat"}, {"id": 9, "name": "dog"}],
        "annotations": [{"image_id": 0, "category_id": 3, **found} for found in annotations],
    }


def runs(mask):
    """Lengths of runs down the columns, the first of unmarked pixels."""
    flat = mask.T.ravel()
    ends = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff([0, *ends, len(flat)]).tolist()
    return [0, *lengths] if flat[0] else lengths


def as_text(lengths):
    """The same as COCO packs it, five bits a character."""
    text = ""
    for i, length in enumerate(lengths):
        value, more = length - (lengths[i - 2] if i > 2 else 0), True
        while more:
            bits = value & 0x1F
            value >>= 5
            more = value != (-1 if bits & 0x10 else 0)
            text += chr(48 + (bits | 0x20 if more else bits))
    return text


def test_polygons():
    ring = [0, 0, 4, 0, 4, 3, 0, 3]
    drawing = drawn(
        DIALECT,
        document(
            {"segmentation": [ring]}, {"segmentation": [[8, 5, 12, 5, 12, 10, 8, 10]], "category_id": 9}
        ),
    )
    assert drawing.names == ["cat", "dog"]
    assert marked(drawing, 0) == (0, 2, 0, 3)
    assert marked(drawing, 1) == (5, 9, 8, 11)


@pytest.mark.parametrize("pack", [lambda lengths: lengths, as_text])
@pytest.mark.parametrize("seed", range(3))
def test_runs_of_pixels(pack, seed):
    mask = np.random.default_rng(seed).random(SHAPE) < (0.1, 0.5, 0.9)[seed]
    drawing = drawn(DIALECT, document({"segmentation": {"size": list(SHAPE), "counts": pack(runs(mask))}}))
    np.testing.assert_array_equal(drawing.raster.classes == 0, mask)


def test_long_runs_of_pixels():
    mask = np.zeros(SHAPE, dtype=bool)
    mask[3, 7] = True
    drawing = drawn(DIALECT, document({"segmentation": {"size": list(SHAPE), "counts": as_text(runs(mask))}}))
    assert marked(drawing, 0) == (3, 3, 7, 7)


def test_one_picture_of_many():
    both = document({"segmentation": [[0, 0, 4, 0, 4, 3]], "image_id": 1}, pictures=("a.png", "b.png"))
    assert (drawn(DIALECT, both, "b.png").raster.classes == 0).any()
    assert (drawn(DIALECT, both, "a.png").raster.classes == -1).all()
    with pytest.raises(ValueError, match=r"holds 2 pictures, 0 of them with the name c\.png"):
        drawn(DIALECT, both, "c.png")


@pytest.mark.parametrize(
    ("segmentation", "words"),
    [
        ([], "a box alone marks no pixels"),
        ({"size": [3, 3], "counts": [9]}, "a mask has the size"),
        ({"size": list(SHAPE), "counts": [9]}, "runs of a mask are 9 pixels long, not 120"),
        ([[1, 2, 3]], "reshape"),
    ],
)
def test_garbled_annotations_are_refused(segmentation, words):
    with pytest.raises(ValueError, match=words):
        drawn(DIALECT, document({"segmentation": segmentation}))
