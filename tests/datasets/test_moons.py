"""The moons as the paper describes them."""

import numpy as np
import pytest

from graphwell import datasets


def test_three_moons_lie_on_their_half_circles():
    X, y = datasets.make_three_moons(noise_variance=0.0, random_state=0)
    assert X.shape == (1500, 100)
    assert (X[:, 2:] == 0).all()
    for c, (center, radius, upward) in enumerate([((0, 0), 1, 1), ((3, 0), 1, 1), ((1.5, 0.4), 1.5, -1)]):
        away = X[y == c, :2] - center
        np.testing.assert_allclose(np.linalg.norm(away, axis=1), radius)
        assert (upward * away[:, 1] >= 0).all()
        assert len(away) == 500


def test_two_moons_lie_on_their_half_circles():
    X, y = datasets.make_two_moons(noise_variance=0.0, random_state=0)
    assert X.shape == (2000, 100)
    np.testing.assert_allclose(np.linalg.norm(X[y == 1, :2] - (1, 0.5), axis=1), 1)
    assert (X[y == 0, 1] >= 0).all()
    assert (X[y == 1, 1] <= 0.5).all()


def test_noise_has_the_variance_asked_for_in_every_dimension():
    clean, _ = datasets.make_three_moons(noise_variance=0.0, random_state=1)
    X, _ = datasets.make_three_moons(noise_variance=0.02, random_state=1)
    np.testing.assert_allclose((X - clean).var(axis=0), 0.02, rtol=0.2)


def test_seeds_may_be_generators():
    one = datasets.make_two_moons(random_state=np.random.default_rng(3))[0]
    same = datasets.make_two_moons(random_state=np.random.default_rng(3))[0]
    old = datasets.make_two_moons(random_state=np.random.RandomState(3))[0]
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, old)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: datasets.make_three_moons(dim=1), "dim must be at least 2"),
        (lambda: datasets.make_three_moons(n_per_class=0), "n_per_class must be positive"),
        (lambda: datasets.make_two_moons(noise_variance=-1), "noise_variance must not be negative"),
    ],
)
def test_bad_arguments_get_one_clear_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
