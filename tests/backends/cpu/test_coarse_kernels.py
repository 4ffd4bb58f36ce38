"""Communities that choose their class, against the plain rule."""

import numpy as np
import pytest

from graphwell.backends.cpu.coarse_kernels import INCREMENT, MULTIPLIER, choose_classes, largest_noise
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


@pytest.mark.parametrize("n_classes", [1, 2, 40])
@pytest.mark.parametrize("seed", range(3))
def test_choices_are_those_of_the_plain_rule(n_classes, seed):
    rng = np.random.default_rng(seed)
    W = random_graph(rng, 30, 0.2).W
    volumes, pressure = W.sum(axis=1) + 0.1, np.ones(n_classes)
    evidence = 0.1 * rng.random((30, n_classes))
    noise = np.array([0.5, 0.1, 0.01])
    found = rng.integers(n_classes, size=30)
    expected = found.copy()
    choose_classes(W.indptr, W.indices, W.data, volumes, evidence, pressure, noise, seed, found)
    plain_choice(W.toarray(), volumes, evidence, pressure, noise, seed, expected)
    np.testing.assert_array_equal(found, expected)


def test_noise_is_at_most_what_it_is_said_to_be():
    steps = np.concatenate(
        [np.linspace(0.001, 0.999, 999), 1 - 0.5 ** np.arange(1, 53), [15 / 16, 255 / 256]]
    )
    for uniform in np.concatenate([steps, np.nextafter(steps, 0), [0.5 / 2**52, 1 - 0.5 / 2**52]]):
        assert -np.log(-np.log(uniform)) < largest_noise(uniform)
