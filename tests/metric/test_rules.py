"""The choice of a scale by the data alone."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as of_sklearn

from graphwell import datasets
from graphwell.metric.rules import Look, are_counts, by_the_data, has_outliers
from graphwell.metric.sample import units_differ

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


def test_columns_that_know_nothing_of_each_other_hold_nothing_together():
    look = Look.at(RNG.normal(size=(500, 4)))
    assert abs(look.bonds) < 3 * look.error
    line = RNG.normal(size=(500, 1))
    assert Look.at(np.hstack([line, line + 0.01 * RNG.normal(size=(500, 1))])).bonds > 1


def test_equal_rows_and_two_rows_can_be_looked_at():
    assert Look.at(np.ones((20, 3))) == Look(0.0, 0.0, 0.0)
    assert Look.at(np.array([[0.0], [9.0]])).lost == 0.0


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
    assert Look.at(X).lost == 0
    assert by_the_data(X).name == "plain"


def test_a_single_or_constant_column_has_no_unit_to_differ_from():
    assert not units_differ(np.arange(5.0)[:, None])
    assert not units_differ(np.column_stack([np.arange(5.0), np.ones(5)]))
    assert by_the_data(np.ones((4, 2))).name == "plain"
