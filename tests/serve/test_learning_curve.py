import json
import math

import pytest

from graphwell.active.accuracy import AccuracyEstimate, Checked
from graphwell.serve.learning_curve import LearningCurve


def estimate(share):
    return AccuracyEstimate(share, (share - 0.1, share + 0.1), 1)


def test_notes_give_the_curve_and_the_checks_back():
    curve = LearningCurve()
    notes = [
        curve.add(3, estimate(0.4), {}),
        curve.add(4, estimate(0.5), {7: Checked(0.6, True, 1)}),
        curve.add(5, estimate(0.6), {8: Checked(0.7, False, 1), 9: Checked(0.8, True, 1)}),
    ]
    again = LearningCurve(json.loads(json.dumps(notes)))
    assert again.points == curve.points
    assert [point["labels"] for point in again.points] == [3, 4, 5]
    assert again.checked == {7: Checked(0.6, True, 1), 8: Checked(0.7, False, 0), 9: Checked(0.8, True, 0)}


def test_a_fit_to_fewer_labels_forgets_what_came_after():
    curve = LearningCurve()
    for labels, share in ((3, 0.4), (4, 0.5), (5, 0.6), (4, 0.7)):
        curve.add(labels, estimate(share), {})
    assert [(point["labels"], point["share"]) for point in curve.points] == [(3, 0.4), (4, 0.7)]
    assert curve.add(4, estimate(0.7), {}) is None
    assert curve.add(4, estimate(0.7), {1: Checked(0.5, True, 1)}) is not None


NOTE = {"labels": 3, "share": 0.5, "low": 0.2, "high": 0.8, "checked": [[7, 0.6, True]]}


@pytest.mark.parametrize("odd", [None, True, "0.5", [], {}, math.nan, math.inf])
@pytest.mark.parametrize("name", ["labels", "share", "low", "high"])
def test_a_note_without_a_number_is_not_taken(name, odd):
    with pytest.raises(ValueError, match="is no number"):
        LearningCurve([{**NOTE, name: odd}])


@pytest.mark.parametrize("name", NOTE)
def test_a_note_that_lacks_a_field_is_not_taken(name):
    with pytest.raises(KeyError, match=name):
        LearningCurve([{key: value for key, value in NOTE.items() if key != name}])


@pytest.mark.parametrize("checked", [5, None, [5], [[7, 0.6]], [["7", 0.6, True]], [[7, None, True]]])
def test_checks_of_another_shape_are_not_taken(checked):
    with pytest.raises((TypeError, ValueError)):
        LearningCurve([{**NOTE, "checked": checked}])
