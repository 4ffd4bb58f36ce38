"""The push of all points, held to the sum over all pairs."""

import numpy as np
import pytest

from graphwell._thread_pool import ThreadPool
from graphwell.layout.repulsion import MOST_CELLS, repulsion


def pair_by_pair(places):
    """The push as it is defined."""
    between = places[:, None] - places[None]
    closeness = 1.0 / (1.0 + (between**2).sum(axis=2))
    others = closeness.sum(axis=1).mean() - 1.0
    return (closeness[..., None] ** 2 * between).sum(axis=1) / others


def test_two_points_by_hand():
    push = repulsion(np.array([[0.0, 0.0], [0.0, 2.0]]), ThreadPool(1))
    assert np.allclose(push, [[0.0, -0.4], [0.0, 0.4]], atol=0.02)  # (2 / 25) / (1 / 5)


@pytest.mark.parametrize(("n", "width", "error"), [(2000, 5.0, 0.03), (300, 10.0, 0.12), (400, 0.01, 0.3)])
def test_it_is_the_sum_over_all_pairs(n, width, error):
    places = np.random.default_rng(0).normal(0, width, (n, 2))
    found, wanted = repulsion(places, ThreadPool(1)), pair_by_pair(places)
    assert np.linalg.norm(found - wanted) < error * np.linalg.norm(wanted)


def test_a_wide_map_has_wider_cells_and_little_push():
    places = np.random.default_rng(0).normal(0, MOST_CELLS, (500, 2))
    found = repulsion(places, ThreadPool(1))
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 10


def test_points_in_one_place_are_not_pushed():
    assert np.abs(repulsion(np.zeros((5, 2)), ThreadPool(1))).max() < 1e-3


def test_the_number_of_threads_changes_no_bit():
    places = np.random.default_rng(0).normal(0, 3, (1001, 2)).astype(np.float32)
    assert (repulsion(places, ThreadPool(1)) == repulsion(places, ThreadPool(3))).all()
