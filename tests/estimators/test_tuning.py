"""Settings that the labels choose."""

import warnings

import numpy as np
import pytest

import graphwell as gw
from graphwell import DiffuseInterfaceClassifier, Graph, datasets
from graphwell.backends import find_backend
from graphwell.estimators import tuning as tuning_module
from graphwell.estimators.tuning import Tuning, _choose, candidates, enough_labels, tune
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe


def moons_problem(per_class):
    X, truth = datasets.make_three_moons(150, random_state=0)
    y = datasets.sample_labels(truth, per_class, random_state=0)
    return Problem(Graph.from_features(X), y, 3), X, truth


def test_candidates_start_with_the_default_and_need_features_for_other_neighbours():
    problem, _, _ = moons_problem(5)
    assert candidates(Recipe(), problem.graph)[0] == Recipe()
    assert {recipe.n_neighbors for recipe in candidates(Recipe(), problem.graph)} == {None, 5, 15}
    bare = Graph.from_affinity(problem.graph.W)
    assert {recipe.n_neighbors for recipe in candidates(Recipe(), bare)} == {None}


def test_the_default_is_kept_unless_another_is_clearly_better():
    default, other = Recipe(), Recipe(time=0.0)
    hits = np.arange(100) < 80
    close = np.arange(100) < 82
    clear = np.arange(100) < 95
    assert _choose(default, {default: hits, other: close}) == default
    assert _choose(default, {default: hits, other: clear}) == other


def test_tuning_reports_what_it_chose_and_how_good_it_is():
    problem, _, truth = moons_problem(15)
    tuned = tune(find_backend("cpu"), problem, Recipe(), np.random.default_rng(0))
    tuning, graph = tuned.tuning, tuned.problem.graph
    assert tuning.recipe in tuning.candidates
    assert len(tuning.candidates) == 6
    assert 0.8 < tuning.accuracy <= 1.0
    assert graph.n_vertices == len(truth)
    assert "of the hidden labels right" in str(tuning)


def test_auto_tuning_waits_for_ten_labels_per_class():
    few, X, truth = moons_problem(9)
    many, _, _ = moons_problem(10)
    assert not enough_labels(find_backend("cpu"), few)
    assert enough_labels(find_backend("cpu"), many)
    clf = DiffuseInterfaceClassifier(tune="auto", random_state=0).fit(X, few.labels)
    assert not hasattr(clf, "tuning_")
    clf = DiffuseInterfaceClassifier(tune="auto", random_state=0).fit(X, many.labels)
    assert (clf.transduction_ != truth).mean() < 0.1
    assert clf.timings_["tuning"] > 0


def test_one_label_per_class_can_be_tuned_without_hiding_it():
    problem, X, _ = moons_problem(1)
    clf = DiffuseInterfaceClassifier(tune=True, random_state=0).fit(X, problem.labels)
    assert clf.tuning_.recipe == Recipe()
    assert "no second label" in str(clf.tuning_)


@pytest.fixture
def fifteen(monkeypatch):
    """Let tuning find that 15 neighbours are best."""
    every = lambda default, graph: [default, Recipe(default.start, n_neighbors=15)]  # noqa: E731
    monkeypatch.setattr(tuning_module, "candidates", every)
    monkeypatch.setattr(
        tuning_module, "_choose", lambda default, right: Recipe(default.start, n_neighbors=15)
    )
    return 15


def test_a_tuned_number_of_neighbours_changes_the_graph_of_the_fit(fifteen):
    X, truth = datasets.make_three_moons(100, random_state=0)
    y = datasets.sample_labels(truth, 5, random_state=0)
    clf = DiffuseInterfaceClassifier(n_neighbors=5, tune=True, random_state=0).fit(X, y)
    wide = Graph.from_features(X, n_neighbors=15)
    assert clf.tuning_.recipe.n_neighbors == fifteen
    assert clf.graph_.n_neighbors == 15
    np.testing.assert_allclose(clf.graph_.W.toarray(), wide.W.toarray())
    new = X[:20] + 0.05
    votes = wide.affinity_to(new) @ clf.label_distributions_
    np.testing.assert_allclose(clf.predict_proba(new), votes / votes.sum(axis=1, keepdims=True))


def islands():
    """Two clusters, far apart; with few neighbours the second falls into two parts, one without a label."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 30, rng.normal(size=(12, 2)) + 45])
    y = np.full(92, -1)
    y[:10], y[40:50] = 0, 1
    return X, y


def test_reachable_rows_and_their_warning_are_those_of_the_tuned_graph(fifteen):
    X, y = islands()
    with pytest.warns(gw.BridgedWarning, match="12 of 92 rows"):
        DiffuseInterfaceClassifier(n_neighbors=5, scale_neighbor=5, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # on the tuned graph no row needs a bridge: nothing to warn of
        clf = DiffuseInterfaceClassifier(n_neighbors=5, scale_neighbor=5, tune=True, random_state=0).fit(X, y)
    assert not clf.bridged_.any()
    assert (clf.transduction_[80:] == 1).all()
    assert clf.graph_.n_components == Graph.from_features(X, 15, 5).n_components


def test_an_island_of_the_tuned_graph_is_told(monkeypatch):
    X, y = islands()
    small = lambda default, right: Recipe(default.start, n_neighbors=5)  # noqa: E731
    monkeypatch.setattr(tuning_module, "_choose", small)
    with pytest.warns(gw.BridgedWarning, match="12 of 92 rows lie in 1 part"):
        clf = DiffuseInterfaceClassifier(n_neighbors=15, scale_neighbor=5, tune=True, random_state=0).fit(
            X, y
        )
    np.testing.assert_array_equal(clf.bridged_, np.arange(92) >= 80)
    assert (clf.transduction_[80:] == 1).all()
    assert clf.predict(X[-1:]) == [1]


def test_a_choice_that_could_not_be_made_says_so():
    assert "no second label of any class" in str(Tuning(Recipe(), float("nan"), {}))
