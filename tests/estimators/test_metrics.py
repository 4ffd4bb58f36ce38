"""The metrics: the scale by the data alone, what labels teach, and fitted maps by hand."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as of_sklearn

from graphwell import datasets
from graphwell.estimators.tuning.maps import (
    Chain,
    Identity,
    Linear,
    Scale,
    beside,
    spread_of,
)
from graphwell.estimators.tuning.metrics import (
    CANDIDATES,
    NeighborStatistics,
    are_counts,
    by_the_data,
    has_outliers,
)
from graphwell.estimators.tuning.models import MODELS, Sample, fit_model

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("load", [of_sklearn.load_wine, of_sklearn.load_breast_cancer])
def test_different_units_are_standardised(load):
    assert by_the_data(load().data).name == "standard"


def test_one_unit_stays():
    assert by_the_data(of_sklearn.load_digits().data).name == "plain"
    assert by_the_data(datasets.make_three_moons(random_state=0)[0]).name == "plain"
    assert by_the_data(RNG.normal(size=(80, 30)) / np.arange(1, 31) ** 0.5).name == "plain"


def test_counts_that_are_mostly_zero_stay():
    counts = RNG.poisson(0.1, size=(200, 30)) * np.array([1000] + 29 * [1])
    assert by_the_data(counts.astype(float)).name == "plain"
    assert by_the_data(sparse.csr_array(counts)).name == "plain"


def test_indicators_and_shares_are_no_counts():
    """An amount among forty indicators, and shares beside a length: the large column would decide alone."""
    indicators = RNG.random((300, 40)) < 0.2
    assert by_the_data(np.column_stack([indicators, 3000 * RNG.random(300)])).name == "standard"
    shares = np.where(RNG.random((300, 30)) < 0.8, 0.0, RNG.random((300, 30)))
    assert by_the_data(np.column_stack([shares, 500 * RNG.random(300)])).name == "standard"
    assert not are_counts(indicators.astype(float))


@pytest.mark.parametrize("rows_away", [1, 30])
@pytest.mark.parametrize("columns", [2, 10])
def test_a_far_group_of_rows_changes_no_unit(columns, rows_away):
    X, _ = of_sklearn.make_blobs(500, columns, centers=3, random_state=0)
    far = X[:rows_away] + 1000 * np.eye(columns)[0]
    assert by_the_data(np.vstack([X, far])).name == "plain"


@pytest.mark.parametrize("dim", [5, 10, 20, 30])
def test_faint_noise_is_not_blown_up(dim):
    """Standardised, the columns of noise count as much as the two that hold the moons."""
    X, _ = datasets.make_three_moons(dim=dim, random_state=0)
    found = by_the_data(X)
    assert found.name == "plain"
    assert found.why == "scaled features would drown the others in noise"


def test_another_unit_is_told_from_noise():
    """The same two columns of the moons, one in thousandths: no line relates them, the shape does."""
    X, _ = datasets.make_three_moons(dim=2, random_state=0)
    assert by_the_data(X * [1, 0.001]).name == "standard"


def test_outliers_ask_for_quartiles():
    X = RNG.normal(size=(1500, 3)) * [1, 50, 1]
    X[0, 0] = 1e6
    assert has_outliers(X)
    assert by_the_data(X).name == "robust"


def test_a_scale_that_breaks_the_graph_apart_is_given_up():
    """Standardised, the small column cuts the rows into ten islands; as they are, they form one line."""
    line = np.linspace(0, 1000, 400)
    X = np.column_stack([line, np.repeat(np.arange(10.0), 40) * 3])
    X[:, 1] = np.where(X[:, 1] > 13, 40.0, 0.0) * (np.arange(400) % 2)
    assert NeighborStatistics.at(X).lost == 0
    assert by_the_data(X).name == "plain"


def three_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.gamma(2.0, size=(60, 4))
    X[:, 1] += 6 * y
    return Sample(X, np.where(rng.random(60) < 0.5, y, -1)), y


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_candidate_maps_rows_to_finite_rows(name):
    rows, _ = three_classes()
    found = CANDIDATES[name].fit(rows)(rows.X)
    assert found.shape[0] == 60
    assert np.isfinite(found).all()
    assert CANDIDATES[name].summary


@pytest.mark.parametrize("name", ["discriminants", "importances"])
def test_what_labels_teach_brings_classes_apart(name):
    from sklearn.neighbors import KNeighborsClassifier

    rows, y = three_classes()
    noisy = Sample(np.column_stack([rows.X, np.random.default_rng(1).normal(size=(60, 20)) * 3]), rows.labels)
    known = rows.known
    right = []
    for X in (noisy.X, CANDIDATES[name].fit(noisy)(noisy.X)):
        nearest = KNeighborsClassifier(1).fit(X[known], y[known])
        right.append((nearest.predict(X[~known]) == y[~known]).mean())
    assert right[1] > right[0]


ROWS = np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
MAPS = [
    Identity(),
    Scale(np.array([1.0, 2.0]), np.array([2.0, 0.0])),
    Linear(np.ones(2), np.array([[1.0], [2.0]])),
    Linear(np.ones(2), np.array([[1.0], [2.0]]), bias=np.array([0.5])),
    Chain((Scale(np.ones(2), np.ones(2)), Linear(np.zeros(2), np.eye(2)))),
    beside((Identity(), Scale(np.zeros(2), np.ones(2))), ROWS),
]


def test_sparse_rows_are_mapped_as_dense_ones():
    for each in MAPS:
        found = each(sparse.csr_array(ROWS))
        found = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(found, each(ROWS))


def test_maps_can_be_pickled():
    for each in MAPS:
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(each))(ROWS), each(ROWS))


def test_blocks_beside_each_other_weigh_the_same():
    X = np.random.default_rng(0).normal(size=(50, 3)) * 100
    joined = beside((Identity(), Scale(np.zeros(3), np.full(3, 1e-3))), X)(X)
    np.testing.assert_allclose([spread_of(joined[:, :3]), spread_of(joined[:, 3:])], 1.0)


def two_classes(d=3, n=40):
    X = RNG.normal(size=(n, d))
    X[: n // 2, 0] += 4
    return X, np.repeat([0, 1], n // 2)


def test_models_are_fitted_once_and_forgotten_with_the_labels():
    X, y = two_classes()
    sample = Sample(X, y)
    assert sample.model("forest") is sample.model("forest")
    other = sample.with_labels(np.where(y == 0, 0, -1))
    assert other.scaled is sample.scaled
    assert other.models == {}


def test_every_model_learns_two_clusters():
    X, y = two_classes()
    for name in MODELS:
        predicted = fit_model(name, Sample(X, y), 2)(X).argmax(axis=1)
        assert (predicted == y).mean() > 0.8, name


def test_no_metric_and_no_classifier_have_one_name():
    assert CANDIDATES.keys() & {*MODELS, "graph"} == set()
