"""Pictures on the general engine."""

import numpy as np

from graphwell.backends.registry import find_backend
from graphwell.progress import silent
from graphwell.segmentation.feature_graph import feature_graph
from graphwell.segmentation.on_graph import OnGraph
from graphwell.segmentation.seeds import Seeds
from tests.segmentation.pictures import grey, some


def test_a_graph_of_pixels_is_segmented_and_goes_on_from_before():
    image, truth = grey(side=60)
    graph = feature_graph(image[..., None], 10, 1.0, 1)
    way = OnGraph(graph, truth.shape, find_backend("cpu"), 30.0, silent)
    seeds = some(truth, 20)
    first = way.label(Seeds.of(np.where(np.arange(63) < 30, seeds, -1)), np.arange(5))
    assert first.is_first
    again = way.label(Seeds.of(seeds), np.arange(5))
    assert not again.is_first
    assert (again.result.labels == truth.ravel()).all()
    assert again.reachable.all()
    assert again.score.min() >= 0
