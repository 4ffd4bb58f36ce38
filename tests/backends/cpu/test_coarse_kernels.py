"""Communities that choose their class, against the plain rule."""

import numpy as np
import pytest

from graphwell.solve.coarse import (
    HIGHEST,
    INCREMENT,
    LINKS_KEPT,
    MULTIPLIER,
    choose_classes,
    energy,
    noise_of,
    number_codes,
)
from tests.helpers import random_graph


def plain_choice(W, volumes, evidence, pressure, noise, seed, labels):
    """Every gain with its noise, and then the largest."""
    n, n_classes = evidence.shape
    numbers = uniforms(seed)
    for width in [*noise, *[0.0] * 100]:
        for c in range(n):
            others = np.arange(n) != c
            inside = np.array([volumes[others & (labels == k)].sum() for k in range(n_classes)])
            links = np.array([W[c, others & (labels == k)].sum() for k in range(n_classes)])
            force = 2 / volumes.sum() * pressure * (inside + volumes[c] / 2)
            gains = 2 * links - force * volumes[c] + evidence[c]
            if width > 0:
                gains -= width * np.log(-np.log([next(numbers) for _ in range(n_classes)]))
            if gains[labels[c]] < gains.max():
                labels[c] = np.argmax(gains)


def uniforms(seed):
    state = seed
    state = (state * int(MULTIPLIER) + int(INCREMENT)) % 2**64
    while True:
        state = (state * int(MULTIPLIER) + int(INCREMENT)) % 2**64
        yield ((state >> 12) + 0.5) / 2**52


@pytest.mark.parametrize("n_classes", [1, 2, 40, LINKS_KEPT + 1])
@pytest.mark.parametrize("seed", range(3))
def test_choices_are_those_of_the_plain_rule(n_classes, seed):
    rng = np.random.default_rng(seed)
    W = random_graph(rng, 30, 0.2).W.tolil()
    W[4, :] = W[:, 4] = 0.0  # alone
    W[7, 7] = 3.0  # with weight inside, as a community has
    W = W.tocsr()
    volumes, pressure = W.sum(axis=1) + 0.1, np.ones(n_classes)
    evidence = 0.1 * rng.random((30, n_classes))
    noise = np.array([0.5, 0.1, 0.01])
    found = rng.integers(n_classes, size=30)
    expected = found.copy()
    choose_classes(W, found, volumes, evidence, pressure, noise, seed)
    plain_choice(W.toarray(), volumes, evidence, pressure, noise, seed, expected)
    np.testing.assert_array_equal(found, expected)


def test_noise_is_at_most_what_it_is_said_to_be():
    ends = [number << 59 for number in range(1, 33)]
    for drawn in np.array([0, *(end - 1 for end in ends), *ends[:-1]], dtype=np.uint64):
        noise = noise_of.py_func(drawn)
        assert noise == -np.log(-np.log(((int(drawn) >> 12) + 0.5) / 2**52))
        assert noise < HIGHEST[drawn >> np.uint64(59)]


def test_codes_become_their_ranks():
    codes = np.array([7, 2, 7, 0, 2])
    assert number_codes(codes, np.full(9, -1)) == 3
    np.testing.assert_array_equal(codes, [2, 1, 2, 0, 1])


@pytest.mark.parametrize("n_classes", [1, 3])
def test_the_energy_is_what_is_cut_and_pressed_less_what_is_said(n_classes):
    rng = np.random.default_rng(n_classes)
    W = random_graph(rng, 30, 0.2).W
    volumes, pressure, evidence = W.sum(axis=1), rng.random(n_classes), rng.random((30, n_classes))
    labels = rng.integers(n_classes, size=30)
    cut = W.toarray()[labels[:, None] != labels].sum()
    inside = np.bincount(labels, weights=volumes, minlength=n_classes)
    said, total = evidence[np.arange(30), labels].sum(), volumes.sum()
    found = energy(W.indptr, W.indices, W.data, volumes, evidence, pressure, labels, np.zeros(n_classes))
    np.testing.assert_allclose(found, (cut - said) / total + pressure @ inside**2 / total**2, rtol=1e-6)
