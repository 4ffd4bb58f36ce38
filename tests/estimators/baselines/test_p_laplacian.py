"""The p-Laplacian as a clusterer."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.estimators.baselines import PLaplacianClustering
from graphwell.metrics import matched_error


def test_moons_are_cut_better_as_p_falls():
    X, truth = gw.datasets.make_two_moons(n_per_class=200, random_state=0)
    graph = gw.Graph.from_features(X, n_jobs=1)
    errors = [matched_error(PLaplacianClustering(2, p=p).fit_predict(graph), truth) for p in (2.0, 1.2)]
    assert errors[1] <= errors[0]
    assert errors[1] < 0.2


@pytest.mark.parametrize("p", [1.0, 0.5, 2.5, np.nan])
def test_p_outside_its_range_gets_a_sentence(p):
    with pytest.raises(OptionError, match="p must"):
        PLaplacianClustering(2, p=p).fit_predict(np.eye(4))
