import json

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
