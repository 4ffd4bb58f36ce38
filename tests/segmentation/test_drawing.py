"""A segmented picture or volume to look at."""

import numpy as np

from graphwell.segmentation.drawing import (
    MARGIN,
    MOST_SLICES,
    as_shown,
    overlay,
)

LABELS = np.repeat([[3, 3, 3, 8, 8, 8, -1, -1]], 8, axis=0)


COLORS = {3: (255, 0, 0), 8: (0, 0, 255)}


def test_the_overlay_draws_borders_and_hatches_what_has_no_class():
    picture = overlay(np.full(LABELS.shape, 0.5), LABELS, COLORS)
    assert picture[0, 0].tolist() == [166, 90, 90]
    assert picture[0, 2].tolist() == [255, 0, 0]
    assert picture[0, 3].tolist() == [0, 0, 255]
    hatched = (picture[:, 6:] == (255, 0, 255)).all(axis=2)
    assert 0 < hatched.mean() < 1


def test_outlines_grow_with_the_picture():
    labels = np.zeros((900, 1000), dtype=int)
    labels[:, 500:] = 1
    picture = overlay(np.zeros(labels.shape), labels, {0: (200, 0, 0), 1: (0, 200, 0)})
    assert (picture[5] == (200, 0, 0)).all(axis=1).nonzero()[0].tolist() == [498, 499]
    assert (picture[5] == (0, 200, 0)).all(axis=1).nonzero()[0].tolist() == [500, 501]


def test_pictures_of_any_kind_can_be_shown():
    rng = np.random.default_rng(0)
    for image in (
        rng.random((5, 6)),
        rng.random((5, 6, 2)),
        rng.normal(size=(5, 6, 40)),
        np.zeros((5, 6, 4)),
    ):
        shown = as_shown(image)
        assert shown.shape == (5, 6, 3)
        assert shown.dtype == np.uint8
    assert as_shown(1e-3 * rng.random((5, 6))).max() == 255  # too dark to be seen as it is


def test_slices_go_from_the_first_to_the_last():
    volume = np.broadcast_to(np.linspace(0.3, 1, 40), (6, 8, 40))
    labels = np.zeros((6, 8, 40), dtype=int)
    labels[:, :, 20:] = 1
    drawn = overlay(volume, labels, {0: (255, 0, 0), 1: (0, 0, 255)})
    assert drawn.shape == (4 * 6 + 3 * MARGIN, 4 * 8 + 3 * MARGIN, 3)
    first, last = drawn[3, 3], drawn[-3, -3]
    assert first[0] > first[2]
    assert last[2] > last[0]
    assert last.sum() > first.sum()
    assert MOST_SLICES == 16
