"""Polygons that are filled again give the picture that they were made of."""

import json

import numpy as np
import pytest

from graphwell.io.drawings import Drawing
from graphwell.io.polygons import write_polygons

NAMES = ["<b>leaf</b>", "stem", "none here", "ground"]


@pytest.fixture(params=["noise", "rings", "one"])
def labels(request):
    if request.param == "noise":
        return np.random.default_rng(0).choice([-1, 0, 1, 3], size=(23, 31), p=[0.05, 0.6, 0.2, 0.15])
    made = np.zeros((40, 50), dtype=int)
    if request.param == "rings":
        made[5:35, 5:45] = 1
        made[10:30, 10:40] = 3
        made[15:25, 15:35] = 1
        made[20, 20] = 0
        made[36:38, 2:4] = -1
    return made


def drawn(shape, rings_by_class):
    """Classes of pixels after polygons are filled one by one, holes emptied."""
    drawing = Drawing(shape)
    for number, rings in rings_by_class:
        one = Drawing(shape)
        one.polygon(rings[0], 0)
        for hole in rings[1:]:
            one.polygon(hole, -1)
        drawing.classes[one.classes == 0] = number
    return drawing.classes


def test_all_three_files_hold_the_picture(tmp_path, labels):
    geojson, coco, studio = write_polygons(labels, NAMES, "a.png", tmp_path / "a")
    assert [path.name for path in (geojson, coco, studio)] == [
        "a_polygons.geojson", "a_coco.json", "a_labelstudio.json",
    ]  # fmt: skip
    features = json.loads(geojson.read_text())["features"]
    rings = [(NAMES.index(f["properties"]["class"]), f["geometry"]["coordinates"]) for f in features]
    assert all(ring[0] == ring[-1] for _, each in rings for ring in each)
    np.testing.assert_array_equal(drawn(labels.shape, rings), labels)

    annotations, found = json.loads(coco.read_text())["annotations"], np.full(labels.shape, -1)
    for each in annotations:
        marked, one = each["segmentation"], Drawing(labels.shape)
        if isinstance(marked, dict):  # runs down the columns, unmarked and marked by turns
            runs = np.repeat(np.arange(len(marked["counts"])) % 2, marked["counts"])
            one.classes[runs.reshape(marked["size"][::-1]).T == 1] = 0
        else:
            one.polygon(np.reshape(marked[0], (-1, 2)), 0)
        assert (found[one.classes == 0] == -1).all()  # regions do not overlap
        found[one.classes == 0] = each["category_id"] - 1
    np.testing.assert_array_equal(found, labels)
    assert sum(each["area"] for each in annotations) == pytest.approx((labels >= 0).sum(), rel=0.2)

    [task] = json.loads(studio.read_text())
    height, width = labels.shape
    polygons = [
        (
            NAMES.index(value["polygonlabels"][0]),
            [[[x * width / 100, y * height / 100] for x, y in value["points"]]],
        )
        for value in (each["value"] for each in task["annotations"][0]["result"])
    ]
    known = labels >= 0  # what has no class is covered by the region around it
    np.testing.assert_array_equal(drawn(labels.shape, polygons)[known], labels[known])
