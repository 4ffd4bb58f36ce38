"""Pictures on the general engine."""

import numpy as np

from graphwell.backends.registry import find_backend
from graphwell.progress import silent
from graphwell.segmentation.features import picture_features
from graphwell.segmentation.on_graph import OnGraph
from tests.segmentation.pictures import grey, some


def test_the_general_engine_segments_pixels_too_and_goes_on_from_before():
    image, truth = grey()
    way = OnGraph.of_pixels(picture_features(image), 3.0, None, None, find_backend("cpu"), 30.0, silent)
    seeds = some(truth, 20)
    first = way.label(np.where(np.arange(99) < 50, seeds, -1), np.arange(5))
    assert first.is_first
    again = way.label(seeds, np.arange(5))
    assert not again.is_first
    assert (again.result.labels == truth.ravel()).all()
    assert again.reachable.all()
    assert again.score.min() >= 0
