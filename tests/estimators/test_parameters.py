"""Every parameter, class size and sample weight is taken, or refused in one sentence that names it."""

import itertools
import math
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import graphwell as gw
from graphwell import DiffuseInterfaceClassifier, datasets
from graphwell.errors import OptionError
from tests.helpers import blobs, few

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = np.r_[0, 1, 0, 1, np.full(36, -1)]
HOSTILE = [
    None, True, 0, -1, -5, 2.5, math.nan, math.inf, -math.inf, 1e300, 1e-300, "", "x", "2", b"x",
    "auto",
    [], [1], ["nearest"], (1, 2), {}, {"a": "b"}, {1: 2}, object(), np.array([1.0, 2.0]), np.array("x"),
    1j, range(3), itertools.count(), lambda: 1, DiffuseInterfaceClassifier, [(0, 5)], [(1, -5)], [(1, 2, 3)],
    [(1, 2.5)], [("a", 1)], [(math.nan, 1)], [(1e300, 1)], iter([(1.0, 1)]), [None],
]  # fmt: skip


def fits_or_tells(classifier, name, value):
    """Fit with an odd value; whatever is refused must be refused in a sentence."""
    try:
        classifier(**{"n_jobs": 1, name: value}).fit(X, y)
    except (ValueError, NotImplementedError, ImportError) as error:
        said = str(error)
        assert said.endswith((".", "?")), said
        assert "\n" not in said
        return False
    return True


def parameters():
    """Each parameter of each class of classifiers."""
    for name, method in gw.methods().items():
        if " " not in name or name == "diffuse interface" or name == "binary interface":
            for parameter in method.classifier().get_params():
                yield pytest.param(method.classifier, parameter, id=f"{name}-{parameter}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("classifier", "name"), list(parameters()))
def test_every_odd_value_is_taken_or_told_of(classifier, name):
    taken = [value for value in HOSTILE if fits_or_tells(classifier, name, value)]
    assert len(taken) < 3 * len(HOSTILE) / 4


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ([], "schedule has no step"),
        ([(0, 5)], r"in the step \(0, 5\), epsilon must be positive"),
        ([(1, -5)], r"in the step \(1, -5\), sweeps must be a positive integer"),
        ("x", "schedule must be Fixed"),
        ([(1.0, 1, 1)], "schedule must be Fixed"),
        (iter([(1.0, 1)]), "schedule must be Fixed"),
        (gw.Fixed(1.0, sweeps=10**12), "more than 100,000 steps"),
    ],
)
def test_odd_schedules_are_told_apart(schedule, words):
    with pytest.raises(OptionError, match=words):
        DiffuseInterfaceClassifier(schedule=schedule).fit(X, y)


def test_new_rows_beyond_single_precision_are_labelled_beside_a_forest():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 3)) + 4 * (np.arange(60) % 2)[:, None]
    labels = np.where(np.arange(60) < 20, np.arange(60) % 2, -1)
    clf = DiffuseInterfaceClassifier(models=RandomForestClassifier(10, random_state=0), n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.fit(rows, labels)
        assert clf.predict(np.array([[1e140] * 3, [-1e140] * 3])).tolist() == [1, 0]


@pytest.mark.parametrize(
    "parameters", [{"fidelity": 1e9}, {"step_size": 1e9}, {"step_size": 1e9, "fidelity": 1e9}]
)
@pytest.mark.parametrize(
    "schedule", [None, gw.Fixed(1e-9, 80), gw.Fixed(1e9, 80), gw.Annealed(1e9, 1e-9, sweeps=2)]
)
def test_the_largest_values_lead_to_labels_that_there_are(parameters, schedule):
    fitted = DiffuseInterfaceClassifier(n_jobs=1, schedule=schedule, random_state=0, **parameters).fit(X, y)
    assert set(fitted.transduction_) <= {0, 1}
    assert np.isfinite(fitted.label_distributions_).all()


ROWS = [[0.0], [1.0], [2.0], [9.0], [10.0]]
NAMED = ["a", "a", "a", "b", None]


@pytest.mark.parametrize(
    ("prior", "shares"),
    [
        (None, [0.75, 0.25]),
        ("labels", [0.75, 0.25]),
        ([0.2, 0.8], [0.2, 0.8]),
        ({"b": 0.9, "a": 0.1}, [0.1, 0.9]),
        ([0.2002, 0.8], [0.2002 / 1.0002, 0.8 / 1.0002]),
    ],
)
def test_a_prior_may_come_in_several_forms(prior, shares):
    clf = DiffuseInterfaceClassifier(class_prior=prior, n_neighbors=1, random_state=0).fit(ROWS, NAMED)
    np.testing.assert_allclose(clf.class_prior_, shares)


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        ("even", 'class_prior must be None, "labels", "auto", an array or a dict'),
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
        DiffuseInterfaceClassifier(class_prior=prior, n_neighbors=1, random_state=0).fit(ROWS, NAMED)


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


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 1, 1], r"must be 0 or more wherever a label is known; row 1 has -1"),
        ([1, np.nan, 1, 1], "row 1 has nan"),
        ([0, 0, 1, 0], "is zero at every known label"),
        ([1, 1], r"shape == \(2,\), expected \(4,\)"),
        ("full", "must hold one number per row, got 'full'"),
    ],
)
def test_bad_weights_get_one_sentence(weights, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier(n_neighbors=1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, -1, 0], weights)


def wrong_labels():
    """Blobs with four right labels and one wrong one in each class."""
    X, truth = blobs(n=40)
    y = few(truth)
    wrong = np.array([np.flatnonzero((truth == c) & (y == -1))[7] for c in range(3)])
    y[wrong] = (truth[wrong] + 1) % 3
    return X, truth, y, wrong


def test_weight_0_is_unknown_and_weight_1_changes_nothing():
    X, _, y, wrong = wrong_labels()
    clf = DiffuseInterfaceClassifier(random_state=0)
    weights = np.ones(len(y))
    plain = clf.fit(X, y).label_distributions_
    np.testing.assert_array_equal(clf.fit(X, y, sample_weight=weights).label_distributions_, plain)
    weights[wrong] = 0
    hidden = np.where(weights == 0, -1, y)
    without = clf.fit(X, hidden).label_distributions_
    np.testing.assert_array_equal(clf.fit(X, y, sample_weight=weights).label_distributions_, without)
    assert clf.doubtful(len(y)).size == (hidden == -1).sum()


def test_labels_of_little_trust_are_overruled():
    X, truth, y, wrong = wrong_labels()
    clf = DiffuseInterfaceClassifier(models=None, random_state=0)
    trusted = clf.fit(X, y).transduction_
    np.testing.assert_array_equal(trusted[wrong], y[wrong])
    weights = np.ones(len(y))
    weights[wrong] = 0.02
    doubted = clf.fit(X, y, sample_weight=weights).transduction_
    np.testing.assert_array_equal(doubted, truth)
