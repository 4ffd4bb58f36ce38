"""Pictures on the processor."""

import numpy as np

from graphwell.memory import limited_to
from graphwell.segmentation.features import picture_features
from graphwell.segmentation.on_pixels import OnPixels
from tests.segmentation.pictures import grey, some


def test_every_stage_tells_how_far_it_is():
    image, truth = grey()
    told = []
    way = OnPixels(picture_features(image), 3.0, None, None, 1, lambda *args: told.append(args))
    answer = way.label(some(truth, 20), np.arange(5))
    for stage in ("graph", "start", "descent"):
        shares = [share for name, share in told if name == stage]
        assert all(isinstance(share, float) for share in shares)
        assert shares[-1] == 1
    assert set(answer.seconds) == {"start", "descent"}


def test_what_was_found_before_is_used_while_its_classes_stay():
    image, truth = grey()
    way = OnPixels(picture_features(image), 3.0, None, None, 1, lambda *args: None)
    seeds = some(truth, 20)
    assert way.label(np.where(seeds == 4, -1, seeds), np.arange(4)).is_first
    more = way.label(seeds, np.arange(5))
    assert not more.is_first
    assert (more.result.labels == truth.ravel()).all()
    assert way.label(np.where(seeds == 4, -1, seeds), np.arange(4)).is_first


def test_little_memory_means_a_smaller_copy_and_borders_at_full_size():
    image, truth = grey(side=260)
    features, seeds = picture_features(image), some(truth, 40)
    with limited_to(30 * 10**6):
        way = OnPixels(features, 3.0, None, None, 1, lambda *args: None)
    assert way.canvas.working == 1
    assert OnPixels(features, 3.0, None, None, 1, lambda *args: None).canvas.working == 0
    labels = way.label(seeds, np.arange(5)).result.labels.reshape(truth.shape)
    assert (labels == truth).mean() > 0.999
