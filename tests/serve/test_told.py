import numpy as np

from graphwell.jobs.found_labels import FoundLabels
from graphwell.serve.answers import NOTHING, Answers
from graphwell.serve.classes import ClassList
from graphwell.serve.refits import Fit, Said
from graphwell.serve.told import DOUBTFUL_SHOWN, NO_CLASS, doubtful_rows, lasso_says


class Names:
    def name(self, row):
        return f"<{row}>"


def fit_of(margins, codes):
    n, margins = len(margins), np.array(margins)
    scores = np.stack([0.5 + margins / 2, 0.5 - margins / 2], axis=1)
    everywhere, nowhere = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    found = FoundLabels(np.zeros(n, dtype=int), scores, np.array([4, 9]), everywhere, nowhere)
    return Fit(Said(1, np.array(codes), np.ones(n), ()), found, None)


def test_the_most_doubtful_come_first_and_labelled_rows_never():
    told = doubtful_rows(fit_of([0.5, 0.0, 0.1, 1.0], [NOTHING, 4, NOTHING, NOTHING]), Names())
    assert [(row["row"], row["name"]) for row in told] == [(2, "<2>"), (0, "<0>")]
    assert [number for number, _ in told[0]["guesses"]] == [4, 9]


def test_not_all_of_many_are_told():
    told = doubtful_rows(fit_of(np.linspace(0, 0.9, 200), np.full(200, NOTHING)), Names())
    assert [row["row"] for row in told] == list(range(DOUBTFUL_SHOWN))


def test_without_a_fit_nothing_is_in_doubt():
    assert doubtful_rows(Fit(Said(1, np.array([NOTHING]), np.ones(1), ()), None, None), Names()) == []


def test_the_rows_of_a_lasso_are_counted_by_what_the_model_says():
    answers = Answers(np.full(5, NOTHING), ClassList.named(["a", "b"]))
    colors = np.array([0, 1, 1, NO_CLASS, 0])
    lasso = answers.planned({"do": "label", "rows": [0, 1, 2, 3], "class": 1, "weight": 0.1})
    assert lasso_says(lasso, colors) == {"rows": 4, "class": 1, "says": {0: 1, 1: 2}}
    for other in ({"do": "label", "rows": [0], "class": 1}, {"do": "skip", "rows": [0, 1]}):
        assert lasso_says(answers.planned(other), colors) is None
    assert lasso_says(None, colors) is None
