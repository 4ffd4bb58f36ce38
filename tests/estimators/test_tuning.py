"""Which metric is chosen, which models are stacked and how scores are calibrated, by held-out labels."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import graphwell as gw
from graphwell import Annealed, DiffuseInterfaceClassifier, Graph, Status, datasets
from tests.helpers import blobs, few


def wine(per_class, seed=1):
    X, y = load_wine(return_X_y=True)
    return X, y, datasets.sample_labels(y, per_class, seed)


def test_one_label_per_class_is_enough_for_the_rules():
    X, y, given = wine(1)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert clf.tuning_.metric == "standard"
    assert clf.tuning_.n_hidden == 0
    assert clf.tuning_.evidence == {}
    assert "features standardised (a few features would decide" in str(clf.tuning_)
    plain = DiffuseInterfaceClassifier(random_state=0, tune=False).fit(X, given)
    assert (clf.transduction_ == y).mean() > (plain.transduction_ == y).mean() + 0.05


def test_hidden_labels_choose_and_tell():
    X, y, given = wine(10)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    found = clf.tuning_
    assert found.n_hidden == 30
    assert {"standard", "logits", "logistic", "forest"} <= set(found.accuracy)
    assert set(found.accuracy) == set(found.likelihood)
    assert all(0 <= value <= 1 for value in (*found.accuracy.values(), *found.likelihood.values()))
    assert (clf.transduction_ == y).mean() > 0.93
    assert clf.timings_["tuning"] > 0
    assert (clf.predict(X) == y).mean() > 0.93


def test_columns_of_noise_are_found_out():
    X, truth = datasets.make_three_moons(150, dim=2, random_state=0)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(X), 10))])
    given = datasets.sample_labels(truth, 15, 0)
    wrong = [
        (DiffuseInterfaceClassifier(random_state=0, tune=t).fit(X, given).transduction_ != truth).mean()
        for t in (False, "auto")
    ]
    assert wrong[1] < wrong[0] - 0.05


@pytest.mark.parametrize(
    "settings", [{"tune": False}, {"start": "random"}, {"schedule": Annealed(2.0, 1.0, sweeps=2)}]
)
def test_nothing_is_chosen_where_nothing_is_asked(settings):
    X, _, given = wine(8)
    clf = DiffuseInterfaceClassifier(random_state=0, **settings).fit(X, given)
    assert not hasattr(clf, "tuning_")
    np.testing.assert_array_equal(clf.graph_.W.toarray(), Graph.from_features(X).W.toarray())


def test_graphs_that_are_given_are_used_as_they_are():
    X, _, given = wine(8)
    graph = Graph.from_features(X)
    for clf, rows in (
        (DiffuseInterfaceClassifier(random_state=0), graph),
        (DiffuseInterfaceClassifier(random_state=0, metric="precomputed"), graph.W),
    ):
        assert not hasattr(clf.fit(rows, given), "tuning_")


def test_insisting_hides_labels_of_pairs():
    X, _, given = wine(2)
    assert DiffuseInterfaceClassifier(random_state=0).fit(X, given).tuning_.n_hidden == 0
    assert DiffuseInterfaceClassifier(random_state=0, tune=True).fit(X, given).tuning_.n_hidden == 6
    _, _, single = wine(1)
    assert DiffuseInterfaceClassifier(random_state=0, tune=True).fit(X, single).tuning_.n_hidden == 0


def test_the_choice_depends_on_the_seed_alone():
    X, _, given = wine(6)
    both = [DiffuseInterfaceClassifier(random_state=3, n_jobs=n).fit(X, given) for n in (1, 2)]
    assert both[0].tuning_ == both[1].tuning_
    np.testing.assert_array_equal(both[0].label_distributions_, both[1].label_distributions_)


def test_five_rows_and_uneven_classes():
    X = np.array([[0.0, 0], [1, 1], [9, 9], [10, 9], [9, 10]])
    with pytest.warns(UserWarning, match="n_neighbors=10 is reduced"):
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, [0, -1, 1, -1, -1])
    np.testing.assert_array_equal(clf.transduction_[2:], 1)
    X, _, given = wine(8)
    given[(given == 0)] = np.where(np.cumsum(given[given == 0] == 0) > 1, -1, 0)
    assert (given == 0).sum() == 1
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert set(clf.transduction_) == {0, 1, 2}


def test_duplicates_and_constant_columns():
    X, y, given = wine(6)
    X, y, given = np.repeat(X, 3, axis=0), np.repeat(y, 3), np.concatenate([given, np.full(2 * len(y), -1)])
    given = np.where(np.arange(len(y)) % 3 == 0, np.repeat(given[: len(y) // 3], 3), -1)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(np.column_stack([X, np.ones(len(X))]), given)
    assert (clf.transduction_ == y).mean() > 0.9


def test_sparse_text_is_compared_and_asked():
    """Documents of four topics, each with words of its own among many common ones."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 60)
    words = rng.poisson(0.02, size=(240, 1200)).astype(float)
    for topic in range(4):
        words[y == topic, 30 * topic : 30 * topic + 30] += rng.poisson(0.12, size=(60, 30))
    given = datasets.sample_labels(y, 10, 0)
    wrong = [
        (
            DiffuseInterfaceClassifier(random_state=0, tune=t)
            .fit(sparse.csr_array(words), given)
            .transduction_
            != y
        )
        for t in (False, "auto")
    ]
    assert wrong[1].mean() < wrong[0].mean() - 0.1


def test_wide_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 300)) + 0.6 * y[:, None] * (np.arange(300) < 40)
    given = datasets.sample_labels(y, 10, 0)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert (clf.transduction_ == y).mean() > 0.8
    assert (clf.predict(X) == y).mean() > 0.8


def test_a_ball_in_a_wider_one_is_for_the_kernel_machine_alone():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 15)) * np.where(y == 0, 1.0, 1.8)[:, None]
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, datasets.sample_labels(y, 40, 0))
    assert clf.tuning_.evidence["kernel"] > 0.3
    assert (clf.transduction_ != y).mean() < 0.15
    moved = rng.normal(size=(600, 15)) + 1.2 * np.eye(15)[0] * (2 * y - 1)[:, None]
    clf.fit(moved, datasets.sample_labels(y, 40, 0))
    assert "kernel" in clf.tuning_.likelihood
    assert "kernel" not in clf.tuning_.evidence


def test_rivals_far_behind_are_compared_once():
    """In the middle of a ring no plane tells it from what is around: only rows as they are do well."""
    rng = np.random.default_rng(0)
    angle, y = rng.random(600) * 2 * np.pi, np.repeat([0, 1], 300)
    radius = 1 + 2 * y + 0.05 * rng.normal(size=600)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    given = datasets.sample_labels(y, 100, 1)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert clf.tuning_.n_hidden < 200
    assert (clf.transduction_ == y).all()


@pytest.mark.parametrize("dim", [3, 10])
def test_faint_noise_beside_three_moons(dim):
    """Standardised, fewer than four in five are right."""
    X, truth = datasets.make_three_moons(200, dim=dim, random_state=0)
    for per_class in (2, 10):
        given = datasets.sample_labels(truth, per_class, 1)
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
        assert (clf.transduction_ == truth).mean() > 0.9


def test_three_clusters_and_rows_far_away():
    X, truth = make_blobs(400, 6, centers=3, cluster_std=2.0, random_state=3)
    X, truth = np.vstack([X, X[:30] + 1000 * np.eye(6)[0]]), np.concatenate([truth, truth[:30]])
    given = np.concatenate([datasets.sample_labels(truth[:400], 3, 0), np.full(30, -1)])
    with pytest.warns(gw.BridgedWarning, match="30 of 430 rows lie in 1 part"):
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    assert clf.tuning_.metric == "plain"
    assert (clf.transduction_ == truth)[:400].mean() > 0.95


def test_a_wrong_word_for_tune_is_refused():
    X, _, given = wine(2)
    with pytest.raises(ValueError, match='tune must be True, False or "auto"'):
        DiffuseInterfaceClassifier(tune="always").fit(X, given)


def test_a_cancelled_choice_leaves_the_classifier_as_it_was():
    from threading import Event

    X, _, given = wine(8)
    cancel = Event()

    def progress(stage, share):
        if stage == "tuning" and share:
            cancel.set()

    clf = DiffuseInterfaceClassifier(random_state=0)
    with pytest.raises(gw.CancelledError):
        clf.fit(X, given, cancel=cancel, progress=progress)
    assert not hasattr(clf, "classes_")


def tilted(n=300, d=12, seed=0):
    """Two classes on either side of a plane, and no gap between them: a graph says little."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ np.ones(d) > 0).astype(int)
    given = np.full(n, -1)
    given[:80] = y[:80]
    return X, y, given


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
    assert clf.tuning_.metric in ("graph alone", "graph and features")
    assert {"graph alone", "graph and features", "logistic", "forest"} == set(clf.tuning_.accuracy)
    assert clf.n_features_in_ == 200


def test_new_rows_come_as_affinities_and_hear_the_features_around_them():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 10, 0)
    clf, _ = wrong(W, y, given, features=X)
    new = W[:20]
    assert (clf.predict(new) == y[:20]).mean() > 0.6
    np.testing.assert_allclose(clf.predict_proba(new).sum(axis=1), 1)


def test_few_labels_join_the_graphs():
    W, X, y = blocks()
    clf, _ = wrong(W, y, datasets.sample_labels(y, 1, 0), features=X)
    assert clf.tuning_.metric == "graph and features"
    assert clf.tuning_.n_hidden == 0


def test_worthless_features_do_little_harm():
    W, X, y = blocks(inside=0.08, across=0.01)
    given = datasets.sample_labels(y, 15, 0)
    _, alone = wrong(W, y, given)
    noise = np.random.default_rng(5).normal(size=X.shape)
    assert wrong(W, y, given, features=noise)[1] <= alone + 0.06


def test_features_without_a_graph_or_of_other_rows_are_refused():
    W, X, y = blocks()
    given = datasets.sample_labels(y, 5, 0)
    with pytest.raises(ValueError, match="features go beside a graph"):
        DiffuseInterfaceClassifier().fit(X, given, features=X)
    with pytest.raises(ValueError, match="features has 10 rows but the graph has 200"):
        DiffuseInterfaceClassifier(metric="precomputed").fit(W, given, features=X[:10])


def overlapping(n=900, seed=0):
    """Three classes that overlap, twenty labels each."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    X = rng.normal(size=(n, 4)) + 1.6 * np.eye(4)[truth]
    return X, datasets.sample_labels(truth, 20, random_state=seed), truth


def test_calibrated_scores_are_as_sure_as_they_are_right_and_labels_stay():
    X, y, truth = overlapping(seed=4)
    plain = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, tune=False, calibrate=False).fit(X, y)
    clf = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, tune=False).fit(X, y)
    assert clf.calibrated_
    assert not plain.calibrated_
    assert not hasattr(plain, "calibration_")
    assert clf.calibration_.n_hidden == 60
    assert clf.calibration_.power > 1.2
    np.testing.assert_array_equal(clf.transduction_, plain.transduction_)
    np.testing.assert_array_equal(clf.classes_[clf.label_distributions_.argmax(axis=1)], clf.transduction_)
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1.0)
    unlabelled = y < 0
    right = (clf.transduction_ == truth)[unlabelled].mean()
    gaps = [abs(c.label_distributions_[unlabelled].max(axis=1).mean() - right) for c in (clf, plain)]
    assert gaps[0] < gaps[1]


def test_calibration_leaves_labels_with_evidence_as_they_are():
    X, y, _ = overlapping(n=300)
    both = [DiffuseInterfaceClassifier(random_state=0, calibrate=c).fit(X, y) for c in (False, "auto")]
    assert both[1].calibrated_
    assert both[0].tuning_ == both[1].tuning_
    np.testing.assert_array_equal(both[0].transduction_, both[1].transduction_)


def test_few_labels_one_class_and_the_papers_descent_have_scores_only():
    X, truth = blobs()
    y = few(truth)
    assert not DiffuseInterfaceClassifier(random_state=0).fit(X, y).calibrated_
    asked = DiffuseInterfaceClassifier(random_state=0, calibrate=True)
    assert asked.fit(X, y).calibrated_
    assert (
        not DiffuseInterfaceClassifier(random_state=0, calibrate=True, start="random").fit(X, y).calibrated_
    )
    alone = asked.fit(X[:60], np.where(np.arange(60) < 3, 0, -1))
    assert alone.result_.status is Status.ONE_CLASS
    assert not alone.calibrated_
    with pytest.raises(ValueError, match='calibrate must be True, False or "auto"'):
        DiffuseInterfaceClassifier(calibrate="yes").fit(X, y)


@pytest.mark.parametrize("tune", ["auto", False])
def test_scores_are_calibrated_as_if_copies_were_not_there(tune):
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=120)
    X = rng.normal(size=(120, 2)) + 0.7 * truth[:, None]
    y = np.where(np.arange(120) < 40, truth, -1)
    once, thrice = (
        gw.DiffuseInterfaceClassifier(tune=tune, random_state=0).fit(np.tile(X, (n, 1)), np.tile(y, n))
        for n in (1, 3)
    )
    assert thrice.calibrated_
    assert abs(thrice.calibration_.right - once.calibration_.right) < 0.15
    if tune:
        best = max(thrice.tuning_.accuracy.values())
        assert abs(best - max(once.tuning_.accuracy.values())) < 0.15
