"""Which metric is chosen, which models are stacked, and what the fit says of itself, by held-out labels."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphwell import Annealed, DiffuseInterfaceClassifier, Graph, baselines, datasets, metrics
from graphwell.estimators.tuning.crossvalidation import out_of_fold
from graphwell.estimators.tuning.models import Sample
from graphwell.solve.fit import Run


def wine(per_class, seed=1):
    X, y = load_wine(return_X_y=True)
    return X, y, datasets.sample_labels(y, per_class, seed)


def test_one_label_per_class_is_enough_for_the_rules():
    X, y, given = wine(1)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert clf.tuning_.metric == "standard"
    assert clf.tuning_.n_hidden == 0
    assert "features standardised (a few features would decide" in str(clf.tuning_)
    assert str(clf.tuning_).endswith("; too few labels to weigh other models: the graph alone")
    assert clf.accuracy_ is clf.accuracy_interval_ is None
    assert not clf.calibrated_
    plain = DiffuseInterfaceClassifier(random_state=0, models=None).fit(X, given)
    assert (clf.transduction_ == y).mean() > (plain.transduction_ == y).mean() + 0.05
    X, _, two_per_class = wine(2)  # the fewest that are held out
    assert DiffuseInterfaceClassifier(random_state=0).fit(X, two_per_class).tuning_.n_hidden == 6


def test_held_out_labels_choose_and_tell():
    X, y, given = wine(10)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert clf.tuning_.n_hidden == 30
    assert list(clf.models_) == ["model", "accuracy", "temperature", "weight"]
    assert {"graph", "logits", "logistic", "forest"} <= set(clf.models_.model)
    assert clf.models_.accuracy.between(0, 1).all()
    assert clf.models_.weight.sum() == pytest.approx(1)
    assert clf.models_.weight.is_monotonic_decreasing
    assert (clf.transduction_ == y).mean() > 0.93
    low, high = clf.accuracy_interval_
    assert 0.7 < low < clf.accuracy_ <= high <= 1
    assert clf.calibrated_
    assert clf.timings_["tuning"] > 0
    assert (clf.predict(X) == y).mean() > 0.93


def test_label_issues_are_the_flipped_labels(monkeypatch):
    X, y = load_digits(return_X_y=True)
    given = datasets.sample_labels(y, 40, 0)
    rng = np.random.default_rng(0)
    known = np.flatnonzero(given >= 0)
    flipped = rng.choice(known, 40, replace=False)
    given[flipped] = (given[flipped] + rng.integers(1, 10, 40)) % 10
    given[known[given[known] == 9]] = 11  # classes need not be 0, 1, 2 ...
    found = DiffuseInterfaceClassifier(random_state=0).fit(X, given).label_issues_
    assert list(found) == ["row", "label", "suggested", "probability", "suggested_probability"]
    assert found.probability.is_monotonic_increasing
    assert (found.label == given[found.row]).all()
    assert (found.suggested != found.label).all()
    assert metrics.label_issue_scores(found, flipped, n=40)[1] >= 0.85
    # With so many labels that only some judge the models, the others are checked too.
    monkeypatch.setattr("graphwell.estimators.tuning.crossvalidation.LABELS_SCORED", 150)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert clf.tuning_.n_hidden < 200
    assert metrics.label_issue_scores(clf.label_issues_, flipped, n=40)[1] >= 0.85
    for settings in ({"models": None}, {"start": "random"}):
        assert DiffuseInterfaceClassifier(random_state=0, **settings).fit(X, given).label_issues_ is None


def shares_wrong(X, given, truth, models):
    """The share of the rows that a fit gets wrong without models and with these."""
    fits = [DiffuseInterfaceClassifier(random_state=0, models=m).fit(X, given) for m in (None, models)]
    return [(clf.transduction_ != truth).mean() for clf in fits]


def test_columns_of_noise_are_found_out():
    X, truth = datasets.make_three_moons(150, dim=2, random_state=0)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(X), 10))])
    alone, tuned = shares_wrong(X, datasets.sample_labels(truth, 15, 0), truth, [])
    assert tuned < alone - 0.05


@pytest.mark.parametrize(
    "settings", [{"models": None}, {"start": "random"}, {"schedule": Annealed(2.0, 1.0, sweeps=2)}]
)
def test_nothing_is_chosen_where_nothing_is_asked(settings):
    X, _, given = wine(8)
    clf = DiffuseInterfaceClassifier(random_state=0, **settings).fit(X, given)
    assert not hasattr(clf, "tuning_")
    np.testing.assert_array_equal(clf.graph_.W.toarray(), Graph.from_features(X).W.toarray())


def test_a_graph_that_is_given_is_judged_alone_and_used_as_it_is():
    X, y, given = wine(8)
    graph = Graph.from_features(X)
    for clf, rows in (
        (DiffuseInterfaceClassifier(random_state=0), graph),
        (DiffuseInterfaceClassifier(random_state=0, metric="precomputed"), graph.W),
    ):
        clf.fit(rows, given)
        assert clf.models_.model.tolist() == ["graph alone"]
        assert clf.models_.weight.tolist() == [1.0]
        low, high = clf.accuracy_interval_
        assert low < (clf.transduction_ == y)[given < 0].mean() < high
        np.testing.assert_array_equal(clf.graph_.W.toarray(), graph.W.toarray())


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ({"tune": False, "evidence": None}, None),
        ({"tune": False}, None),
        ({"evidence": None, "calibrate": True}, []),
        ({"evidence": LogisticRegression()}, [LogisticRegression()]),
    ],
)
def test_earlier_names_mean_what_they_did(earlier, now):
    X, _, given = wine(3)
    with pytest.warns(FutureWarning, match="earlier names of models"):
        before = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, **earlier).fit(X, given)
    clf = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, models=now).fit(X, given)
    assert hasattr(before, "models_") == (now is not None)
    if now != [] and now is not None:
        assert set(before.models_.model) == set(clf.models_.model)
    np.testing.assert_array_equal(before.transduction_, clf.transduction_)


def test_names_that_went_are_refused_with_what_to_write_instead():
    with pytest.raises(TypeError, match=r"no verbose; write fit\(X, y, progress=print\)"):
        DiffuseInterfaceClassifier(verbose=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'kernel'"):
        DiffuseInterfaceClassifier(kernel="rbf")
    with pytest.raises(AttributeError, match="no attribute 'GTAM'; write LabelSpreading"):
        baselines.GTAM()


def test_the_choice_depends_on_the_seed_alone():
    X, _, given = wine(6)
    both = [DiffuseInterfaceClassifier(random_state=3, n_jobs=n).fit(X, given) for n in (1, 2)]
    assert both[0].tuning_ == both[1].tuning_
    assert both[0].accuracy_ == both[1].accuracy_
    np.testing.assert_array_equal(both[0].label_distributions_, both[1].label_distributions_)


def test_five_rows_uneven_classes_copies_and_constant_columns():
    X = np.array([[0.0, 0], [1, 1], [9, 9], [10, 9], [9, 10]])
    with pytest.warns(UserWarning, match="n_neighbors=10 is reduced"):
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, [0, -1, 1, -1, -1])
    np.testing.assert_array_equal(clf.transduction_[2:], 1)
    X, y, given = wine(8)
    given[np.flatnonzero(given == 0)[1:]] = -1
    assert set(DiffuseInterfaceClassifier(random_state=0).fit(X, given).transduction_) == {0, 1, 2}
    X, y, given = np.repeat(X, 3, axis=0), np.repeat(y, 3), np.repeat(wine(6)[2], 3)
    given[np.arange(len(y)) % 3 > 0] = -1
    clf = DiffuseInterfaceClassifier(random_state=0).fit(np.column_stack([X, np.ones(len(X))]), given)
    assert (clf.transduction_ == y).mean() > 0.9


def test_sparse_text_is_compared_and_asked():
    """Documents of four topics, each with words of its own among many common ones."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 60)
    words = rng.poisson(0.02, size=(240, 1200)).astype(float)
    for topic in range(4):
        words[y == topic, 30 * topic : 30 * topic + 30] += rng.poisson(0.12, size=(60, 30))
    given, rows = datasets.sample_labels(y, 10, 0), sparse.csr_array(words)
    alone = DiffuseInterfaceClassifier(random_state=0, models=None).fit(rows, given)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(rows, given)
    assert (clf.transduction_ != y).mean() < (alone.transduction_ != y).mean() - 0.1
    assert "words" in clf.models_.model.tolist()


def wide():
    """Forty of three hundred columns tell two classes apart."""
    y = np.repeat([0, 1], 100)
    return np.random.default_rng(0).normal(size=(200, 300)) + 0.6 * y[:, None] * (np.arange(300) < 40), y


def ball():
    """A ball within a wider one."""
    y = np.arange(600) % 2
    return np.random.default_rng(0).normal(size=(600, 15)) * np.where(y == 0, 1.0, 1.8)[:, None], y


def ring():
    """No plane tells a ring from what is around it: only rows as they are do well."""
    rng = np.random.default_rng(0)
    angle, y = rng.random(600) * 2 * np.pi, np.repeat([0, 1], 300)
    radius = 1 + 2 * y + 0.05 * rng.normal(size=600)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


@pytest.mark.parametrize(
    ("made", "per_class", "most_wrong", "stacked", "dropped"),
    [(wide, 10, 0.2, "logistic", ""), (ball, 40, 0.17, "kernel", ""), (ring, 100, 0.0, "", "logistic")],
)
def test_each_shape_has_models_that_suit_it(made, per_class, most_wrong, stacked, dropped):
    X, y = made()
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, datasets.sample_labels(y, per_class, 1))
    assert (clf.transduction_ != y).mean() <= most_wrong
    assert (clf.predict(X) != y).mean() <= most_wrong
    weights = clf.models_.set_index("model").weight
    assert not stacked or weights[stacked] > 0.1
    assert not dropped or weights[dropped] == 0


def tilted(n=300, d=12, seed=0):
    """Two classes on either side of a plane, and no gap between them: a graph says little."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ np.ones(d) > 0).astype(int)
    given = np.full(n, -1)
    given[:80] = y[:80]
    return X, y, given


def test_classifiers_help_where_the_graph_is_weak():
    X, y, given = tilted()
    alone, helped = shares_wrong(X, given, y, "auto")
    assert helped < alone - 0.03


def test_any_classifier_may_be_stacked_and_new_rows_hear_it_too():
    X, _, given = tilted()
    asked = make_pipeline(StandardScaler(), LogisticRegression())
    clf = DiffuseInterfaceClassifier(random_state=0, models=asked).fit(X, given)
    assert set(clf.models_.model[clf.models_.weight > 0]) == {"logits", "Pipeline"}
    again = DiffuseInterfaceClassifier(random_state=0, models=[asked, asked]).fit(X, given)
    assert {"graph", "Pipeline", "Pipeline 2"} <= set(again.models_.model)
    new = X[80:] + 1e-7 * X[80:]
    assert (clf.predict(new) == clf.transduction_[80:]).mean() > 0.95
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
    with pytest.raises(ValueError, match='models must be "auto", None or classifiers'):
        DiffuseInterfaceClassifier(models=wrong).fit(X, given)


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
        DiffuseInterfaceClassifier(models=[Teller(said)], random_state=0, n_jobs=1).fit(X, given)


@pytest.mark.parametrize("kept", [2, 7])
def test_a_named_classifier_is_always_stacked(kept):
    X, y, given = tilted()
    given[kept:] = -1
    given[[80, 81]] = y[[80, 81]]
    clf = DiffuseInterfaceClassifier(random_state=0, models=[LogisticRegression()]).fit(X, given)
    weight = clf.models_.set_index("model").weight["LogisticRegression"]
    assert 0 < weight < 1


@pytest.mark.parametrize(
    ("parameters", "rows", "said"),
    [
        ({"classes": [0, 1, 2]}, "features", "a class has no label"),
        ({"start": "random"}, "features", "nothing is compared with the descent of the paper"),
        ({}, "graph", "X is a graph without features; give fit its features"),
    ],
)
def test_a_named_classifier_that_cannot_be_stacked_is_refused(parameters, rows, said):
    X, _, given = tilted()
    X = Graph.from_features(X) if rows == "graph" else X
    clf = DiffuseInterfaceClassifier(random_state=0, models=LogisticRegression(), **parameters)
    with pytest.raises(ValueError, match=f"models: LogisticRegression cannot be stacked: .*{said}"):
        clf.fit(X, given)


pytestmark = pytest.mark.filterwarnings("ignore::graphwell.UnreachableWarning")


def blocks(n=200, d=30, inside=0.03, across=0.012, signal=0.8, seed=0):
    """Three groups with more links inside than across; each group's features lean towards its own columns."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), n // 3 + 1)[:n]
    links = np.triu(rng.random((n, n)) < np.where(y[:, None] == y, inside, across), 1)
    X = rng.normal(size=(n, d)) + signal * (np.arange(d) % 3 == y[:, None])
    return sparse.csr_array((links | links.T).astype(float)), X, y


def wrong(W, y, given, **more):
    """A fit, and the share of the unlabelled rows that it got wrong; some have no link at all."""
    clf = DiffuseInterfaceClassifier(metric="precomputed", random_state=0).fit(W, given, **more)
    return clf, (clf.transduction_ != y)[given < 0].mean()


def test_features_help_a_weak_graph():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 10, 0)
    _, alone = wrong(W, y, given)
    clf, both = wrong(W, y, given, features=X)
    assert both < alone - 0.1
    graphs = {"graph alone", "graph and features", "features along the graph"}
    assert clf.tuning_.metric in graphs
    assert {*graphs, "directions", "logistic"} <= set(clf.models_.model)
    assert clf.n_features_in_ == 200
    new = W[:20]  # new rows come as affinities and hear the features around them
    assert (clf.predict(new) == y[:20]).mean() > 0.6
    np.testing.assert_allclose(clf.predict_proba(new).sum(axis=1), 1)


def test_few_labels_join_the_graphs():
    W, X, y = blocks()
    clf, _ = wrong(W, y, datasets.sample_labels(y, 1, 0), features=X)
    assert clf.tuning_.metric == "features along the graph"
    assert clf.tuning_.n_hidden == 0
    assert clf.models_.weight.tolist() == pytest.approx([5 / 8, 3 / 8, 0, 0])


def test_worthless_features_do_little_harm():
    harm = []
    for seed in range(3):
        W, X, y = blocks(inside=0.08, across=0.01, seed=seed)
        given = datasets.sample_labels(y, 15, 0)
        noise = np.random.default_rng(5).normal(size=X.shape)
        harm.append(wrong(W, y, given, features=noise)[1] - wrong(W, y, given)[1])
    assert np.mean(harm) < 0.06


def test_features_without_a_graph_or_of_other_rows_are_refused():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 5, 0)
    with pytest.raises(ValueError, match="features go beside a graph"):
        DiffuseInterfaceClassifier().fit(X, given, features=X)
    with pytest.raises(ValueError, match="features has 10 rows but the graph has 200"):
        DiffuseInterfaceClassifier(metric="precomputed").fit(W, given, features=X[:10])


def test_calibrated_scores_are_as_sure_as_they_are_right():
    rng = np.random.default_rng(4)
    truth = rng.integers(3, size=900)
    X, y = rng.normal(size=(900, 4)) + 1.6 * np.eye(4)[truth], datasets.sample_labels(truth, 20, 4)
    plain = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, models=None).fit(X, y)
    clf = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, models=[]).fit(X, y)
    assert clf.calibrated_
    assert not plain.calibrated_
    assert clf.tuning_.n_hidden == 60
    np.testing.assert_array_equal(clf.classes_[clf.label_distributions_.argmax(axis=1)], clf.transduction_)
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1.0)
    gaps = [
        abs(c.label_distributions_[y < 0].max(axis=1).mean() - (c.transduction_ == truth)[y < 0].mean())
        for c in (clf, plain)
    ]
    assert gaps[0] < gaps[1]


def test_copies_of_rows_do_not_make_the_estimate_better():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=120)
    X = rng.normal(size=(120, 2)) + 0.7 * truth[:, None]
    y = np.where(np.arange(120) < 40, truth, -1)
    once, thrice = (
        DiffuseInterfaceClassifier(models=[], random_state=0).fit(np.tile(X, (n, 1)), np.tile(y, n))
        for n in (1, 3)
    )
    assert abs(thrice.accuracy_ - once.accuracy_) < 0.15
    widths = [high - low for low, high in (once.accuracy_interval_, thrice.accuracy_interval_)]
    assert widths[1] > 0.8 * widths[0]


def test_labels_by_class_of_uneven_classes_count_as_the_classes_do():
    """The class of nine rows in ten is easy, the other is not: by labels, half of all rows seem hard."""
    rng = np.random.default_rng(0)
    truth = (rng.random(2000) < 0.1).astype(int)
    X = rng.normal(size=(2000, 2)) + 1.5 * truth[:, None]
    y = datasets.sample_labels(truth, 30, 0)
    clf = DiffuseInterfaceClassifier(random_state=0, models=[]).fit(X, y)
    low, high = clf.accuracy_interval_
    assert low < (clf.transduction_ == truth)[y < 0].mean() < high


def test_of_metrics_that_lead_alike_the_first_are_left():
    labels, names = np.tile([0, 1], 10), list("fbdace")
    cv = SimpleNamespace(n_classes=2, labels=labels, run=Run())
    models = dict.fromkeys(["graph", *names], lambda labels, shown, asked: np.full((len(asked), 2), 0.5))
    sample, rows = Sample(np.zeros((20, 1)), labels), np.arange(20)
    found = out_of_fold(cv, [rows[:10], rows[10:]], models, sample, rows, rows, names)
    assert found.left == ["graph", "f", "b"]
