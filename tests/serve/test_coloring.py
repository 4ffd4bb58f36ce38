import json

import numpy as np

from graphwell.jobs.found_labels import FoundLabels
from graphwell.serve.coloring import STEPS_OF_DOUBT, Coloring
from graphwell.serve.refits import Glance, Said
from graphwell.serve.told import NO_CLASS


def read(content):
    """The event of a frame, its rows and its bytes."""
    length = int.from_bytes(content[:4], "little")
    event, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    rows = np.frombuffer(body[: 4 * event["count"]], dtype="<u4")
    return event, rows.tolist(), list(body[4 * event["count"] :])


def found(scores):
    scores = np.array(scores, dtype=float)
    everywhere = np.ones(len(scores), dtype=bool)
    return FoundLabels(scores.argmax(axis=1), scores, np.array([0, 1]), everywhere, ~everywhere)


def test_a_fit_tells_what_changed_and_nothing_else():
    coloring = Coloring(3)
    labels, doubt = coloring.take_fit(found([[1, 0], [0, 1], [0.5, 0.5]]), 4)
    event, rows, classes = read(labels)
    assert (event["event"], event["number"], rows, classes) == ("labels", 4, [0, 1, 2], [0, 1, 0])
    assert read(doubt)[1:] == ([2], [STEPS_OF_DOUBT])
    labels, doubt = coloring.take_fit(found([[1, 0], [1, 0], [0.5, 0.5]]), 5)
    assert read(labels)[1:] == ([1], [0])
    assert read(doubt)[1:] == ([], [])


def test_without_a_fit_everything_is_grey_again():
    coloring = Coloring(2)
    coloring.take_fit(found([[1, 0], [0.5, 0.5]]), 1)
    labels, doubt = coloring.take_fit(None, 2)
    assert read(labels)[1:] == ([0, 1], [NO_CLASS, NO_CLASS])
    assert read(doubt)[1:] == ([1], [0])


def test_a_glance_paints_some_rows_and_a_new_window_is_told_all():
    coloring = Coloring(3)
    said = Said(7, np.full(3, -1), np.ones(3), ())
    event, rows, classes = read(coloring.take_glance(Glance(said, np.array([0, 2]), np.array([1, -1]))))
    assert (event["glance"], event["number"], rows, classes) == (True, 7, [0, 2], [1, NO_CLASS])
    labels, doubt = coloring.everything()
    assert read(labels)[1:] == ([0, 1, 2], [1, NO_CLASS, NO_CLASS])
    assert read(doubt)[1:] == ([0, 1, 2], [0, 0, 0])
    assert coloring.sizes()[[1, NO_CLASS]].tolist() == [1, 2]
