"""Cells, and groups of them for partitions."""

import numpy as np

from graphwell.backends.blocks.cells import CellMap, grouped
from graphwell.graph.knn import Scaling


def test_rows_ask_cells_until_these_hold_enough_points():
    centres = np.array([[0.0], [1.0], [2.0]], dtype=np.float32)
    cells = CellMap(Scaling(np.zeros(1), 1.0), centres, np.array([0, 0, 1]), np.array([1, 1, 9]), probes=1)
    np.testing.assert_array_equal(cells.asked(np.array([[2.2], [0.1]]), k=3), [[2, -1, -1], [0, 1, 2]])


def test_groups_have_about_the_same_size():
    rng = np.random.default_rng(0)
    centres, sizes = rng.normal(size=(200, 3)), rng.integers(1, 100, size=200)
    for n_groups in (1, 2, 3, 7, 16):
        of_group = np.bincount(grouped(centres, sizes, n_groups), sizes, minlength=n_groups)
        assert (np.abs(of_group - sizes.sum() / n_groups) < 150).all()
