"""Regions of a segmented picture as polygons: GeoJSON, COCO, and the tasks of Label Studio.

Points are (x, y) from the upper left corner, in pixels: the middle of the first is (0.5, 0.5). Outlines run
between the middles of pixels, so whoever fills them finds the same pixels again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.io.files import written_whole

# A region: its class, its outline, then those of its holes.
Region = tuple[int, list[FloatArray]]


def write_polygons(labels: IntArray, names: Sequence[str], picture: str, stem: Path) -> tuple[Path, ...]:
    """Write three files whose names begin with a stem: the regions of a picture with this file name.

    Labels are numbers of classes, which have names; pixels below 0 lie in no region.
    """
    found = regions(labels)
    features = [
        {
            "type": "Feature",
            "properties": {"class": names[number]},
            "geometry": {"type": "Polygon", "coordinates": [ring.tolist() for ring in rings]},
        }
        for number, rings in found
    ]
    documents = {
        "polygons.geojson": {"type": "FeatureCollection", "features": features},
        "coco.json": _coco(found, names, picture, labels),
        "labelstudio.json": _label_studio(found, names, picture, labels.shape),
    }
    files = []
    for ending, document in documents.items():
        files.append(stem.with_name(f"{stem.name}_{ending}"))
        with written_whole(files[-1]) as file:
            file.write(json.dumps(document).encode())
    return tuple(files)


def regions(labels: IntArray) -> list[Region]:
    """All regions, the largest first: drawn in this order, holes are filled by what lies in them.

    Examples
    --------
    >>> labels = np.zeros((5, 5), dtype=int)
    >>> labels[2, 2] = 1
    >>> [(number, len(rings)) for number, rings in regions(labels)]
    [(0, 2), (1, 1)]
    """
    from contourpy import FillType, contour_generator

    found: list[Region] = []
    for number in np.unique(labels[labels >= 0]).tolist():
        mask = np.pad(labels == number, 1).astype(np.float64)
        lines = contour_generator(z=mask, fill_type=FillType.OuterOffset).filled(0.5, 2.0)
        for points, offsets in zip(*lines, strict=True):
            rings = np.split(points - 0.5, offsets[1:-1])  # less the margin, plus the half to the middle
            found.append((number, rings))
    return sorted(found, key=lambda region: -abs(_area(region[1][0])))


def _area(ring: FloatArray) -> float:
    """Area within a closed line, negative if it turns the other way."""
    x, y = ring.T
    return float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1])) / 2


def _coco(found: list[Region], names: Sequence[str], picture: str, labels: IntArray) -> dict[str, Any]:
    """Polygons; a region with holes, which polygons of COCO cannot have, as runs of pixels."""
    from graphwell.io.drawings import Drawing

    height, width = labels.shape
    annotations = []
    for at, (number, rings) in enumerate(found, start=1):
        low, high = rings[0].min(axis=0), rings[0].max(axis=0)
        if len(rings) == 1:
            marked: Any = [rings[0][:-1].ravel().tolist()]
        else:
            drawing = Drawing((height, width))
            drawing.polygon(rings[0][:-1], 0)
            for hole in rings[1:]:
                drawing.polygon(hole[:-1], -1)
            # Lengths of the runs down the columns, unmarked and marked by turns.
            flat = np.concatenate([[False], (drawing.classes >= 0).T.ravel()])
            ends = np.flatnonzero(np.diff(flat))
            runs = np.diff(np.concatenate([[0], ends, [drawing.classes.size]]))
            marked = {"size": [height, width], "counts": runs.tolist()}
        annotations.append(
            {
                "id": at,
                "image_id": 1,
                "category_id": number + 1,
                "segmentation": marked,
                "iscrowd": int(len(rings) > 1),
                "area": abs(_area(rings[0])) - sum(abs(_area(hole)) for hole in rings[1:]),
                "bbox": [*low.tolist(), *(high - low).tolist()],
            }
        )
    return {
        "images": [{"id": 1, "file_name": picture, "width": width, "height": height}],
        "categories": [{"id": number + 1, "name": name} for number, name in enumerate(names)],
        "annotations": annotations,
    }


def _label_studio(
    found: list[Region], names: Sequence[str], picture: str, shape: tuple[int, ...]
) -> list[dict[str, Any]]:
    """A task with one annotation; points in per cent, holes below what lies in them."""
    height, width = shape
    results = [
        {
            "type": "polygonlabels",
            "from_name": "label",
            "to_name": "image",
            "original_width": width,
            "original_height": height,
            "image_rotation": 0,
            "value": {
                "points": (rings[0][:-1] * (100 / width, 100 / height)).tolist(),
                "polygonlabels": [names[number]],
            },
        }
        for number, rings in found
    ]
    return [{"data": {"image": picture}, "annotations": [{"result": results}]}]
