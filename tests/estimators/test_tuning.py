"""How rows are compared: by the data alone, and by hidden labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_blobs

import graphwell as gw
from graphwell import Annealed, DiffuseInterfaceClassifier, Graph, datasets
from graphwell.estimators.evidence import expert_of
from graphwell.estimators.tuning import unseen
from graphwell.metric.sample import Sample


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


def test_pictures_of_digits_stay_as_they_are():
    X, y = load_digits(return_X_y=True)
    given = datasets.sample_labels(y, 5, 0)
    clf = DiffuseInterfaceClassifier(random_state=0).fit(X, given)
    plain = DiffuseInterfaceClassifier(random_state=0, tune=False).fit(X, given)
    assert clf.tuning_.metric == "plain"
    assert (clf.transduction_ != y).mean() <= (plain.transduction_ != y).mean() + 0.005


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


def test_trees_judge_the_labels_they_have_not_seen():
    X, _, given = wine(8)
    sample = Sample(X, given)
    hidden = given == 0
    shown = sample.with_labels(np.where(hidden, -1, given))
    said = unseen("forest", sample, shown, hidden, 4)
    assert said.shape == (8, 4)
    assert (said[:, 3] == 0).all()
    np.testing.assert_allclose(said.sum(axis=1), 1)
    seen = expert_of("forest", sample, 4)(X[hidden])
    assert said[:, 0].mean() < seen[:, 0].mean()


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
