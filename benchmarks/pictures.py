"""Pictures with a truth and seeds, both made by rule.

- ``grey``: `graphwell.datasets.make_grey_image`, five classes, with noise.
- ``coins``: scikit-image's coins. Truth, after its user guide: watershed on the Sobel gradient from pixels
  darker than 30 (ground) and brighter than 150 (coin); holes filled, parts of up to 100 pixels left out.
- ``camera``: the photographer. Truth: blur by one pixel, take what is darker than 64, open it with a disc of
  two pixels, keep its largest part, fill its holes.
- ``astronaut``: the orange suit, with the red of the flag behind it. Truth: blur by one pixel, take where
  red exceeds blue by 0.2, close it with a disc of two pixels, keep its largest part, fill its holes.

Seeds of the photographs keep three pixels away from the border of the truth, as a user's would.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import ndimage

import graphwell as gw

PHOTOGRAPHS = ("coins", "camera", "astronaut")
MARGIN = 3


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
