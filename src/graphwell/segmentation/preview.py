"""A picture in small: coarse answers at once, while those of the whole picture are on their way."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.segmenter import Segmenter

MOST_PIXELS = 40_000
"""Of the small copy; a call takes a tenth of a second."""


class Preview:
    """A small copy of a picture, to be segmented from the seeds of the whole.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, channels)
    most_pixels : int
        That the copy may have; squares of pixels become one, their mean.
    **options
        Of `Segmenter`.

    Attributes
    ----------
    factor : int
        Side of those squares.

    Examples
    --------
    >>> import graphwell as gw
    >>> image, truth = gw.datasets.make_grey_image(64, 64)
    >>> preview = Preview(image, most_pixels=1024)
    >>> found = preview.segment(np.where(np.arange(64) % 8 == 0, truth, -1))
    >>> preview.factor, found.shape, bool((found == truth[::2, ::2]).mean() > 0.9)
    (2, (32, 32), True)
    """

    def __init__(self, image: Any, most_pixels: int = MOST_PIXELS, **options: Any) -> None:
        image = np.asarray(image)
        self.factor = max(1, int(np.ceil(np.sqrt(image.shape[0] * image.shape[1] / most_pixels))))
        self._segmenter = Segmenter(reduced(image, self.factor), **options)

    def segment(self, seeds: IntArray) -> IntArray:
        """Classes of the small copy, -1 where none reaches.

        Parameters
        ----------
        seeds : integer array of the shape of the whole picture
            -1 where unknown.
        """
        return self._segmenter.segment(reduced_seeds(seeds, self.factor)).labels


def reduced(image: Any, factor: int) -> FloatArray:
    """The mean of each square of pixels; those at the lower and right edge may be smaller.

    Whole numbers stay whole numbers of their kind, as the kind says what is white.

    Examples
    --------
    >>> reduced(np.array([[0, 2, 8], [2, 4, 8]], dtype=np.uint8), 2)
    array([[2, 8]], dtype=uint8)
    """
    if factor == 1:
        return np.asarray(image)
    rows, columns = (np.arange(0, side, factor) for side in image.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(image, rows, axis=0, dtype=np.float64), columns, axis=1)
    heights, widths = (
        np.diff(np.append(starts, side))
        for starts, side in zip((rows, columns), image.shape[:2], strict=True)
    )
    counts = np.outer(heights, widths).reshape(len(rows), len(columns), *[1] * (image.ndim - 2))
    means = sums / counts
    return np.asarray(np.round(means).astype(image.dtype) if image.dtype.kind in "iub" else means)


def reduced_seeds(seeds: IntArray, factor: int) -> IntArray:
    """Seeds of the squares: the class of their last marked pixel.

    Examples
    --------
    >>> reduced_seeds(np.array([[-1, 1, -1], [0, -1, -1]]), 2)
    array([[ 0, -1]])
    """
    shape = tuple(-(-side // factor) for side in seeds.shape)
    found = np.full(shape, -1)
    rows, columns = np.nonzero(seeds >= 0)
    found[rows // factor, columns // factor] = seeds[rows, columns]
    return found
