"""A GPU searches the cells that rows ask, held to the CPU; without one, what surrounds the kernel."""

import gc

import numpy as np
import pytest

from graphwell.backends.cuda import asked_cells
from graphwell.graph.cells import SPARE_CANDIDATES, cut
from graphwell.graph.cells import nearest_in_cells as on_cpu
from tests.backends.cuda.test_cells import clouds


def asked_by(n_rows, n_cells, width):
    """Cells that rows ask, each once, some of them fewer than others."""
    rng = np.random.default_rng(1)
    asked = np.argsort(rng.random((n_rows, n_cells)), axis=1)[:, :width].astype(np.int32)
    asked[::3, -1] = -1
    return asked


def without_spare(candidates, rows, points):
    """The nearest of the candidates in double precision, less those that rounding may exchange."""
    apart = np.linalg.norm(points[candidates].astype(float) - rows[:, None].astype(float), axis=2)
    order = np.lexsort((candidates, np.where(candidates < 0, np.inf, apart)))[:, :-SPARE_CANDIDATES]
    return np.take_along_axis(candidates, order, axis=1)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("d", "n_cells", "k"), [(7, 16, 6), (1, 8, 14), (50, 1, 40), (130, 20, 70)])
def test_the_gpu_finds_what_the_cpu_finds(library, d, n_cells, k, kind):
    points = clouds(700, d).astype(kind)
    cells = cut(points, n_cells, 1)
    rows = points[::7] + kind(0.01)
    asked = asked_by(len(rows), n_cells, min(4, n_cells))
    ways = (asked_cells.nearest_in_cells, on_cpu)
    found, expected = (without_spare(way(rows, asked, points, cells, k, 1), rows, points) for way in ways)
    np.testing.assert_array_equal(found, expected)
    assert (found >= 0).any()


def test_of_equal_points_the_first_are_found(library):
    points = np.ones((90, 3), dtype=np.float32)
    points[45:] = 2
    cells = cut(points, 2, 1)
    asked = np.tile(np.arange(2, dtype=np.int32), (2, 1))
    found = asked_cells.nearest_in_cells(points[[0, 89]], asked, points, cells, 40, 1)
    np.testing.assert_array_equal(found, [np.arange(40), np.arange(45, 85)])


def test_a_row_that_asks_no_cell_is_told_nothing(library):
    points = clouds(60, 4)
    found = asked_cells.nearest_in_cells(points[:2], np.full((2, 1), -1), points, cut(points, 4, 1), 5, 1)
    assert (found == -1).all()


def test_points_stay_on_the_gpu_as_long_as_the_host_has_them(library):
    points = clouds(60, 4)
    there = asked_cells.on_gpu(points)
    assert asked_cells.on_gpu(points) is there
    assert asked_cells.on_gpu(points.copy()) is not there
    last = asked_cells.on_gpu(points)
    assert last is not there
    del points
    gc.collect()
    assert asked_cells._last is None


def test_more_neighbours_than_a_gpu_keeps_are_refused(library):
    points = clouds(60, 4)
    with pytest.raises(ValueError, match='n_neighbors must be at most 507 on device="cuda"'):
        asked_cells.nearest_in_cells(points, np.zeros((60, 1), int), points, cut(points, 1, 1), 600, 1)
