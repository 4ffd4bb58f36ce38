"""The choice of a scale by the data alone."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as of_sklearn

from graphwell import datasets
from graphwell.metric.rules import by_the_data, has_outliers, lost_rows
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
    assert lost_rows(X) == 0
    assert by_the_data(X).name == "plain"


def test_a_single_or_constant_column_has_no_unit_to_differ_from():
    assert not units_differ(np.arange(5.0)[:, None])
    assert not units_differ(np.column_stack([np.arange(5.0), np.ones(5)]))
    assert by_the_data(np.ones((4, 2))).name == "plain"


def test_two_rows_are_never_apart():
    assert lost_rows(np.array([[0.0], [9.0]])) == 0.0
