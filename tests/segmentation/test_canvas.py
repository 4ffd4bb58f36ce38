"""Pictures at all sizes."""

import numpy as np

from graphwell.backends.registry import find_pixels
from graphwell.datasets import make_grey_image
from graphwell.segmentation.canvas import Canvas
from graphwell.segmentation.features import features_of
from graphwell.segmentation.seeds import Seeds


def canvas_of(image, working_pixels=10**6, **options):
    features = features_of(image[..., None].astype(np.float32))
    settings = {"radius": 3, "color_scale": None, "smoothing": None} | options
    where = {"engine": find_pixels("cpu", 1), "told": lambda share: None}
    return Canvas(features, **settings, **where, working_pixels=working_pixels)


def test_copies_end_at_the_working_size():
    image = make_grey_image(200, 150)[0]
    canvas = canvas_of(image, working_pixels=8000)
    assert [canvas.grid(halvings).shape for halvings in (0, 1)] == [(200, 150), (100, 75)]
    assert [copy.shape for copy in canvas.copies] == [(50, 38), (100, 75)]
    assert canvas.working == canvas.start_halvings == 1


def test_a_noisy_picture_is_never_asked_pixel_by_pixel():
    canvas = canvas_of(make_grey_image(64, 64, noise=0.2, random_state=0)[0])
    assert (canvas.working, canvas.start_halvings) == (0, 1)
    assert [copy.shape for copy in canvas.copies] == [(32, 32)]


def test_a_region_without_a_seed_is_not_reached_at_any_size():
    image = np.zeros((64, 60))
    image[:, 40:] = 1.0
    image[10:12, 10:12] = 1.0  # a speck
    seeds = np.full(image.shape, -1)
    seeds[5, 5] = 0
    for working_pixels in (10**6, 1500):
        canvas = canvas_of(image, working_pixels)
        reached = canvas.reachable(canvas.seeds_by_size(Seeds.of(seeds)))
        assert (reached == (image.cumsum(axis=1)[:, ::-1] >= 0)[:, ::-1] & (np.arange(60) < 40)).all()
