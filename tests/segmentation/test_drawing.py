"""A segmented picture to look at."""

import numpy as np

from graphwell.segmentation.drawing import (
    as_grey,
    as_shown,
    borders,
    contact_sheet,
    overlay,
    painted,
    white_on_black,
)
from graphwell.segmentation.next_marks import DoubtfulSquare

LABELS = np.repeat([[3, 3, 3, 8, 8, 8, -1, -1]], 8, axis=0)
COLORS = {3: (255, 0, 0), 8: (0, 0, 255)}


def test_labels_in_the_colours_of_their_classes():
    picture = painted(LABELS, COLORS)
    assert picture[0, 0].tolist() == [255, 0, 0, 255]
    assert picture[0, 4].tolist() == [0, 0, 255, 255]
    assert picture[0, 7, 3] == 0


def test_borders_lie_on_both_sides():
    assert borders(LABELS)[0].tolist() == [False, False, True, True, False, True, True, False]
    assert not borders(np.zeros((3, 3), int)).any()


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


def test_the_contact_sheet_has_four_tiles():
    image, seeds = np.full((40, 60), 0.6), np.full((40, 60), -1)
    seeds[5, 5:9] = 3
    labels = np.where(np.arange(60) < 30, 3, 8) * np.ones((40, 1), dtype=int)
    doubt = np.zeros((40, 60))
    sheet = contact_sheet(image, seeds, labels, doubt, COLORS, [DoubtfulSquare(20, 30, 4, 0.5)])
    assert sheet.shape == (88, 128, 3)
    assert (sheet[:40, :60] == 153).all()
    assert (sheet[:40, 68:][seeds == 3] == (255, 0, 0)).all()
    np.testing.assert_array_equal(sheet[48:, :60], overlay(image, labels, COLORS))
    assert (sheet[48:, 68:] == (255, 0, 255)).all(axis=2).sum() == 9**2 - 5**2  # two pixels wide
    large = contact_sheet(np.zeros((3, 3000)), *(np.zeros((3, 3000), dtype=int),) * 3, {0: (9, 9, 9)})
    assert large.shape == (2 + 8, 2 * 1000 + 8, 3)


def test_uncertainty_is_dark_where_the_labels_are_certain():
    assert as_grey(np.array([[0.0, 0.25], [0.5, 1.0]])).tolist() == [[0, 32768], [65535, 65535]]


def test_masks_are_white_on_black():
    assert white_on_black(LABELS == 3)[0].tolist() == [255, 255, 255, 0, 0, 0, 0, 0]


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
