"""Pictures on the processor."""

import numpy as np

from graphwell.backends.registry import find_pixels
from graphwell.memory import limited_to
from graphwell.progress import silent
from graphwell.segmentation.features import picture_features
from graphwell.segmentation.on_pixels import OnPixels
from graphwell.segmentation.seeds import Seeds
from tests.segmentation.pictures import grey, some


def made_ready(features, progress=silent):
    return OnPixels(features, 3.0, None, None, find_pixels("cpu", 1), progress)


def test_every_stage_tells_how_far_it_is():
    image, truth = grey()
    told = []
    way = made_ready(picture_features(image), lambda *args: told.append(args))
    answer = way.label(Seeds.of(some(truth, 20)), np.arange(5))
    for stage in ("graph", "start", "descent"):
        shares = [share for name, share in told if name == stage]
        assert all(isinstance(share, float) for share in shares)
        assert shares[-1] == 1
    assert set(answer.seconds) == {"start", "descent"}


def test_what_was_found_before_is_used_while_its_classes_stay():
    image, truth = grey()
    way = made_ready(picture_features(image))
    seeds = some(truth, 20)
    assert way.label(Seeds.of(np.where(seeds == 4, -1, seeds)), np.arange(4)).is_first
    more = way.label(Seeds.of(seeds), np.arange(5))
    assert not more.is_first
    assert (more.result.labels == truth.ravel()).all()
    assert way.label(Seeds.of(np.where(seeds == 4, -1, seeds)), np.arange(4)).is_first


def test_little_memory_means_a_smaller_copy_and_borders_at_full_size():
    image, truth = grey(side=260)
    features, seeds = picture_features(image), some(truth, 40)
    with limited_to(30 * 10**6):
        way = made_ready(features)
    assert way.canvas.working == 1
    assert made_ready(features).canvas.working == 0
    labels = way.label(Seeds.of(seeds), np.arange(5)).result.labels.reshape(truth.shape)
    assert (labels == truth).mean() > 0.999
