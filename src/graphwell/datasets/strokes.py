"""A picture with marks to try `graphwell segment` on."""

from contextlib import ExitStack
from pathlib import Path

import numpy as np
from scipy import ndimage

from graphwell._types import IntArray
from graphwell.datasets.made import make_grey_image
from graphwell.io.drawings import palette_color
from graphwell.io.files import written_whole
from graphwell.io.images import write_image
from graphwell.segmentation.drawing import painted

# Length of a stroke in pixels.
STROKE = 9


def write_example(folder: Path, noise: float = 0.1) -> int:
    """Write image.png, seeds.png and truth.npy into a folder; return the number of marked pixels."""
    image, truth = make_grey_image(noise=noise, random_state=0)
    seeds = strokes(truth)
    colors = {c: palette_color(c) for c in range(int(truth.max()) + 1)}
    folder.mkdir(exist_ok=True)
    pictures = {
        folder / "image.png": np.round(255 * image).astype(np.uint8),
        folder / "seeds.png": painted(seeds, colors),
    }
    with ExitStack() as held:
        for path, pixels in pictures.items():
            write_image(pixels, path, held.enter_context(written_whole(path)))
        np.save(held.enter_context(written_whole(folder / "truth.npy")), truth)
    return int((seeds >= 0).sum())


def strokes(truth: IntArray, length: int = STROKE) -> IntArray:
    """One short horizontal stroke in each region, as far from its border as it can be."""
    seeds = np.full(truth.shape, -1)
    for c in np.unique(truth):
        parts, n_parts = ndimage.label(truth == c)
        for part in range(1, n_parts + 1):
            inside = np.pad(parts == part, 1)
            depth = ndimage.distance_transform_edt(inside)[1:-1, 1:-1]
            row, column = np.unravel_index(depth.argmax(), depth.shape)
            first = max(0, int(column) - length // 2)
            along = slice(first, first + length)
            seeds[row, along][parts[row, along] == part] = c
    return seeds
