"""Images with masked points."""

import numpy as np
import pytest

from graphwell.segmentation.masks import pieces_between, without_mask


def test_a_plain_image_has_no_mask():
    values, masked = without_mask(np.ma.array(np.ones((2, 3, 1))))
    assert masked is None
    assert type(values) is np.ndarray


def test_a_point_is_masked_if_one_of_its_channels_is():
    image = np.ma.array(np.arange(12.0).reshape(2, 2, 3))
    image[0, 1, 2] = np.ma.masked
    values, masked = without_mask(image)
    assert masked.tolist() == [[False, True], [False, False]]
    assert values[0, 1].tolist() in (values[0, 0].tolist(), values[1, 1].tolist())


def test_an_image_without_any_point_is_refused():
    with pytest.raises(ValueError, match="image is masked everywhere"):
        without_mask(np.ma.masked_all((3, 4, 1)))


def test_pieces_touch_at_corners_and_in_depth():
    masked = np.ones((3, 3, 2), dtype=bool)
    masked[0, 0, 0] = masked[1, 1, 1] = masked[0, 2, 0] = False
    pieces = pieces_between(masked)
    assert pieces[0, 0, 0] == pieces[1, 1, 1] == pieces[0, 2, 0] == 0
    masked[1, 1, 1] = True
    assert pieces_between(masked).max() == 1
