"""Searches for neighbours against brute force, and compiled code that is kept."""

import os
import subprocess
import sys

import numpy as np
import pytest

from graphwell.graph import cells, knn
from graphwell.graph.knn import CellSearch, FlatSearch, KDTreeSearch, build_search, neighbors_of_all
from tests.helpers import brute_force


@pytest.mark.parametrize("search", [KDTreeSearch, FlatSearch])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exact_searches_find_the_nearest_points(search, dtype):
    points = np.random.default_rng(0).normal(size=(200, 10)).astype(dtype)
    indices, distances = neighbors_of_all(search(points, 7), 7)
    np.testing.assert_allclose(distances, brute_force(points, 7), rtol=1e-6)
    assert (indices != np.arange(200)[:, None]).all()


@pytest.mark.parametrize("search", [KDTreeSearch, FlatSearch])
def test_a_point_is_never_its_own_neighbour_among_many_duplicates(search):
    points = np.repeat(np.random.default_rng(1).normal(size=(3, 10)), 40, axis=0)
    indices, distances = neighbors_of_all(search(points, 5), 5)
    assert (indices != np.arange(120)[:, None]).all()
    assert (distances == 0).all()
    assert all(len(set(row)) == 5 for row in indices.tolist())


def test_the_search_is_chosen_by_dimension_and_size(monkeypatch):
    rng = np.random.default_rng(4)
    assert isinstance(build_search(rng.normal(size=(50, 8)), 3), KDTreeSearch)
    assert isinstance(build_search(rng.normal(size=(50, 9)), 3), FlatSearch)
    monkeypatch.setattr(knn, "EXACT_UP_TO", 1000)
    points = rng.normal(size=(1500, 9))
    assert isinstance(build_search(points, 3), CellSearch)
    assert not isinstance(build_search(points, 3, exact=True), CellSearch)


def clustered_points(n):
    rng = np.random.default_rng(2)
    centers = rng.normal(size=(50, 16))
    return (centers[rng.integers(50, size=n)] + 0.3 * rng.normal(size=(n, 16))).astype(np.float32)


@pytest.mark.slow
def test_the_approximate_search_finds_what_it_promises():
    points = clustered_points(12_000)
    search = build_search(points, 10, exact=False)
    assert isinstance(search, CellSearch)
    found = neighbors_of_all(search, 10)[1]
    true = neighbors_of_all(FlatSearch(points, 10), 10)[1]
    recall = (found <= true[:, -1:] * (1 + 1e-6)).mean()
    assert recall >= 0.97
    assert search.recall == pytest.approx(recall, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_visiting_every_cell_is_exact_far_from_the_origin_and_among_duplicates(dtype):
    rng = np.random.default_rng(5)
    points = np.vstack([1e4 + rng.normal(size=(900, 12)), np.repeat(rng.normal(size=(2, 12)), 300, axis=0)])
    points = points.astype(dtype)
    search = CellSearch(points, 5)
    search.visits = len(search.cells.centroids)
    indices, distances = neighbors_of_all(search, 5)
    np.testing.assert_allclose(distances, brute_force(points, 5), rtol=1e-9)
    assert (indices != np.arange(len(points))[:, None]).all()


def test_the_approximate_search_does_not_depend_on_threads_or_on_other_rows():
    points = clustered_points(12_000)
    one, two = (CellSearch(points, 10, n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(neighbors_of_all(one, 10)[0], neighbors_of_all(two, 10)[0])
    together = one.query(points[:500] + 0.1, 10)[0]
    np.testing.assert_array_equal(one.query(points[123:124] + 0.1, 10)[0][0], together[123])


def test_neighbours_all_around_end_the_search_for_more_recall(monkeypatch):
    monkeypatch.setattr(knn, "MOST_CANDIDATES", 1000)
    points = np.random.default_rng(6).normal(size=(10_000, 60)).astype(np.float32)
    search = CellSearch(points, 10)
    assert search.visits == 1000 * len(search.cells.centroids) // 10_000
    assert 0.1 < search.recall < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["far clusters", "few distinct", "half identical", "whole numbers"])
def test_the_recall_that_is_said_is_that_of_awkward_points_too(name):
    rng = np.random.default_rng(7)
    points = {
        "far clusters": np.vstack([rng.normal(size=(1500, 12)), 1e6 + rng.normal(size=(1500, 12))]),
        "few distinct": rng.normal(size=(20, 12))[rng.integers(20, size=3000)],
        "half identical": np.vstack([np.zeros((1500, 12)), rng.normal(size=(1500, 12))]),
        "whole numbers": rng.integers(0, 2, size=(3000, 12)).astype(float),
    }[name]
    search = CellSearch(points, 10)
    found = neighbors_of_all(search, 10)[1]
    true = brute_force(points, 10)
    recall = (found <= true[:, -1:] * (1 + 1e-9) + 1e-12).mean()
    assert recall >= search.recall - 0.01


@pytest.mark.parametrize("n_cells", [2, 5, 200])
def test_nearly_every_point_is_in_the_cell_of_the_nearest_centroid(n_cells, monkeypatch):
    monkeypatch.setattr(cells, "MANY_CELLS", 4)
    points = np.random.default_rng(3).normal(size=(5000, 12)) + 1000.0
    found = cells.cut(points, n_cells, 1)
    assert len(found.centroids) == n_cells
    assert sorted(found.order.tolist()) == list(range(5000))
    cell = np.empty(5000, dtype=int)
    cell[found.order] = np.repeat(np.arange(n_cells), np.diff(found.starts))
    apart = np.linalg.norm(points[:, None] - found.centroids[None], axis=2)
    assert (apart.argmin(axis=1) == cell).mean() > 0.97
    assert np.take_along_axis(apart, cell[:, None], 1).mean() < 1.002 * apart.min(axis=1).mean()


NOWHERE = """
from numba.core import caching
caching.CompileResultCacheImpl._locator_classes = []
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
FIT = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from graphwell.graph.compiled import compiled

    @compiled(nogil=True)
    def double(x):
        return 2 * x

    @compiled()
    def treble(x):
        return 3 * x

    print(double(21), treble(14), [str(warning.message) for warning in told])
"""


def run(code, folder):
    script = folder / "script.py"
    script.write_text(code)
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("where", [NOWHERE, FULL])
def test_without_a_folder_to_keep_them_in_kernels_run_and_say_so_once(tmp_path, where):
    ended = run(where + FIT, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("42 42 [")
    assert ended.stdout.count("Compiled loops cannot be kept on disc") == 1


@pytest.mark.slow
def test_kept_kernels_are_used_again_and_damaged_ones_are_not(tmp_path):
    for damaged in (False, False, True):
        if damaged:
            for path in (tmp_path / "cache").rglob("*.nb?"):
                path.write_bytes(path.read_bytes()[:20])
        ended = run(FIT, tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith("42 42 [")
        assert ("cannot be kept" in ended.stdout) <= damaged
        assert list((tmp_path / "cache").rglob("*.nbc"))
