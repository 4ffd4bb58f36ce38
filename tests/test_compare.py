"""Methods side by side: `gw.compare`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

import graphwell as gw
from graphwell.errors import OptionError

rng = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 20)
X = rng.normal(size=(60, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH]
Y = np.where(np.arange(60) % 20 < 4, TRUTH, -1)
MODELS = ["logistic regression", "random forest", "boosting", "sklearn LabelSpreading"]


@pytest.fixture
def register(registry):
    """Register functions of the labels shown as methods, by name."""

    def add(name, label, **declared):
        @registry.method(name, "", **declared)
        class Method(BaseEstimator):
            def __init__(self, n_jobs=None, class_prior=None):
                self.n_jobs, self.class_prior = n_jobs, class_prior

            def fit(self, graph, y):
                self.transduction_ = label(y) if self.class_prior is None else label(y, self.class_prior)
                self.reachable_ = np.ones(len(y), dtype=bool)
                return self

    return add


def test_every_label_is_hidden_once_and_correct_answers_are_counted(register):
    """A method that knows the truth of the first class and answers 2 elsewhere."""
    shown = []
    register("oracle", lambda y: shown.append(y.copy()) or np.where(TRUTH == 0, 0, 2))
    heard = []
    found = gw.compare(
        X, Y, methods=["oracle", "nearest"], splits=4, n_jobs=1,
        progress=lambda *each: heard.append(each), on_result=lambda each: heard.append(each.method),
    )  # fmt: skip
    hidden = np.array([(Y >= 0) & (y < 0) for y in shown])
    assert hidden.sum(axis=0).tolist() == (Y >= 0).tolist()
    (oracle,) = (each for each in found.standings if each.method == "oracle")
    assert oracle.shares == (2 / 3,) * 4
    assert oracle.accuracy == pytest.approx(8 / 12)
    assert oracle.standard_error == pytest.approx(np.sqrt(8 / 12 * 4 / 12 / 12)), "by the rows judged"
    assert (found.judged_on, found.n_judged, found.n_splits) == ("hidden labels", 12, 4)
    assert heard[0] == ("neighbours", None)
    assert heard[5] == "oracle", "told before the next method begins"
    assert heard[-2:] == ["nearest", ("methods", 1.0)]
    shares = [each[1] for each in heard[1:] if each[0] == "methods"]
    assert shares == sorted(shares)


def test_copies_of_a_row_are_hidden_together(register):
    shown = []
    register("noting", lambda y: shown.append(y.copy()) or np.repeat(TRUTH, 2))
    gw.compare(np.repeat(X, 2, axis=0), np.repeat(Y, 2), methods=["noting"], splits=3)
    assert len(shown) == 3
    assert all((y[::2] == y[1::2]).all() for y in shown)


def test_with_the_truth_all_rows_not_shown_are_judged():
    found = gw.compare(X, Y, truth=TRUTH, methods=["nearest"], splits=2, n_jobs=1)
    assert (found.judged_on, found.n_judged) == ("truth", 60)
    alone = gw.compare(X, np.where(np.arange(60) % 20, -1, TRUTH), truth=TRUTH, methods=["nearest"], n_jobs=1)
    assert (alone.n_splits, alone.n_judged) == (1, 57), "one label per class: nothing is hidden"
    unlabelled = np.where(TRUTH == 2, 7, TRUTH)  # a true class without any label
    given = np.where(TRUTH == 2, -1, Y)
    (found,) = gw.compare(X, given, truth=unlabelled, methods=["nearest"], splits=2, n_jobs=1).standings
    assert found.accuracy < 0.7


def test_names_of_classes_frames_and_the_table():
    names = np.array(["ant", "bee", "cat"])
    y = np.where(Y >= 0, names[Y], None)
    frame = pd.DataFrame(X, columns=["a", "b"])
    given = {"truth": names[TRUTH], "splits": 2, "n_jobs": 1}
    found = gw.compare(frame, y, methods=["diffuse interface", *MODELS], **given)
    assert found.classes == ("ant", "bee", "cat")
    accuracy = {standing.method: standing.accuracy for standing in found.standings}
    assert accuracy.pop("boosting") > 0.6, "more than one class in three"
    assert min(accuracy.values()) > 0.9
    first, *rows = str(found).splitlines()
    assert first.split() == ["method", "correct", "+-", "seconds"]
    assert {len(row) for row in rows} == {len(first)}
    assert found.to_json()["methods"][0]["method"] == found.standings[0].method


def test_graphwell_and_four_models_by_default_and_reasons_to_be_left_out(register, monkeypatch):
    def refuses(y):
        raise ValueError("too many rows.")

    heard = []
    gw.compare(X, Y, splits=2, n_jobs=1, on_result=lambda each: heard.append(each.method))
    assert heard == ["diffuse interface", *MODELS]
    monkeypatch.setattr("graphwell.comparison.compare.MANY_ROWS", 59)
    register("bad", refuses)
    register("patient", lambda y: TRUTH, slow=True)
    everyone = {name: one for name, one in gw.methods().items() if name in ("nearest", "bad", "patient")}
    everyone["binary interface"] = gw.methods()["binary interface"]
    monkeypatch.setattr("graphwell.comparison.compare.registered_methods", lambda: everyone)
    found = gw.compare(X, Y, methods=["all"], splits=2, n_jobs=1)
    assert {each.method for each in found.standings} == {"nearest", *MODELS}
    assert dict(found.left_out) == {
        "bad": "too many rows.",
        "patient": "slow on 60 rows; name it to have it run",
        "binary interface": "tells at most 2 classes apart, and there are 3",
    }
    assert gw.compare(X, Y, methods=["patient"], splits=2).standings[0].accuracy == 1.0, "it was named"
    with pytest.raises(ValueError, match="No method could label the rows; bad: too many rows"):
        gw.compare(X, Y, methods=["bad"], splits=2)


def test_methods_with_sizes_are_told_those_of_the_labels_shown(register):
    heard = []
    register("sized", lambda y, sizes: heard.append(sizes.tolist()) or TRUTH, told_sizes=True)
    given = np.where(np.arange(60) % 20 < np.array([8, 4, 4])[TRUTH], TRUTH, -1)
    gw.compare(X, given, methods=["sized"], splits=4)
    assert heard == [[0.5, 0.25, 0.25]] * 4


@pytest.mark.filterwarnings("ignore::graphwell.LabelWarning")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"methods": ["guess"]}, "methods must be among diffuse interface"),
        ({"methods": 5}, "methods must be a list"),
        ({"methods": "laplace"}, "methods must be a list"),
        ({"methods": [[]]}, "methods must be among"),
        ({"methods": ["binary interface"]}, "at most 2 classes"),
        ({"splits": 1}, "splits"),
        ({"truth": np.full(60, -1)}, "truth holds no known label"),
        ({"y": np.zeros(60, dtype=int)}, "All known labels are 0"),
        ({"X": "data.csv"}, "read the file first"),
        ({"X": 5}, "X must be rows of features"),
        ({"X": None}, "X is None, not rows of features"),
    ],
)
def test_bad_input_gets_a_sentence(changed, words):
    given = {"X": X, "y": Y, **changed}
    with pytest.raises(ValueError, match=words):
        gw.compare(given.pop("X"), given.pop("y"), **given)


def test_too_few_labels_are_refused():
    rows = [[0.0], [1.0], [2.0]]
    with pytest.raises(OptionError, match="a class needs two; label more rows, or give truth"):
        gw.compare(rows, [0, 1, -1])
    with pytest.raises(OptionError, match="nothing to judge by"):
        gw.compare(rows, [0, 1, -1], truth=[0, 1, -1])
