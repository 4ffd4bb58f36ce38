"""A picture with marks."""

import numpy as np
from PIL import Image
from scipy import ndimage

from graphwell.datasets import make_grey_image
from graphwell.datasets.strokes import STROKE, strokes, write_example


def test_one_stroke_in_each_region_and_inside_it():
    _, truth = make_grey_image()
    seeds = strokes(truth)
    marked = seeds >= 0
    np.testing.assert_array_equal(seeds[marked], truth[marked])
    regions = sum(ndimage.label(truth == c)[1] for c in range(5))
    assert ndimage.label(marked)[1] == regions
    assert marked.sum() == regions * STROKE


def test_the_example_is_three_files(tmp_path):
    marked = write_example(tmp_path / "example", noise=0.1, per_class=20, random_state=0)
    assert marked == 100
    names = {path.name for path in (tmp_path / "example").iterdir()}
    assert names == {"image.png", "seeds.png", "truth.npy"}
    opacity = np.asarray(Image.open(tmp_path / "example" / "seeds.png"))[..., 3]
    assert (opacity == 255).sum() == marked
    image = np.asarray(Image.open(tmp_path / "example" / "image.png"))
    assert image.shape == np.load(tmp_path / "example" / "truth.npy").shape == (191, 196)
