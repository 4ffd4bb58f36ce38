"""Slices of a volume side by side."""

import numpy as np

from graphwell.segmentation.drawing import MARGIN
from graphwell.segmentation.slices import MOST_SLICES, overlay_of_slices, sheet_of_slices

COLORS = {0: (255, 0, 0), 1: (0, 0, 255)}


def test_slices_go_from_the_first_to_the_last():
    volume = np.broadcast_to(np.linspace(0.3, 1, 40), (6, 8, 40))
    labels = np.zeros((6, 8, 40), dtype=int)
    labels[:, :, 20:] = 1
    drawn = overlay_of_slices(volume, labels, COLORS)
    assert drawn.shape == (4 * 6 + 3 * MARGIN, 4 * 8 + 3 * MARGIN, 3)
    first, last = drawn[3, 3], drawn[-3, -3]
    assert first[0] > first[2]
    assert last[2] > last[0]
    assert last.sum() > first.sum()
    assert MOST_SLICES == 16


def test_dark_slices_stay_dark():
    volume = np.ones((6, 6, 2)) * [0.1, 1.0]
    drawn = overlay_of_slices(volume, np.full((6, 6, 2), -1), {0: (0, 0, 0)})
    assert drawn[:6, :6].min() < 30


def test_a_sheet_shows_four_pictures_of_each_slice():
    volume, labels = np.full((10, 12, 3, 2), 0.5), np.zeros((10, 12, 3), dtype=int)
    labels[:, 6:] = 1
    seeds = np.full(labels.shape, -1)
    seeds[5, 2, 1] = 0
    drawn = sheet_of_slices(volume, seeds, labels, np.full(labels.shape, 0.5), COLORS)
    assert drawn.shape == (3 * 10 + 2 * MARGIN, 4 * 12 + 3 * MARGIN, 3)
    second_row, second_column = 10 + MARGIN, 12 + MARGIN
    assert drawn[second_row + 5, second_column + 2].tolist() == [255, 0, 0]
    assert drawn[0, -1].tolist() == [255, 255, 255]  # all doubt


def test_large_volumes_are_thinned_out():
    drawn = overlay_of_slices(np.zeros((1000, 10, 1)), np.zeros((1000, 10, 1), dtype=int), COLORS)
    assert drawn.shape == (334, 4, 3)
