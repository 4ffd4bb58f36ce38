"""The metrics: the scale by the data alone, what labels teach, and fitted maps by hand."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as of_sklearn
from sklearn.neighbors import KNeighborsClassifier

from graphwell import datasets
from graphwell.estimators.tuning.maps import Chain, Identity, Linear, Scale, beside, spread_of
from graphwell.estimators.tuning.metrics import CANDIDATES, by_the_data
from graphwell.estimators.tuning.models import MODELS, Sample, fit_model

RNG = np.random.default_rng(0)
MOONS = datasets.make_three_moons(random_state=0)[0]
SHARES = np.where(RNG.random((300, 30)) < 0.8, 0.0, RNG.random((300, 30)))
INDICATORS = RNG.random((300, 40)) < 0.2
COUNTS = RNG.poisson(0.1, size=(200, 30)) * np.array([1000.0] + 29 * [1])
OUTLIER = RNG.normal(size=(1500, 3)) * [1, 50, 1] + 1e6 * (np.arange(4500) == 0).reshape(1500, 3)
# Standardised, the small column cuts the rows into ten islands; as they are, they form one line.
LINE = np.column_stack([np.linspace(0, 1000, 400), 40.0 * ((np.arange(400) >= 200) & (np.arange(400) % 2))])


@pytest.mark.parametrize(
    ("X", "name", "why"),
    [
        (of_sklearn.load_wine().data, "standard", "a few features would decide the distances alone"),
        (of_sklearn.load_breast_cancer().data, "standard", "a few"),
        (of_sklearn.load_digits().data, "plain", "similar units"),
        (MOONS, "plain", ""),
        (RNG.normal(size=(80, 30)) / np.arange(1, 31) ** 0.5, "plain", "similar units"),
        (COUNTS, "plain", "the features are counts, and most are zero"),
        (sparse.csr_array(COUNTS), "plain", "the rows are sparse"),
        # Indicators and shares are no counts: beside them a large column would decide alone.
        (np.column_stack([INDICATORS, 3000 * RNG.random(300)]), "standard", "a few"),
        (np.column_stack([SHARES, 500 * RNG.random(300)]), "standard", "a few"),
        (OUTLIER, "robust", "a few"),
        (LINE, "plain", "break the graph apart"),
        # The two columns of the moons, one in thousandths: no line relates them, the shape does.
        (datasets.make_three_moons(dim=2, random_state=0)[0] * [1, 0.001], "standard", "a few"),
        # Standardised, the columns of faint noise count as much as the two that hold the moons.
        *((datasets.make_three_moons(dim=dim, random_state=0)[0], "plain", "drown the others in noise")
          for dim in (5, 10, 20, 30)),
    ],
)  # fmt: skip
def test_the_scale_is_chosen_by_the_data_alone(X, name, why):
    found = by_the_data(X)
    assert found.name == name
    assert why in found.why


@pytest.mark.parametrize("rows_away", [1, 30])
@pytest.mark.parametrize("columns", [2, 10])
def test_a_far_group_of_rows_changes_no_unit(columns, rows_away):
    X, _ = of_sklearn.make_blobs(500, columns, centers=3, random_state=0)
    far = X[:rows_away] + 1000 * np.eye(columns)[0]
    assert by_the_data(np.vstack([X, far])).name == "plain"


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
    rows, y = three_classes()
    noisy = Sample(np.column_stack([rows.X, np.random.default_rng(1).normal(size=(60, 20)) * 3]), rows.labels)
    known = rows.known
    correct = []
    for X in (noisy.X, CANDIDATES[name].fit(noisy)(noisy.X)):
        nearest = KNeighborsClassifier(1).fit(X[known], y[known])
        correct.append((nearest.predict(X[~known]) == y[~known]).mean())
    assert correct[1] > correct[0]


def test_maps_take_sparse_rows_as_dense_ones_and_can_be_pickled():
    rows = np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]])
    for each in (
        Identity(),
        Scale(np.array([1.0, 2.0]), np.array([2.0, 0.0])),
        Linear(np.ones(2), np.array([[1.0], [2.0]])),
        Linear(np.ones(2), np.array([[1.0], [2.0]]), bias=np.array([0.5])),
        Chain((Scale(np.ones(2), np.ones(2)), Linear(np.zeros(2), np.eye(2)))),
        beside((Identity(), Scale(np.zeros(2), np.ones(2))), rows),
    ):
        found = each(sparse.csr_array(rows))
        found = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(found, each(rows))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(each))(rows), each(rows))


def test_blocks_beside_each_other_weigh_the_same():
    X = np.random.default_rng(0).normal(size=(50, 3)) * 100
    joined = beside((Identity(), Scale(np.zeros(3), np.full(3, 1e-3))), X)(X)
    np.testing.assert_allclose([spread_of(joined[:, :3]), spread_of(joined[:, 3:])], 1.0)


def test_every_model_learns_two_clusters_once():
    X, y = RNG.normal(size=(40, 3)), np.repeat([0, 1], 20)
    X[:20, 0] += 4
    sample = Sample(X, y)
    for name in MODELS:
        predicted = fit_model(name, sample, 2)(X).argmax(axis=1)
        assert (predicted == y).mean() > 0.8, name
        assert sample.model(name) is sample.model(name)
    assert sample.with_labels(np.where(y == 0, 0, -1)).models == {}
    assert CANDIDATES.keys() & {*MODELS, "graph"} == set()  # no metric and no classifier have one name
