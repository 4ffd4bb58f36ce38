"""Search by cells on a GPU, held to brute force; without one, what surrounds the kernels."""

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from graphwell import DiffuseInterfaceClassifier, Graph, datasets
from graphwell.backends.cuda import cells, points
from graphwell.backends.cuda.cells import CudaCellSearch, search_for
from graphwell.backends.cuda.search import CudaSearch
from graphwell.graph.knn import FlatSearch
from tests.backends.cuda import on_host


def clouds(n: int, d: int) -> Any:
    """Rows in a dozen clouds."""
    return numbered_clouds(n, d)[0]


def numbered_clouds(n: int, d: int) -> tuple[Any, Any]:
    """The same, and the cloud of each row."""
    rng = np.random.default_rng(0)
    centres, cloud = 4 * rng.normal(size=(12, d)), rng.integers(12, size=n)
    return (centres[cloud] + rng.normal(size=(n, d))).astype(np.float32), cloud


def brute_force(X: Any, k: int) -> tuple[Any, Any]:
    """Others by distance, equally far ones by number."""
    apart = cdist(X.astype(float), X.astype(float))
    np.fill_diagonal(apart, np.inf)
    order = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(apart, order, axis=1)


def found_by(search: CudaSearch, k: int) -> tuple[Any, Any]:
    indices, distances = search.of_all(k)
    return indices.get(), distances.get()


def assert_found(X: Any, found: tuple[Any, Any], k: int, share: float = 0.95) -> None:
    """True distances to others, each other once, nearest first, and nearly all of the nearest."""
    indices, distances = found
    assert (indices != np.arange(len(X))[:, None]).all()
    assert all(len(set(row)) == k for row in indices)
    apart = np.sqrt(((X[indices].astype(float) - X[:, None].astype(float)) ** 2).sum(axis=2))
    np.testing.assert_allclose(distances, apart, rtol=1e-12, atol=1e-300)
    assert (np.diff(distances, axis=1) >= 0).all()
    expected = brute_force(X, k)[1]
    assert (distances <= expected * (1 + 1e-9)).mean() >= share


@pytest.mark.parametrize(("n", "d", "n_cells"), [(900, 7, 16), (700, 1, 8), (600, 50, 1), (500, 130, 20)])
def test_nearly_all_of_the_nearest_are_found(library, n, d, n_cells):
    X = clouds(n, d)
    search = CudaCellSearch(library.asarray(X), 6, n_cells)
    assert_found(X, found_by(search, 6), 6)
    assert 0.95 <= search.recall <= 1.0


def test_one_cell_is_an_exact_search(library):
    X = clouds(400, 5)
    indices, _ = found_by(CudaCellSearch(library.asarray(X), 4, 1), 4)
    np.testing.assert_array_equal(indices, brute_force(X, 4)[0])


PATHOLOGICAL = {
    "duplicates": lambda X: X[np.arange(len(X)) // 7 * 7],
    "one row many times": lambda X: np.where(np.arange(len(X))[:, None] < 200, X[0], X),
    "far outliers": lambda X: np.where(np.arange(len(X))[:, None] % 100 == 7, 1e6 * X, X),
    "far from the origin": lambda X: X.astype(np.float64) + 1e6,
    "constant columns": lambda X: np.where(np.arange(X.shape[1]) < 4, 3.0, X).astype(np.float32),
    "float64": lambda X: X.astype(np.float64),
    "two rows apart": lambda X: np.where(np.arange(len(X))[:, None] < 2, X, X[2]),
}


@pytest.mark.parametrize("change", PATHOLOGICAL)
def test_pathological_rows(library, change):
    X = PATHOLOGICAL[change](clouds(600, 6))
    assert_found(X, found_by(CudaCellSearch(library.asarray(X), 5, 12), 5), 5)


def test_more_neighbors_than_the_cells_around_hold(library):
    X = clouds(60, 3)
    indices, _ = found_by(CudaCellSearch(library.asarray(X), 20, 30), 20)
    assert (indices >= 0).all()
    assert_found(
        X, (indices, np.asarray(found_by(CudaCellSearch(library.asarray(X), 20, 30), 20)[1])), 20, 0.8
    )


def test_new_rows_are_searched_in_the_same_cells(library):
    X, new = np.split(clouds(890, 6), [800])
    indices, distances = CudaCellSearch(library.asarray(X), 5, 12).query(new, 5)
    expected = np.sort(cdist(new.astype(float), X.astype(float)), axis=1)[:, :5]
    assert (distances <= expected * (1 + 1e-9)).mean() > 0.95
    np.testing.assert_allclose(distances[:, 0], np.linalg.norm(X[indices[:, 0]] - new, axis=1), rtol=1e-5)


def test_two_runs_are_the_same(library):
    X = clouds(700, 6)
    first, second = (found_by(CudaCellSearch(library.asarray(X), 5, 12), 5) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


@pytest.mark.parametrize("mapped", [False, True])
def test_rows_without_room_on_the_gpu_give_the_same(library, monkeypatch, tmp_path, mapped):
    X = clouds(1100, 6)
    expected = found_by(CudaCellSearch(library.asarray(X), 5, 16), 5)
    monkeypatch.setattr(cells, "room", lambda: X.nbytes // 3)
    monkeypatch.setattr(points, "BYTES_AT_ONCE", X.nbytes // 4)
    if mapped:
        np.save(tmp_path / "X.npy", X)
        X = np.load(tmp_path / "X.npy", mmap_mode="r")
    scanned, scan_part = [], CudaCellSearch._scan_part

    def counted(self, rows, tiles, part, visits, found):
        scanned.append(len(part))
        scan_part(self, rows, tiles, part, visits, found)

    monkeypatch.setattr(CudaCellSearch, "_scan_part", counted)
    search = CudaCellSearch(X, 5, 16)
    assert not search.held.on_gpu
    found = found_by(search, 5)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert len(scanned) > 2


def test_few_points_are_compared_all(library, monkeypatch):
    X = library.asarray(clouds(300, 4))
    assert type(search_for(X, 5)) is CudaSearch
    monkeypatch.setattr(cells, "CELLS_FROM", 300)
    assert type(search_for(X, 5)) is CudaCellSearch
    assert type(search_for(X, 100)) is CudaSearch  # so many have no room in a processor
    monkeypatch.setattr(cells, "CUVS_FROM", 300)
    monkeypatch.setattr(cells, "find_spec", lambda name: name)
    assert type(search_for(X, 5)) is CudaSearch


def test_without_a_gpu_a_pickled_search_goes_on_on_the_cpu(library):
    X = clouds(700, 12)
    found = pickle.loads(pickle.dumps(CudaCellSearch(library.asarray(X), 5, 12)))
    assert type(found) is FlatSearch  # so few are all compared
    np.testing.assert_array_equal(found.query(X[:3], 1)[0].ravel(), [0, 1, 2])


def test_kernels_are_those_of_the_host(gpu, monkeypatch):
    X = clouds(3000, 20)
    there = CudaCellSearch(gpu.asarray(X), 10, 40)
    found = found_by(there, 10)
    library = on_host.stand_in(monkeypatch)
    here = CudaCellSearch(library.asarray(X), 10, 40)
    assert here.recall == pytest.approx(there.recall, abs=0.01)
    assert (found_by(here, 10)[0] == found[0]).mean() > 0.99


@pytest.mark.parametrize(("d", "metric"), [(784, "euclidean"), (16, "cosine")])
def test_fits_by_cells_are_as_good_as_those_of_all_pairs(gpu, monkeypatch, d, metric):
    few, truth = numbered_clouds(6000, 6)  # what lies all around in many dimensions no cells can find
    X = (few @ np.random.default_rng(0).normal(size=(6, d))).astype(np.float32)
    y = datasets.sample_labels(truth, per_class=20, random_state=0)
    model = DiffuseInterfaceClassifier(models=None, device="cuda", metric=metric, random_state=0)
    right = (model.fit(X, y).transduction_ == truth).mean()
    monkeypatch.setattr(cells, "CELLS_FROM", 5000)
    fitted = model.fit(X, y)
    assert 0.95 < fitted.graph_.recall_ <= 1
    assert (fitted.transduction_ == truth).mean() > right - 0.01


def test_a_fit_streams_rows_without_room(gpu, monkeypatch):
    X = clouds(6000, 16)
    monkeypatch.setattr(cells, "CELLS_FROM", 5000)
    expected = Graph.from_features(X, device="cuda").W
    for module in ("cells", "points", "dlpack"):
        monkeypatch.setattr(f"graphwell.backends.cuda.{module}.room", lambda: X.nbytes // 3)
    assert abs(Graph.from_features(X, device="cuda").W - expected).nnz == 0
