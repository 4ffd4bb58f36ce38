"""Random streams that do not meet."""

import numpy as np
import pytest

from graphwell._random import stream


def test_purposes_and_seeds_have_streams_of_their_own():
    draws = {(seed, purpose): stream(seed, purpose).random() for seed in (0, 1) for purpose in ("a", "b")}
    assert len(set(draws.values())) == 4
    assert stream(np.int64(0), "a").random() == draws[0, "a"]
    assert np.random.default_rng(0).random() not in draws.values()


def test_generators_go_on():
    generator, state = np.random.default_rng(0), np.random.RandomState(0)
    for given in (generator, state, None):
        assert stream(given, "a").random() != stream(given, "a").random()


@pytest.mark.parametrize("seed", [-1, "a", 1.5])
def test_other_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="random_state must be None, a non-negative integer"):
        stream(seed, "a")
