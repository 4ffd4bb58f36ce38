"""The two-class model with fixed mass."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.estimators.baselines import BalancedInterface
from graphwell.metrics import matched_error


def cliques(first, second, link=0.1):
    n = first + second
    W = np.zeros((n, n))
    W[:first, :first] = 1 - np.eye(first)
    W[first:, first:] = 1 - np.eye(second)
    W[first - 1, first] = W[first, first - 1] = link
    return W


def test_two_moons_come_near_the_quoted_figure():
    X, truth = gw.datasets.make_two_moons(random_state=1)
    found = BalancedInterface(n_jobs=1).fit_predict(X)
    assert matched_error(found, truth) < 0.04


@pytest.mark.parametrize("shares", [(0.3, 0.7), (0.7, 0.3), (3, 7)])
def test_uneven_sizes_are_found_whichever_comes_first(shares):
    found = BalancedInterface(metric="precomputed", class_prior=shares).fit_predict(cliques(3, 7))
    assert matched_error(found, np.repeat([0, 1], [3, 7])) == 0


def test_a_graph_in_two_parts_and_a_third_cluster():
    found = BalancedInterface(metric="precomputed").fit_predict(cliques(4, 4, link=0.0))
    assert matched_error(found, np.repeat([0, 1], 4)) == 0
    with pytest.raises(OptionError, match="n_clusters must be 2"):
        BalancedInterface(3, metric="precomputed").fit_predict(cliques(4, 4))
    with pytest.raises(OptionError, match="class_prior must hold one share for each of the 2"):
        BalancedInterface(metric="precomputed", class_prior=[1.0]).fit_predict(cliques(4, 4))
