"""Densities of mixtures."""

import numpy as np

from graphwell.backends.cpu.pixels import ROWS, log_likelihoods


def test_a_density_by_hand():
    values = np.array([[0.0, 1.0]], dtype=np.float32)
    logs, means = np.log([0.5, 0.25]).astype(np.float32), np.array([[0.0], [3.0]], dtype=np.float32)
    roots, out = np.array([[[1.0]], [[2.0]]], dtype=np.float32), np.zeros(2, dtype=np.float32)
    log_likelihoods(0, 1, values, logs, means, roots, out)
    expected = [0.5 + 0.25 * np.exp(-18.0), 0.5 * np.exp(-0.5) + 0.25 * np.exp(-8.0)]
    np.testing.assert_allclose(np.exp(out), expected, rtol=1e-5)


def test_parts_make_up_the_whole():
    rng = np.random.default_rng(0)
    values = rng.random((3, 2 * ROWS + 5)).astype(np.float32)
    model = (
        np.zeros(2, np.float32),
        rng.random((2, 3)).astype(np.float32),
        np.tile(np.eye(3, dtype=np.float32), (2, 1, 1)),
    )
    whole, parts = np.zeros(values.shape[1], np.float32), np.zeros(values.shape[1], np.float32)
    log_likelihoods(0, 3, values, *model, whole)
    for part in range(3):
        log_likelihoods(part, part + 1, values, *model, parts)
    assert (whole == parts).all()
    assert (whole != 0).all()
