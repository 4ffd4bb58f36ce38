"""Labels of the smallest cut against all labellings with the same sizes."""

from itertools import permutations

import numpy as np
import pytest

from graphwell import Graph
from graphwell.errors import OptionError
from graphwell.estimators.baselines import CutLearning
from tests.helpers import blobs, few


def smallest_cut(W, y, sizes):
    free = np.flatnonzero(y < 0)
    wanted = np.repeat(np.arange(len(sizes)), sizes - np.bincount(y[y >= 0], minlength=len(sizes)))
    best, labels = np.inf, y.copy()
    for order in set(permutations(wanted)):
        labels[free] = order
        best = min(best, W[labels[:, None] != labels].sum())
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_cut_is_the_smallest_with_these_sizes(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((9, 9)) ** 4
    truth = np.repeat([0, 1, 2], 3)
    W = np.triu(W + (truth[:, None] == truth), 1)
    W = W + W.T
    y = np.where(np.arange(9) % 3 == 0, truth, -1)
    found = CutLearning().fit(Graph.from_affinity(W), y).transduction_
    assert np.bincount(found).tolist() == [3, 3, 3]
    assert W[found[:, None] != found].sum() == pytest.approx(smallest_cut(W, y, np.array([3, 3, 3])))


def test_uneven_sizes_are_kept_when_told():
    X, truth = blobs()
    kept = truth != 2
    kept[:40] = False
    y = few(truth[kept])
    shares = np.bincount(truth[kept]) / kept.sum()
    found = CutLearning(class_prior=shares).fit(X[kept], y).transduction_
    np.testing.assert_array_equal(found, truth[kept])


@pytest.mark.parametrize(
    ("field", "value"), [("penalty", 0.0), ("tol", np.nan), ("max_iter", 0), ("class_prior", [1])]
)
def test_what_makes_no_sense_is_refused_by_name(field, value):
    X, truth = blobs(n=10)
    with pytest.raises(OptionError, match=f"^{field} must"):
        CutLearning(**{field: value}).fit(X, few(truth))
