"""The list of metrics: each can be fitted, keeps the rows apart, and says what it does."""

import numpy as np
import pytest

from graphwell.metric.candidates import CANDIDATES, LABELS_FOR_A_PERCEPTRON, compared_with, metric_candidate
from graphwell.metric.maps import Identity
from graphwell.metric.sample import Sample


def sample():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.gamma(2.0, size=(60, 4))
    X[:, 1] += 6 * y
    return Sample(X, np.where(rng.random(60) < 0.5, y, -1)), y


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_candidate_maps_rows_to_finite_rows(name):
    rows, _ = sample()
    found = CANDIDATES[name].fit(rows)(rows.X)
    assert found.shape[0] == 60
    assert np.isfinite(found).all()
    assert CANDIDATES[name].summary


@pytest.mark.parametrize("name", ["discriminants", "importances"])
def test_what_labels_teach_brings_classes_apart(name):
    from sklearn.neighbors import KNeighborsClassifier

    rows, y = sample()
    noisy = Sample(np.column_stack([rows.X, np.random.default_rng(1).normal(size=(60, 20)) * 3]), rows.labels)
    known = rows.known
    right = []
    for X in (noisy.X, CANDIDATES[name].fit(noisy)(noisy.X)):
        nearest = KNeighborsClassifier(1).fit(X[known], y[known])
        right.append((nearest.predict(X[~known]) == y[~known]).mean())
    assert right[1] > right[0]


def test_a_perceptron_waits_for_labels():
    assert "hidden layer" not in compared_with("plain", LABELS_FOR_A_PERCEPTRON - 1, 2)
    assert "hidden layer" in compared_with("plain", LABELS_FOR_A_PERCEPTRON, 2)


def test_a_new_candidate_is_a_function(monkeypatch):
    monkeypatch.setattr("graphwell.metric.candidates.CANDIDATES", registry := dict(CANDIDATES))
    metric_candidate("mine", "my own")(lambda sample: Identity())
    assert compared_with("plain", 10, 2)[-1] == "mine"
    assert registry["mine"].summary == "my own"
