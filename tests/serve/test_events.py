"""Events of the label page."""

import json

import numpy as np

from graphwell.jobs.labelling import FoundLabels
from graphwell.serve.answers import NOTHING, Annotations, ClassList
from graphwell.serve.events import (
    DOUBTFUL_SHOWN,
    NO_CLASS,
    STEPS_OF_DOUBT,
    Coloring,
    doubtful_rows,
    lasso_counts,
)
from graphwell.serve.fits import Fit, LabelPreview, Snapshot


def read(content):
    """The event of a frame, its rows and its bytes."""
    length = int.from_bytes(content[:4], "little")
    event, body = json.loads(content[4 : 4 + length]), content[4 + length :]
    rows = np.frombuffer(body[: 4 * event["count"]], dtype="<u4")
    return event, rows.tolist(), list(body[4 * event["count"] :])


def found_by(scores):
    scores = np.array(scores, dtype=float)
    everywhere = np.ones(len(scores), dtype=bool)
    return FoundLabels(scores.argmax(axis=1), scores, np.array([0, 1]), everywhere, ~everywhere)


def test_a_fit_tells_what_changed_and_nothing_else():
    coloring = Coloring(3)
    labels, doubt = coloring.take_fit(found_by([[1, 0], [0, 1], [0.5, 0.5]]), 4)
    event, rows, classes = read(labels)
    assert (event["event"], event["number"], rows, classes) == ("labels", 4, [0, 1, 2], [0, 1, 0])
    assert read(doubt)[1:] == ([2], [STEPS_OF_DOUBT])
    labels, doubt = coloring.take_fit(found_by([[1, 0], [1, 0], [0.5, 0.5]]), 5)
    assert read(labels)[1:] == ([1], [0])
    assert read(doubt)[1:] == ([], [])


def test_without_a_fit_everything_is_grey_again():
    coloring = Coloring(2)
    coloring.take_fit(found_by([[1, 0], [0.5, 0.5]]), 1)
    labels, doubt = coloring.take_fit(None, 2)
    assert read(labels)[1:] == ([0, 1], [NO_CLASS, NO_CLASS])
    assert read(doubt)[1:] == ([1], [0])


def test_a_preview_paints_some_rows_and_a_new_window_is_told_all():
    coloring = Coloring(3)
    snapshot = Snapshot(7, np.full(3, -1), np.ones(3), ())
    event, rows, classes = read(
        coloring.take_preview(LabelPreview(snapshot, np.array([0, 2]), np.array([1, -1])))
    )
    assert (event["preview"], event["number"], rows, classes) == (True, 7, [0, 2], [1, NO_CLASS])
    labels, doubt = coloring.everything()
    assert read(labels)[1:] == ([0, 1, 2], [1, NO_CLASS, NO_CLASS])
    assert read(doubt)[1:] == ([0, 1, 2], [0, 0, 0])
    assert coloring.sizes()[[1, NO_CLASS]].tolist() == [1, 2]


class Names:
    def name(self, row):
        return f"<{row}>"


def fit_of(margins, codes):
    n, margins = len(margins), np.array(margins)
    scores = np.stack([0.5 + margins / 2, 0.5 - margins / 2], axis=1)
    everywhere, nowhere = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    found = FoundLabels(np.zeros(n, dtype=int), scores, np.array([4, 9]), everywhere, nowhere)
    return Fit(Snapshot(1, np.array(codes), np.ones(n), ()), found, None)


def test_the_most_doubtful_come_first_and_labelled_rows_never():
    told = doubtful_rows(fit_of([0.5, 0.0, 0.1, 1.0], [NOTHING, 4, NOTHING, NOTHING]), Names())
    assert [(row["row"], row["name"]) for row in told] == [(2, "<2>"), (0, "<0>")]
    assert [number for number, _ in told[0]["guesses"]] == [4, 9]


def test_not_all_of_many_are_told():
    told = doubtful_rows(fit_of(np.linspace(0, 0.9, 200), np.full(200, NOTHING)), Names())
    assert [row["row"] for row in told] == list(range(DOUBTFUL_SHOWN))


def test_without_a_fit_nothing_is_in_doubt():
    assert doubtful_rows(Fit(Snapshot(1, np.array([NOTHING]), np.ones(1), ()), None, None), Names()) == []


def test_the_rows_of_a_lasso_are_counted_by_what_the_model_says():
    answers = Annotations(np.full(5, NOTHING), ClassList.named(["a", "b"]))
    colors = np.array([0, 1, 1, NO_CLASS, 0])
    lasso = answers.planned({"do": "label", "rows": [0, 1, 2, 3], "class": 1, "weight": 0.1})
    assert lasso_counts(lasso, colors) == {"rows": 4, "class": 1, "says": {0: 1, 1: 2}}
    for other in ({"do": "label", "rows": [0], "class": 1}, {"do": "skip", "rows": [0, 1]}):
        assert lasso_counts(answers.planned(other), colors) is None
    assert lasso_counts(None, colors) is None
