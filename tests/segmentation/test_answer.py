"""What ways to segment hand back."""

import numpy as np

import graphwell as gw
from graphwell.segmentation.seeds import Seeds
from tests.segmentation.pictures import ONE, grey, some


def test_both_ways_answer_in_the_same_terms():
    image, truth = grey(side=64)
    seeds = some(truth, 20)
    answers = []
    for graph in ("pixels", "features"):
        segmenter = gw.Segmenter(image, graph=graph, n_neighbors=10, **ONE)
        answers.append(segmenter._way.label(Seeds.of(seeds), np.arange(5)))
    for answer in answers:
        assert answer.is_first
        assert answer.result.labels.shape == answer.score.ravel().shape == answer.reachable.ravel().shape
        assert 0 <= answer.score.min() <= answer.score.max() <= 1 + 1e-6
