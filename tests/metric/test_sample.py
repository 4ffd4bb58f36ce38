"""Samples: what several metrics share is made once, and wide or sparse rows are projected."""

import numpy as np
from scipy import sparse

from graphwell.metric.sample import AXES_OF_WIDE_ROWS, MODELS, Sample, leading_axes

RNG = np.random.default_rng(0)


def two_classes(d=3, n=40):
    X = RNG.normal(size=(n, d))
    X[: n // 2, 0] += 4
    return X, np.repeat([0, 1], n // 2)


def test_constant_columns_become_zero():
    assert (Sample(np.ones((5, 2)), np.zeros(5, dtype=int)).scaled == 0).all()


def test_wide_rows_are_projected():
    X, y = two_classes(d=300, n=120)
    assert Sample(X, y).scaled.shape == (120, AXES_OF_WIDE_ROWS)
    assert Sample(sparse.csr_array(X), y).scaled.shape == (120, AXES_OF_WIDE_ROWS)


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
        if name != "boosting":  # needs twenty labels in a leaf
            sample = Sample(X, y)
            assert (sample.model(name).predict(sample.scaled) == y).mean() > 0.8, name


def test_there_are_no_more_axes_than_rows_or_columns():
    assert leading_axes(RNG.normal(size=(4, 9)), 50).matrix.shape == (9, 4)
    assert leading_axes(sparse.csr_array(RNG.normal(size=(4, 9))), 50).matrix.shape == (9, 3)
