"""Regions that nobody marked: wrong pixels beside the nearest mean colour of the marks.

In the first kinds of picture, colours tell the classes apart, and a few small marks lie in a few of many
separate regions. In the last two, colours repeat or drift, and only place tells. Constants were chosen on
even seeds; odd ones count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import ndimage

import graphwell as gw
from benchmarks.output import show_table
from graphwell.segmentation.features import picture_features

SEEDS = (1, 3, 5, 7, 9)
BLURS = (1.0, 2.0)


@dataclass(frozen=True)
class Unmarked:
    """Mean wrong per cent of one kind of picture, by method."""

    kind: str
    wrong: dict[str, float]


def landscape(rng: Any) -> tuple[Any, Any, Any]:
    """Three to five crops, each with a year of its own in twelve noisy months."""
    n, width, months = int(rng.integers(3, 6)), rng.uniform(6, 13), np.arange(12)
    truth = ndimage.gaussian_filter(rng.standard_normal((n, 80, 120)), (0, width, width)).argmax(axis=0)
    years = [
        rng.uniform(0.05, 0.5)
        + rng.uniform(0, 0.7) * np.exp(-(((months - rng.uniform(1, 11)) / rng.uniform(1.2, 3)) ** 2))
        for _ in range(n)
    ]
    image = np.array(years)[truth] + rng.uniform(0.1, 0.3) * rng.standard_normal((80, 120, 12))
    return image, marked(truth, rng, 3, 1), truth


def parcels(rng: Any) -> tuple[Any, Any, Any]:
    """Sixty fields in three to six colours."""
    n, regions = int(rng.integers(3, 7)), districts(rng, 60)
    classes = np.concatenate([np.arange(n), rng.integers(0, n, 60 - n)])
    colors = apart(rng, n, 0.25)[classes] + rng.uniform(0, 0.04) * rng.standard_normal((60, 3))
    image = colors[regions] + rng.uniform(0.02, 0.15) * rng.standard_normal((200, 200, 3))
    return np.clip(image, 0, 1), marked(classes[regions], rng, 2, 2), classes[regions]


def cells(rng: Any) -> tuple[Any, Any, Any]:
    """Round cells of uneven brightness on a ground that brightens; one of them is marked."""
    rows, columns = np.indices((200, 200))
    truth, image = np.zeros((200, 200), dtype=int), 0.25 + rng.uniform(0, 0.15) * (rows + columns) / 400
    for row, column in rng.permutation([(r, c) for r in range(25, 200, 38) for c in range(25, 200, 38)]):
        inside = np.hypot(rows - row, columns - column) < rng.uniform(6, 13)
        truth[inside] = 1
        image[inside] += rng.normal(0.35, 0.06)
    image = ndimage.gaussian_filter(image, 1) + rng.uniform(0.02, 0.1) * rng.standard_normal((200, 200))
    return np.clip(image, 0, 1), marked(truth, rng, 1, 3), truth


def blobs(rng: Any) -> tuple[Any, Any, Any]:
    """Two phases in strong noise, one mark each."""
    truth = (ndimage.gaussian_filter(rng.standard_normal((200, 200)), rng.uniform(5, 10)) > 0).astype(int)
    image = np.array([0.35, 0.65])[truth] + rng.uniform(0.05, 0.25) * rng.standard_normal((200, 200))
    return image, marked(truth, rng, 1, 2), truth


def repeated(rng: Any) -> tuple[Any, Any, Any]:
    """Twelve regions in three colours, each a class of its own, parted by dark lines."""
    truth = districts(rng, 12)
    image = apart(rng, 3, 0.3)[rng.integers(0, 3, 12)][truth]
    image[ndimage.maximum_filter(truth, 3) != ndimage.minimum_filter(truth, 3)] = 0.1
    image += rng.uniform(0.01, 0.06) * rng.standard_normal(image.shape)
    return np.clip(image, 0, 1), marked(truth, rng, 1, 4), truth


def drifting(rng: Any) -> tuple[Any, Any, Any]:
    """Nine marked discs that are brighter than the ground beside them, which brightens by more than that."""
    rows, columns = np.indices((200, 200))
    truth, marks = np.zeros((200, 200), dtype=int), np.full((200, 200), -1)
    for row, column in ((r, c) for r in (40, 100, 160) for c in (40, 100, 160)):
        truth[np.hypot(rows - row, columns - column) < rng.uniform(12, 22)] = 1
        marks[row - 2 : row + 3, column - 2 : column + 3] = 1
    image = 0.15 + 0.5 * columns / 200 + rng.uniform(0.12, 0.2) * truth
    ground = marked(np.where(truth == 1, -1, 0), rng, 6, 3)
    return image + 0.03 * rng.standard_normal((200, 200)), np.where(ground >= 0, ground, marks), truth


KINDS: tuple[Callable[[Any], tuple[Any, Any, Any]], ...] = (
    landscape, parcels, cells, blobs, repeated, drifting
)  # fmt: skip


def districts(rng: Any, n: int) -> Any:
    """Number of the nearest of some random points, at each pixel."""
    places = np.moveaxis(np.indices((200, 200)), 0, -1)[:, :, None]
    return ((places - rng.uniform(0, 200, (n, 2))) ** 2).sum(axis=-1).argmin(axis=-1)


def apart(rng: Any, n: int, least: float) -> Any:
    """Colours that differ by at least so much."""
    while True:
        colors = rng.uniform(0.1, 0.9, (n, 3))
        if (np.linalg.norm(colors[:, None] - colors, axis=-1) + np.eye(n)).min() > least:
            return colors


def marked(truth: Any, rng: Any, per_class: int, radius: int) -> Any:
    """So many small discs of each class, away from its borders."""
    marks, places = np.full(truth.shape, -1), np.indices(truth.shape)
    for number in np.unique(truth[truth >= 0]):
        inside = np.argwhere(ndimage.distance_transform_edt(truth == number) > radius + 1)
        for centre in inside[rng.choice(len(inside), per_class)]:
            marks[((places - centre[:, None, None]) ** 2).sum(axis=0) <= radius**2] = number
    return marks


def nearest_mean(image: Any, marks: Any, blur: float) -> Any:
    """The class whose marks have the nearest mean colour, after a blur."""
    values = picture_features(image).values
    values = ndimage.gaussian_filter(values, (blur, blur, 0))
    classes = np.unique(marks[marks >= 0])
    off = [((values - values[marks == k].mean(axis=0)) ** 2).sum(axis=-1) for k in classes]
    return classes[np.argmin(off, axis=0)]


def compare_unmarked(quick: bool) -> tuple[list[Unmarked], list[str]]:
    """Print the table; return it with the kinds on which the nearest mean is better."""
    methods: dict[str, Callable[[Any, Any], Any]] = {"graphwell": lambda i, m: gw.segment(i, m, n_jobs=1)}
    methods |= {f"nearest mean, blur {b:g}": partial(nearest_mean, blur=b) for b in BLURS}
    found = []
    for number, kind in enumerate(KINDS):
        wrong: dict[str, list[float]] = {name: [] for name in methods}
        for seed in SEEDS[: 2 if quick else None]:
            image, marks, truth = kind(np.random.default_rng((number, seed)))
            for name, label in methods.items():
                wrong[name].append(100 * float((label(image, marks) != truth).mean()))
        found.append(Unmarked(kind.__name__, {name: float(np.mean(w)) for name, w in wrong.items()}))
    rows = [[f.kind, *(f"{w:.2f}" for w in f.wrong.values())] for f in found]
    show_table("Regions without a mark, wrong %", ("picture", *methods), rows)
    lost = [f for f in found if f.wrong["graphwell"] > min(f.wrong.values())]
    return found, [f"{f.kind}: the nearest mean of the marks' colours is better" for f in lost]
