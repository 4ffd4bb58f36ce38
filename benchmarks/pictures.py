"""Pictures with a truth and seeds, both made by rule.

- ``grey``: `graphwell.datasets.make_grey_image`, five classes, with noise.
- ``coins``: scikit-image's coins. Truth, after its user guide: watershed on the Sobel gradient from pixels
  darker than 30 (ground) and brighter than 150 (coin); holes filled, parts of up to 100 pixels left out.
- ``camera``: the photographer. Truth: blur by one pixel, take what is darker than 64, open it with a disc of
  two pixels, keep its largest part, fill its holes.
- ``astronaut``: the orange suit, with the red of the flag behind it. Truth: blur by one pixel, take where
  red exceeds blue by 0.2, close it with a disc of two pixels, keep its largest part, fill its holes.

Seeds of the photographs keep three pixels away from the border of the truth, as a user's would.

Photographs with real strokes lie in ``../shared/data/marked`` and belong to their owners: ``NAME.jpg`` has
marks (``NAME_sparse.png``, ``NAME_dense.png`` or ``NAME_marks.png``) and ``NAME_truth.png``; 255 is unknown.
Weights were chosen on pictures at even places of the sorted list; those at odd ones count.

In the first kinds of picture with regions that nobody marked, colours tell the classes apart, and a few small
marks lie in a few of many separate regions. In the last two, colours repeat or drift, and only place tells.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

import graphwell as gw
from graphwell.datasets.strokes import strokes

PHOTOGRAPHS = ("coins", "camera", "astronaut")
MARGIN = 3
FOLDER = Path(__file__).parent.parent.parent / "shared" / "data" / "marked"
UNKNOWN = 255
MARKS = {"sparse": "object, sparse strokes", "dense": "object, denser strokes", "marks": "many classes"}
LEAST_STROKE = 5
"""Pixels of the smallest stroke that is left out."""


def photograph(name: str) -> tuple[Any, Any]:
    """A picture of scikit-image, and the class of each of its pixels."""
    from skimage import data, filters, morphology, segmentation

    image = getattr(data, name)()
    if name == "coins":
        markers = np.where(image < 30, 1, np.where(image > 150, 2, 0))
        coins = segmentation.watershed(filters.sobel(image), markers) == 2
        truth = ndimage.binary_fill_holes(coins)
        return image, morphology.remove_small_objects(truth, max_size=100).astype(int)
    blurred = ndimage.gaussian_filter(image / 255.0, (1, 1, 0)[: image.ndim])
    if name == "camera":
        part = morphology.opening(blurred < 64 / 255, morphology.disk(2))
    else:
        part = morphology.closing(blurred[..., 0] - blurred[..., 2] > 0.2, morphology.disk(2))
    numbers, _ = ndimage.label(part)
    largest = numbers == 1 + np.bincount(numbers[numbers > 0] - 1).argmax()
    return image, ndimage.binary_fill_holes(largest).astype(int)


def anywhere(n_seeds: int) -> Callable[[Any, int], Any]:
    """Seeds at random pixels of the whole picture."""

    def seeds(truth: Any, seed_set: int) -> Any:
        marked = np.random.default_rng(seed_set).choice(truth.size, n_seeds, replace=False)
        found = np.full(truth.size, -1)
        found[marked] = truth.ravel()[marked]
        return found.reshape(truth.shape)

    return seeds


def per_class(n_seeds: int, margin: int = 0) -> Callable[[Any, int], Any]:
    """So many seeds of each class, at random pixels away from its border."""

    def seeds(truth: Any, seed_set: int) -> Any:
        inside = np.full(truth.shape, -1)
        for c in np.unique(truth):
            part = truth == c
            if margin:
                part = ndimage.binary_erosion(part, iterations=margin, border_value=1)
            inside[part] = c
        allowed = np.flatnonzero(inside >= 0)
        found = np.full(truth.size, -1)
        found[allowed] = gw.datasets.sample_labels(inside.ravel()[allowed], n_seeds, seed_set)
        return found.reshape(truth.shape)

    return seeds


def color_picture(side: int, noise: float) -> tuple[Any, Any]:
    """The grey picture as an 8-bit colour picture, each channel with noise of its own."""
    grey, truth = gw.datasets.make_grey_image(side, side)
    channels = np.stack([grey, 1 - grey, grey**2], axis=2)
    channels = channels + np.random.default_rng(10).normal(0, noise, channels.shape)
    return np.round(255 * np.clip(channels, 0, 1)).astype(np.uint8), truth


def grey_strokes(noise: float, side: int = 512) -> tuple[Any, Any, Any]:
    """A picture, its marks with one stroke nearly left out, and all of them."""
    image, truth = gw.datasets.make_grey_image(side, side, noise=noise, random_state=10)
    seeds = strokes(truth, length=25)
    without = seeds.copy()
    row = np.flatnonzero((seeds == 1).any(axis=1))[0]
    without[row] = np.where(seeds[row] == 1, -1, seeds[row])
    without[side - 40, side // 2 : side // 2 + 5] = 1  # a first, smaller stroke
    return image, without, np.where(seeds >= 0, seeds, without)


def photographs() -> Iterator[tuple[str, str, Any, Any, Any]]:
    """Name, kind of marks, picture, marks and truth of what no weight was chosen on."""
    from PIL import Image

    for path in sorted(FOLDER.glob("*.jpg"))[1::2]:
        picture = np.asarray(Image.open(path).convert("RGB"))
        truth = _classes(path.with_name(f"{path.stem}_truth.png"))
        for kind in MARKS:
            marks = path.with_name(f"{path.stem}_{kind}.png")
            if marks.exists():
                yield path.stem, kind, picture, _classes(marks), truth


def _classes(path: Path) -> Any:
    from PIL import Image

    numbers = np.asarray(Image.open(path)).astype(int)
    return np.where(numbers == UNKNOWN, -1, numbers)


def photographs_with_a_stroke_left_out() -> Iterator[tuple[str, Any, Any, Any]]:
    """The same of photographs, by name; each class keeps a stroke."""
    for name, kind, picture, marks, _ in photographs() if FOLDER.is_dir() else ():
        found = [ndimage.label(marks == number, np.ones((3, 3))) for number in np.unique(marks[marks >= 0])]
        parts = [places == part for places, n in found if n > 1 for part in range(1, n + 1)]
        parts = [part for part in parts if part.sum() >= LEAST_STROKE]
        if kind != "dense" and parts:
            hole = parts[np.random.default_rng(0).integers(len(parts))]
            yield name, picture, np.where(hole, -1, marks), marks


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
