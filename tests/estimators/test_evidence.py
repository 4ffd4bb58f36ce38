"""Evidence besides the graph: its weights, its place in the scores, new rows."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell.estimators.evidence import Evidence, expert_of, experts_for, mixture_weights
from graphwell.metric.sample import Sample


def tilted(n=300, d=12, seed=0):
    """Two classes on either side of a plane, and no gap between them: a graph says little."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ np.ones(d) > 0).astype(int)
    given = np.full(n, -1)
    given[:80] = y[:80]
    return X, y, given


def test_the_weights_of_a_mixture_sum_to_one_and_follow_the_likelihood():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=400)
    sure = np.where(np.eye(3)[labels] == 1, 0.8, 0.1)
    guess = np.full((400, 3), 1 / 3)
    weights = mixture_weights([sure, guess, guess], labels)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.9
    np.testing.assert_allclose(mixture_weights([guess, guess], labels), 0.5)


def test_without_hidden_labels_the_voices_are_equal():
    np.testing.assert_allclose(mixture_weights([np.zeros((0, 2))] * 2, np.zeros(0, dtype=int)), 0.5)


def test_an_expert_gives_nothing_to_classes_it_was_not_taught():
    sample = Sample(np.array([[0.0], [1.0], [5.0]]), np.array([0, 2, -1]))
    said = expert_of("logistic", sample, 4)(sample.X)
    assert said.shape == (3, 4)
    assert (said[:, [1, 3]] == 0).all()
    np.testing.assert_allclose(Evidence((expert_of("forest", sample, 4),), (0.3,))(sample.X).sum(axis=1), 0.3)


def test_more_labels_bring_more_classifiers():
    assert experts_for("auto", 40, 2) == ("logistic", "forest", "kernel")
    assert experts_for("auto", 199, 2) == ("logistic", "forest", "kernel")
    assert experts_for("auto", 200, 2) == ("logistic", "forest", "boosting", "kernel")
    assert experts_for("auto", 600, 6) == ("logistic", "forest", "perceptron", "kernel")
    assert experts_for("auto", 39, 2) == ("logistic", "forest")
    assert experts_for("auto", 5, 2) == ("logistic", "forest")


def test_evidence_helps_where_the_graph_is_weak():
    X, y, given = tilted()
    wrong = [
        (
            DiffuseInterfaceClassifier(random_state=0, tune=t, evidence=e).fit(X, given).transduction_ != y
        ).mean()
        for t, e in ((False, None), ("auto", "auto"))
    ]
    assert wrong[1] < wrong[0] - 0.03


def test_any_classifier_may_be_asked_and_new_rows_hear_it_too():
    X, y, given = tilted()
    asked = make_pipeline(StandardScaler(), LogisticRegression())
    clf = DiffuseInterfaceClassifier(random_state=0, tune=False, evidence=asked).fit(X, given)
    assert clf.tuning_.metric == "plain"
    assert list(clf.tuning_.evidence) == ["Pipeline"]
    weight = clf.tuning_.evidence["Pipeline"]
    new = X[:7] + 0.01
    votes = clf.graph_.affinity_to(new) @ clf.label_distributions_
    votes = votes / votes.sum(axis=1, keepdims=True)
    asked.fit(X[:80], y[:80])
    expected = (1 - weight) * votes + weight * asked.predict_proba(new)
    np.testing.assert_allclose(clf.predict_proba(new), expected, rtol=1e-5)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict(new), clf.predict(new))


def test_given_labels_and_known_sizes_stay():
    X, y, given = tilted()
    clf = DiffuseInterfaceClassifier(random_state=0, class_prior=[0.2, 0.8]).fit(X, given)
    np.testing.assert_array_equal(clf.transduction_[:80], y[:80])
    free = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert (clf.transduction_ == 1).mean() > (free.transduction_ == 1).mean() + 0.1
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1)


@pytest.mark.parametrize("wrong", ["forest", 3, RandomForestClassifier])
def test_what_is_no_classifier_is_refused(wrong):
    X, _, given = tilted(n=100)
    with pytest.raises(ValueError, match='evidence must be None, "auto" or a classifier'):
        DiffuseInterfaceClassifier(evidence=wrong).fit(X, given)


class Teller:
    """A classifier that says what it is told to."""

    def __init__(self, said=None):
        self.said = said

    def get_params(self, deep=True):
        return {"said": self.said}

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return self.said(np.full((len(X), len(self.classes_)), 1 / len(self.classes_)))


@pytest.mark.parametrize(
    "said",
    [
        lambda p: p * np.nan,
        lambda p: -p,
        lambda p: 9 * p,
        lambda p: p[:, :1],
        lambda p: p[:1],
        lambda p: "x",
        lambda p: None,
    ],
)
def test_a_classifier_that_gives_no_probabilities_is_refused(said):
    X, _, given = tilted()
    with pytest.raises(ValueError, match="predict_proba of Teller must give each row a number from 0 to 1"):
        DiffuseInterfaceClassifier(evidence=Teller(said), random_state=0, n_jobs=1).fit(X, given)


def test_a_named_classifier_is_heard_from_two_labels_of_a_class_on():
    X, _, given = tilted()
    given[7:] = -1
    clf = DiffuseInterfaceClassifier(random_state=0, evidence=LogisticRegression()).fit(X, given)
    assert 0 < clf.tuning_.evidence["LogisticRegression"] < 1
    assert clf.tuning_.n_hidden == 7
    quiet = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert str(quiet.tuning_).endswith(", no other model was asked")
    assert "no other model was asked." in quiet._repr_html_inner()


@pytest.mark.parametrize(
    ("parameters", "rows", "kept", "said"),
    [
        ({}, "features", 2, "every class needs a label and one of them two; give more labels"),
        ({"classes": [0, 1, 2]}, "features", 80, "every class needs a label"),
        ({"start": "random"}, "features", 80, "the descent of the paper hears none"),
        ({}, "graph", 80, "X is a graph without features; give fit its features"),
    ],
)
def test_a_named_classifier_that_cannot_be_heard_is_refused(parameters, rows, kept, said):
    X, y, _ = tilted()
    places = [int(np.flatnonzero(y == 0)[0]), int(np.flatnonzero(y == 1)[0])] if kept == 2 else range(kept)
    few = np.full(len(y), -1)
    few[places] = y[places]
    X = Graph.from_features(X) if rows == "graph" else X
    clf = DiffuseInterfaceClassifier(random_state=0, evidence=LogisticRegression(), **parameters)
    with pytest.raises(ValueError, match=f"evidence: LogisticRegression cannot be heard: .*{said}"):
        clf.fit(X, few)
