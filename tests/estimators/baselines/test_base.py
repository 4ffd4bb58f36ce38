"""What the methods to compare with share."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphwell.estimators.baselines import (
    GTAM,
    AdaptedEigenfunctions,
    CorrectAndSmooth,
    CutLearning,
    LabelSpreading,
    LaplaceLearning,
    MeasurePropagation,
    MulticlassMBO,
    NearestLabel,
    PoissonLearning,
    SimplexGinzburgLandau,
    VolumeMBO,
)
from tests.estimators.contract import EXPECTED_FAILURES
from tests.helpers import blobs, few

ALL = [
    LabelSpreading,
    LaplaceLearning,
    lambda **options: LaplaceLearning(weights="wnll", **options),
    lambda **options: LaplaceLearning(weights="poisson", **options),
    PoissonLearning,
    NearestLabel,
    lambda **options: MulticlassMBO(random_state=0, **options),
    VolumeMBO,
    GTAM,
    MeasurePropagation,
    lambda **options: SimplexGinzburgLandau(random_state=0, **options),
    CutLearning,
    CorrectAndSmooth,
]
OF_FEATURES = [lambda **options: AdaptedEigenfunctions(random_state=0, **options)]


@pytest.mark.parametrize("make", ALL + OF_FEATURES)
def test_every_method_finds_clear_clusters(make):
    X, truth = blobs(n=40)
    y = truth.copy()
    y[np.arange(len(y)) % 4 > 0] = -1
    clf = make().fit(X, y)
    assert (clf.transduction_ == truth).mean() > 0.98
    assert np.isfinite(clf.label_distributions_).all()
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1)


@pytest.mark.parametrize("make", ALL)
def test_every_method_is_right_on_a_graph_that_falls_apart(make):
    W = np.zeros((8, 8))
    for block in (slice(0, 4), slice(4, 8)):
        W[block, block] = 1 - np.eye(4)
    clf = make(metric="precomputed").fit(W, [5, -1, -1, -1, 9, -1, -1, -1])
    assert clf.transduction_.tolist() == [5] * 4 + [9] * 4


@pytest.mark.parametrize("make", ALL + OF_FEATURES)
def test_every_method_is_deterministic(make):
    X, truth = blobs()
    one, other = (make().fit(X, few(truth)).label_distributions_ for _ in range(2))
    np.testing.assert_array_equal(one, other)


@parametrize_with_checks(
    [LabelSpreading(), LaplaceLearning(), PoissonLearning(), NearestLabel()],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore:n_neighbors=")
@pytest.mark.filterwarnings("ignore::graphwell.BridgedWarning")
@pytest.mark.filterwarnings("ignore::graphwell.LabelWarning")  # empty rows with labels drawn at random
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", ALL + OF_FEATURES)
def test_every_method_answers_where_all_labels_are_of_one_class(make):
    X, _ = blobs(n=10)
    assert set(make(n_neighbors=20).fit(X, [4] + 29 * [-1]).transduction_) == {4}
