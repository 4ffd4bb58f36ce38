"""A first look at the answers, on the graph of communities alone."""

import numpy as np

from graphwell.active.glance import glance
from graphwell.active.labels import Answers, read_answers
from graphwell.active.survey import survey
from tests.active.situations import five_clusters


def test_communities_take_the_class_of_their_label():
    graph, truth = five_clusters()
    place = survey(graph)
    codes = np.full(len(truth), -1)
    for c in range(5):
        codes[np.flatnonzero(truth == c)[0]] = c
    assert (glance(place, Answers(codes, np.arange(5))) == truth).mean() > 0.95


def test_no_label_and_one_class():
    graph, truth = five_clusters()
    place = survey(graph)
    assert (glance(place, read_answers(None, len(truth))) == -1).all()
    codes = np.full(len(truth), -1)
    codes[3] = 0
    assert set(glance(place, Answers(codes, np.array(["only"])))) <= {0, -1}
