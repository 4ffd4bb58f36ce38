"""Class sizes that the user knows, and settings that the labels choose."""

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier, Graph, datasets
from graphwell.backends import make_engine
from graphwell.estimators.prior import read_class_prior
from graphwell.estimators.tuning import _choose, candidates, enough_labels, tune
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe

CLASSES = np.array(["a", "b"])
LABELS = np.array([0, 0, 0, 1, -1])


@pytest.mark.parametrize(
    ("prior", "shares"),
    [
        (None, None),
        ("labels", [0.75, 0.25]),
        ([0.2, 0.8], [0.2, 0.8]),
        ({"b": 0.9, "a": 0.1}, [0.1, 0.9]),
        ([0.2002, 0.8], [0.2002 / 1.0002, 0.8 / 1.0002]),
    ],
)
def test_a_prior_may_come_in_several_forms(prior, shares):
    found = read_class_prior(prior, CLASSES, LABELS)
    assert found is None if shares is None else np.allclose(found, shares)


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ("even", 'class_prior must be None, "labels", an array or a dict'),
        ([0.5, 0.6], "class_prior must sum to 1, got a sum of 1.1"),
        ([0.2, 0.3, 0.5], "one share for each of the 2 classes"),
        ([0.0, 1.0], "positive for every class that has labels; look at"),
        ([np.nan, 1.0], "positive for every class"),
        ({"a": 1.0}, "it lacks \\['b'\\]"),
        ({"a": 0.5, "b": 0.3, "c": 0.2}, "names \\['c'\\], which no label has"),
    ],
)
def test_a_bad_prior_gets_one_clear_sentence(prior, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_class_prior(prior, CLASSES, LABELS)


def test_known_sizes_help_where_the_classes_are_uneven():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], [540, 60])
    X = rng.normal(size=(600, 10)) + 3.2 * np.eye(10)[truth]
    errors = {}
    for prior in (None, [0.9, 0.1]):
        wrong = []
        for seed in range(6):
            y = datasets.sample_labels(truth, 2, random_state=seed)
            clf = DiffuseInterfaceClassifier(class_prior=prior, random_state=0).fit(X, y)
            wrong.append((clf.transduction_ != truth).mean())
        errors[prior is None] = np.mean(wrong)
    assert errors[False] < errors[True]


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
    tuning, graph = tune(problem, Recipe(), make_engine, np.random.default_rng(0))
    assert tuning.recipe in tuning.candidates
    assert len(tuning.candidates) == 6
    assert 0.8 < tuning.accuracy <= 1.0
    assert graph.n_vertices == len(truth)
    assert "of the hidden labels right" in str(tuning)


def test_auto_tuning_waits_for_ten_labels_per_class():
    few, X, truth = moons_problem(9)
    many, _, _ = moons_problem(10)
    assert not enough_labels(few)
    assert enough_labels(many)
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


def test_other_neighbours_give_the_graph_of_other_neighbours():
    X, _ = datasets.make_three_moons(50, random_state=0)
    fewer = Graph.from_features(X).with_neighbors(5)
    np.testing.assert_allclose(fewer.W.toarray(), Graph.from_features(X, n_neighbors=5).W.toarray())
