"""Threshold dynamics against dense matrices."""

import numpy as np
import pytest

from graphwell._random import stream
from graphwell.errors import OptionError
from graphwell.estimators.baselines import MulticlassMBO, VolumeMBO
from tests.estimators.baselines.cases import connected_case
from tests.helpers import blobs, few


def dense_mbo(graph, y, seed_labels, step, fidelity, iterations):
    """One iteration of MBO with all eigenvectors is implicit diffusion by the full matrix."""
    diffuse = np.linalg.inv(np.eye(len(y)) + step / 3 * graph.L_s.toarray())
    known = (y >= 0)[:, None]
    Y = np.eye(3)[y] * known
    u = np.where(known, Y, np.eye(3)[seed_labels])
    for _ in range(iterations):
        v = u
        for _ in range(3):
            v = diffuse @ (v - step / 3 * fidelity * known * (v - Y))
        u = np.eye(3)[v.argmax(axis=1)]
    return u.argmax(axis=1)


def test_mbo_matches_dense_threshold_dynamics():
    graph, y = connected_case(6)
    start = stream(0, "start").integers(3, size=24)
    found = MulticlassMBO(n_eigenvectors=24, max_iter=5, fidelity=10.0, random_state=0).fit(graph, y)
    expected = dense_mbo(graph, y, start, 0.3, 10.0, 5)
    np.testing.assert_array_equal(found.transduction_[6:], expected[6:])


def test_volume_mbo_keeps_the_sizes():
    X, truth = blobs()
    clf = VolumeMBO().fit(X, few(truth))
    np.testing.assert_array_equal(np.bincount(clf.transduction_), [60, 60, 60])


def test_slack_lets_uneven_classes_be_uneven_but_not_more():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(80, 2)), 9 + rng.normal(size=(40, 2))])
    y = np.full(120, -1)
    y[[0, 1, 80, 81]] = [0, 0, 1, 1]
    sizes = [np.bincount(VolumeMBO(50, slack=slack).fit(X, y).transduction_)[0] for slack in (0.0, 0.1, 0.5)]
    assert sizes == [60, 66, 80]


def test_labels_beyond_the_size_of_their_class_are_kept():
    X, truth = blobs(n=20)
    y = np.where(truth == 0, 0, few(truth))
    clf = VolumeMBO(class_prior=[0.1, 0.45, 0.45]).fit(X, y)
    assert (clf.transduction_[y >= 0] == y[y >= 0]).all()
    assert np.bincount(clf.transduction_).sum() == 60


@pytest.mark.parametrize(
    ("clf", "field"),
    [
        (MulticlassMBO(n_eigenvectors=0), "n_eigenvectors"),
        (MulticlassMBO(max_iter=0), "max_iter"),
        (VolumeMBO(max_iter=0), "max_iter"),
        (VolumeMBO(diffusion_steps=0), "diffusion_steps"),
        (VolumeMBO(slack=1.5), "slack"),
        (VolumeMBO(class_prior=[0.5, 0.5]), "class_prior"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(clf, field):
    X, truth = blobs(n=10)
    with pytest.raises(OptionError, match=f"^{field} must") as caught:
        clf.fit(X, few(truth))
    assert caught.value.field == field
