"""Every parameter of every classifier is taken, or refused in one sentence that names it."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import graphwell as gw
from graphwell import DiffuseInterfaceClassifier
from graphwell.errors import OptionError
from graphwell.estimators.parameters import CHECKS, check_parameters

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


def test_every_parameter_has_a_check():
    named = {name for method in gw.methods().values() for name in method.classifier().get_params()}
    assert named - set(CHECKS) == set()


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
        check_parameters({"schedule": schedule}, {"schedule": None})


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([(1, 2)] * 40, "1d array"),
        (np.array([(1, 2), None] * 20, dtype=object), "y holds a tuple"),
        (np.array([(1, 2), (3,)] * 20, dtype=object), "y holds a tuple"),
        (np.array([{}, []] * 20, dtype=object), "y holds a dict"),
        (np.array([object(), None] * 20, dtype=object), "different kinds"),
        ([1 + 2j] * 40, "label"),
        ([math.inf] * 40, "infinity"),
    ],
)
def test_odd_labels_are_told_of(labels, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier(n_jobs=1).fit(X, labels)


def test_affinities_beyond_all_measure_are_refused():
    with pytest.raises(ValueError, match=r"affinity matrix holds values beyond 1e\+100; divide it"):
        gw.Graph.from_affinity(np.full((4, 4), 1e300))
    assert gw.Graph.from_affinity(np.full((4, 4), 1e99)).n_edges == 6


@pytest.mark.parametrize("tune", [False, "auto"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_rows_out_of_range_are_refused_by_fit_and_predict(form, tune):
    clf = DiffuseInterfaceClassifier(tune=tune, n_jobs=1).fit(form(X), y)
    for ask in (clf.predict, clf.predict_proba, lambda rows: clf.fit(rows, y)):
        for factor in (1e151, -1e200, 1e300):
            with pytest.raises(ValueError, match=r"X holds values beyond 1e\+150; rescale the features\.$"):
                ask(form(np.where(np.arange(40)[:, None] == 7, factor, X)))
        with pytest.raises(ValueError, match="complex"):
            ask(form(X + 1j))
    with pytest.raises(
        ValueError, match=r"X holds no value beyond 1e-150: distances vanish; rescale the features\.$"
    ):
        clf.fit(form(1e-155 * X), y)
    assert len(clf.predict(form(1e-155 * X))) == len(X)  # the fitted rows give the scale


def test_complex_numbers_in_lists_are_refused():
    with pytest.raises(ValueError, match=r"X is complex; give its parts as columns\.$"):
        DiffuseInterfaceClassifier(n_jobs=1).fit((X + 1j).tolist(), y)


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.coo_matrix])
def test_complex_graphs_are_refused_by_fit_and_predict(form):
    W = np.ones((40, 40))
    clf = DiffuseInterfaceClassifier(metric="precomputed", n_jobs=1).fit(W, y)
    for ask in (clf.predict, lambda graph: clf.fit(graph, y), gw.Graph.from_affinity):
        with pytest.raises(ValueError, match=r"is complex; give real affinities, its absolute values say\.$"):
            ask(form(W + 0j))
    with pytest.raises(ValueError, match=r"X holds values beyond 1e\+100; divide it"):
        clf.predict(form(1e150 * W))


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
