"""The engine on a GPU against that of the CPU, and the sentences of machines that have none."""

import sys
import types

import numpy as np
import pytest
from graphwell._arrays import column_dots, combine, group_minima, group_sums, namespace, to_host
from hypothesis import given, settings
from sklearn.datasets import load_digits

from graphwell import DiffuseInterfaceClassifier, Graph, segment
from graphwell.backends import State
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda import CudaEngine, CudaGraph, _cupy, layout
from graphwell.backends.cuda.dlpack import is_on_gpu
from graphwell.backends.cuda.layout import Tiling
from graphwell.backends.cuda.plan import Plan
from graphwell.backends.cuda.search import CudaSearch
from graphwell.backends.system import ArraySystem
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.start import STARTS
from tests.conftest import why_no_gpu
from tests.helpers import problems, random_graph, start_of

needs_card = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is a GPU")


def assert_same(found, expected, atol=0.0):
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_allclose(found.state.offsets, expected.state.offsets, rtol=0, atol=atol)
    assert found.label_changes == expected.label_changes
    assert found.energy == pytest.approx(expected.energy, rel=1e-5, abs=1e-6)


def one_launch_per_sweep(monkeypatch):
    """Pretend that no tile fits into the shared memory of a processor."""
    monkeypatch.setattr(Plan, "_rest", lambda self: False)


@needs_card
@settings(max_examples=40, deadline=None)
@given(problems(beyond_the_paper=True))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sweeps_have_the_bits_of_the_cpu(dtype, case):
    problem, rng = case
    start = start_of(problem, rng)
    expected = NumbaEngine(problem.graph, dtype=dtype).sweep(problem, start, 1.1, 0.05, 7)
    found = CudaEngine(problem.graph, dtype=dtype).sweep(problem, start, 1.1, 0.05, 7)
    assert_same(found, expected, atol=1e-6 if problem.balance else 0.0)


@pytest.mark.parametrize("at_rest", [True, False])
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("n_classes", [3, 100, 70_000])
def test_larger_graphs_with_hubs(gpu, monkeypatch, at_rest, balanced, n_classes):
    if not at_rest:
        one_launch_per_sweep(monkeypatch)
    rng = np.random.default_rng(5)
    n = 5000
    W = random_graph(rng, n, 0.002).W.tolil()
    for hub in (7, 4321):  # rows too long for a slice
        for j in rng.choice(n, 700, replace=False):
            if j != hub:
                W[hub, j] = W[j, hub] = 0.1 + rng.random()
    graph = Graph.from_affinity(W.tocsr())
    labels = np.where(rng.random(n) < 0.1, rng.integers(min(n_classes, 50), size=n), -1)
    balance = Balance(0.3, np.full(n_classes, 1 / n_classes)) if balanced else None
    problem = Problem(graph, labels, n_classes, balance=balance, implicit=True)
    start = start_of(problem, rng)
    expected = NumbaEngine(graph).sweep(problem, start, 0.8, 0.3, 12)
    found = CudaEngine(graph).sweep(problem, start, 0.8, 0.3, 12)
    assert (found.state.labels == expected.state.labels).mean() > 0.999
    assert found.label_changes == pytest.approx(expected.label_changes, rel=1e-3)
    assert found.energy == pytest.approx(expected.energy, rel=1e-4)
    again = CudaEngine(graph).sweep(problem, start, 0.8, 0.3, 12)
    np.testing.assert_array_equal(again.state.offsets, found.state.offsets)
    assert again.energy == found.energy


@needs_card
@settings(max_examples=20, deadline=None)
@given(problems())
def test_products_have_the_bits_of_the_cpu(case):
    problem, rng = case
    for width in (1, 3, 8):
        block = rng.normal(size=(problem.graph.n_vertices, width))
        for dtype in (np.float32, np.float64):
            expected = NumbaEngine(problem.graph, dtype=dtype).product(block)
            np.testing.assert_array_equal(CudaEngine(problem.graph, dtype=dtype).product(block), expected)


@needs_card
@settings(max_examples=30, deadline=None)
@given(problems())
def test_what_solvers_ask_of_a_graph(case):
    problem, _ = case
    graph, gpu = problem.graph, CudaGraph.of(problem.graph)
    np.testing.assert_array_equal(to_host(gpu.degrees), graph.degrees)
    np.testing.assert_allclose(to_host(gpu.matrix.row_sums), graph.degrees, rtol=1e-14)
    np.testing.assert_array_equal(to_host(gpu.components), graph.components)
    np.testing.assert_allclose(gpu.matrix.normalised().to_host().toarray(), graph.S.toarray(), rtol=1e-14)
    sharper = gpu.sharpened(2)
    np.testing.assert_array_equal(sharper.W.toarray(), graph.sharpened(2).W.toarray())
    np.testing.assert_allclose(to_host(sharper.degrees), graph.sharpened(2).degrees, rtol=1e-14)
    if problem.is_known.any():
        found = to_host(gpu.nearest(gpu.asarray(problem.is_known)))
        np.testing.assert_array_equal(np.maximum(found, -1), np.maximum(graph.nearest(problem.is_known), -1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 3, 70, 300])
def test_steps_of_conjugate_gradients_are_those_of_plain_arrays(gpu, dtype, width):
    rng = np.random.default_rng(width)
    graph, scaling = random_graph(rng, 700, 0.02), rng.random(700)
    engine = CudaEngine(graph, dtype=dtype)
    fused, plain = engine.system(scaling), ArraySystem(engine.product, scaling, dtype)
    block, step = rng.normal(size=(700, width)), rng.normal(size=-(-width // 4) * 4 if width > 1 else 1)
    there, here = fused.enter(block), plain.enter(block)
    image, expected = gpu.empty_like(there), np.empty_like(here)
    np.testing.assert_allclose(fused.apply(there, image), plain.apply(here, expected), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(image.get(), expected)
    x, y = gpu.zeros_like(there), np.zeros_like(here)
    sums = fused.advance(x, there, there.copy(), image, step)
    np.testing.assert_allclose(sums, plain.advance(y, here, here.copy(), expected, step), rtol=1e-9)
    fused.turn(x, there, step)
    plain.turn(y, here, step)
    for found, wanted in ((there, here), (x, y)):
        np.testing.assert_array_equal(fused.leave(found), wanted)


def test_sums_by_column_and_by_group(gpu):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5000, 7)).astype(np.float32)
    np.testing.assert_allclose(column_dots(gpu.asarray(a), gpu.asarray(b)), column_dots(a, b), rtol=1e-10)
    for width in (7, 70):
        x, y = rng.normal(size=(2, 300, width)).astype(np.float32)
        factors, there = rng.normal(size=(2, width)), gpu.asarray(x)
        combine(factors[0], there, factors[1], gpu.asarray(y))
        combine(factors[0], x, factors[1], y)
        np.testing.assert_array_equal(there.get(), x)
    groups, values = np.sort(rng.integers(5, size=5000)), rng.normal(size=5000)
    groups[::7] = 2
    for function in (group_sums, group_minima):
        found = function(gpu.asarray(groups), gpu.asarray(values), 6 if function is group_sums else 5)
        expected = function(groups, values, 6 if function is group_sums else 5)
        np.testing.assert_allclose(to_host(found), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("start", STARTS)
def test_starts_are_those_of_the_cpu(gpu, start):
    rng = np.random.default_rng(0)
    X, y = load_digits(return_X_y=True)
    graph = Graph.from_features(X)
    labels = np.where(rng.random(len(y)) < 0.05, y, -1)
    shares = np.bincount(y) / len(y)
    for class_shares in (None, shares):
        problem = Problem(graph, labels, 10, class_shares=class_shares)
        there = CudaGraph.of(graph)
        placed = Problem(there, there.asarray(labels), 10, class_shares=class_shares)
        expected = STARTS[start](problem, NumbaEngine(graph), np.random.default_rng(1)).state
        found = STARTS[start](placed, CudaEngine(there), np.random.default_rng(1)).state
        assert (to_host(found.labels) == expected.labels).mean() > 0.998
        assert (to_host(found.offsets) == expected.offsets).mean() > 0.998


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_graphs_are_those_of_the_cpu(gpu, monkeypatch, metric, dtype):
    monkeypatch.setattr("graphwell.backends.cuda.search.LARGEST_TILE", 4 * 500 * 300)
    monkeypatch.setattr("graphwell.backends.cuda.search.COLUMNS_OF_A_TILE", 500)
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(1500, 20)) + 100).astype(dtype)
    X[200:230] = X[100:130]  # duplicates
    X[300:320] = X[300]
    expected = Graph.from_features(X, n_neighbors=7, scale_neighbor=5, metric=metric)
    found = Graph.from_features(X, n_neighbors=7, scale_neighbor=5, metric=metric, device="cuda")
    difference = abs(found.W - expected.W)
    assert (difference > 1e-6).nnz <= 0.01 * expected.W.nnz  # ties among the duplicates
    assert found.W.dtype == expected.W.dtype == np.float32
    assert found.W.diagonal().sum() == 0
    new = X[:40] + dtype(0.25)
    np.testing.assert_allclose(
        found.affinity_to(new).toarray(), expected.affinity_to(new).toarray(), atol=1e-9
    )


@pytest.mark.parametrize("k", [1, 30, 40, 130])
def test_any_number_of_neighbours(gpu, k):
    X = np.random.default_rng(4).normal(size=(700, 12))
    expected = Graph.from_features(X, n_neighbors=k, scale_neighbor=3)
    found = Graph.from_features(X, n_neighbors=k, scale_neighbor=3, device="cuda")
    np.testing.assert_allclose(found.W.toarray(), expected.W.toarray(), rtol=1e-6, atol=0)


def few(y, every=15):
    return np.where(np.arange(len(y)) % every == 0, y, -1)


@pytest.mark.parametrize("parameters", [{}, {"start": "nearest"}, {"start": "random"}, {"tune": True}])
def test_a_fit_on_the_card_is_that_of_the_cpu(gpu, parameters):
    X, y = load_digits(return_X_y=True)
    expected = DiffuseInterfaceClassifier(random_state=0, **parameters).fit(X, few(y))
    found = DiffuseInterfaceClassifier(device="cuda", random_state=0, **parameters).fit(X, few(y))
    assert isinstance(found.transduction_, np.ndarray)
    assert (found.transduction_ == expected.transduction_).mean() > 0.998
    assert (found.predict(X[:50] + 0.1) == expected.predict(X[:50] + 0.1)).all()
    again = DiffuseInterfaceClassifier(device="cuda", random_state=0, **parameters).fit(X, few(y))
    np.testing.assert_array_equal(again.label_distributions_, found.label_distributions_)
    assert again.result_.energies == found.result_.energies


def test_results_lie_where_the_rows_lay(gpu):
    X, y = load_digits(return_X_y=True)
    expected = DiffuseInterfaceClassifier(device="cuda", random_state=0).fit(X, few(y))
    found = DiffuseInterfaceClassifier(device="cuda", random_state=0).fit(gpu.asarray(X), gpu.asarray(few(y)))
    assert isinstance(found.transduction_, gpu.ndarray)
    np.testing.assert_array_equal(found.transduction_.get(), expected.transduction_)
    np.testing.assert_array_equal(found.label_distributions_.get(), expected.label_distributions_)
    predicted = found.predict(gpu.asarray(X[:20]))
    assert isinstance(predicted, gpu.ndarray)
    np.testing.assert_array_equal(predicted.get(), expected.predict(X[:20]))
    with pytest.raises(ValueError, match="NaN or infinity"):
        found.fit(gpu.full((50, 3), np.nan), [0, 1] * 25)
    with pytest.raises(ValueError, match="two dimensions"):
        found.fit(gpu.ones(5), [0, 1, -1, -1, -1])


def test_pytorch_tensors_come_and_go_without_a_copy(gpu):
    torch = pytest.importorskip("torch")
    X, y = load_digits(return_X_y=True)
    rows = torch.asarray(X, device="cuda", requires_grad=True)
    found = DiffuseInterfaceClassifier(device="cuda", random_state=0).fit(rows, few(y))
    assert found.transduction_.device.type == found.label_distributions_.device.type == "cuda"
    assert isinstance(found.label_distributions_, torch.Tensor)
    expected = DiffuseInterfaceClassifier(device="cuda", random_state=0).fit(X, few(y))
    np.testing.assert_array_equal(found.transduction_.cpu().numpy(), expected.transduction_)


def test_a_fitted_classifier_can_be_stored_and_used_without_a_card(gpu):
    import pickle

    X, y = load_digits(return_X_y=True)
    found = DiffuseInterfaceClassifier(device="cuda", random_state=0).fit(X, few(y))
    stored = pickle.loads(pickle.dumps(found))
    assert type(stored.graph_) is Graph
    np.testing.assert_array_equal(stored.predict(X[:30]), found.predict(X[:30]))


def test_pictures(gpu):
    from graphwell import datasets

    image, truth = datasets.make_grey_image(64, 64, noise=0.1, random_state=0)
    seeds = np.where(np.arange(64) % 8 == 0, truth, -1)
    expected = segment(image, seeds)
    assert (segment(image, seeds, device="cuda") == expected).mean() > 0.999


def test_tiles_shrink_when_memory_is_short(gpu, monkeypatch):
    sizes, by_tiles = [], CudaSearch._by_tiles

    def short_of_memory(self, rows, kept, tile_bytes):
        sizes.append(tile_bytes)
        if tile_bytes > 1 << 24:
            raise gpu.cuda.memory.OutOfMemoryError(tile_bytes, 0, 0)
        return by_tiles(self, rows, kept, tile_bytes)

    X = np.random.default_rng(0).normal(size=(3000, 10))
    expected = Graph.from_features(X, device="cuda").W
    monkeypatch.setattr(CudaSearch, "_by_tiles", short_of_memory)
    assert abs(Graph.from_features(X, device="cuda").W - expected).nnz == 0
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1 << 24 < sizes[0]


def test_cuvs_finds_the_candidates_of_large_sets(gpu, monkeypatch):
    # Stands in for the library: true candidates, with the last of each row lost.
    def by_cuvs(points, kept):
        found = CudaSearch(points)._by_tiles(points, kept, 1 << 24)
        found[:, -1] = found[:, 0]
        return found

    monkeypatch.setattr("graphwell.backends.cuda.search.CUVS_FROM", 1000)
    monkeypatch.setattr("graphwell.backends.cuda.search._by_cuvs", by_cuvs)
    X = np.random.default_rng(0).normal(size=(2000, 10))
    graph = Graph.from_features(X, device="cuda")
    assert graph.recall_ == pytest.approx(14 / 15)
    expected = Graph.from_features(X)
    assert (abs(graph.W - expected.W) > 1e-6).nnz == 0  # spare candidates make up for it


def test_numbers_of_sweeps_on_the_card_are_promises(gpu):
    graph = CudaGraph.of(random_graph(np.random.default_rng(6), 200, 0.05))
    problem = Problem(graph, gpu.asarray(np.arange(200) % 50 - 47), 3)
    start = STARTS["random"](problem, None, np.random.default_rng(0)).state
    engine = CudaEngine(graph)
    first = engine.sweep(problem, start, 1.0, 0.05, 30)
    second = engine.sweep(problem, first.state, 1.0, 0.05, 30)
    again = engine.sweep(problem, start, 1.0, 0.05, 30)
    assert float(second.energy) < float(first.energy) == float(again.energy)
    assert int(first.label_changes) == int(again.label_changes) > 0


def test_too_little_memory_is_said_in_figures(gpu, monkeypatch):
    monkeypatch.setattr("graphwell.backends.cuda._cupy.free_memory", lambda: 1_000_000)
    X, y = load_digits(return_X_y=True)
    with pytest.raises(MemoryError, match=r"about \d.* MB are needed and 1\.0 MB are free"):
        DiffuseInterfaceClassifier(device="cuda").fit(X, few(y))


# ------------------------------------------------------------------------------------------- without a GPU


class FakeRuntimeError(RuntimeError):
    pass


def fake_cupy(count, capability="90"):
    """A library that finds so many devices of a kind, or fails to look for them."""

    def device_count():
        if isinstance(count, str):
            raise FakeRuntimeError(count)
        return count

    runtime = types.SimpleNamespace(
        getDeviceCount=device_count, CUDARuntimeError=FakeRuntimeError, runtimeGetVersion=lambda: 12090
    )
    device = types.SimpleNamespace(compute_capability=capability)
    return types.SimpleNamespace(cuda=types.SimpleNamespace(runtime=runtime, Device=lambda: device))


@pytest.fixture
def fresh(monkeypatch):
    """Let CuPy be looked for anew, now and after the test."""
    _cupy.cupy.cache_clear()
    yield monkeypatch
    _cupy.cupy.cache_clear()


@pytest.mark.parametrize(
    ("library", "kind", "sentence"),
    [
        (None, ImportError, r'needs CuPy, which is not installed; use pip install "graphwell\[cuda\]"'),
        (fake_cupy(0), OSError, "needs an NVIDIA GPU, and none was found"),
        (fake_cupy("cudaErrorNoDevice: no device"), OSError, "needs an NVIDIA GPU, and none was found"),
        (
            fake_cupy("cudaErrorInsufficientDriver: too old"),
            OSError,
            r"driver is too old for CUDA 12\.9, .*update the driver",
        ),
        (fake_cupy(1, "61"), OSError, r"compute capability 7\.0 or newer, and this one has 6\.1"),
        (fake_cupy("cudaErrorUnknown: x"), OSError, r"cannot use the NVIDIA GPU \(cudaErrorUnknown: x\)"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(fresh, library, kind, sentence):
    fresh.setitem(sys.modules, "cupy", library)
    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 2
    for fit in (
        lambda: DiffuseInterfaceClassifier(device="cuda").fit(X, y),
        lambda: Graph.from_features(X, device="cuda"),
        lambda: segment(np.zeros((5, 5)), np.eye(5, dtype=int), device="cuda"),
    ):
        with pytest.raises(kind, match=sentence):
            fit()


def test_a_library_that_cannot_be_loaded_says_why(fresh):
    class Broken:
        def find_spec(self, name, path=None, target=None):
            if name == "cupy":
                raise ImportError("libnvrtc.so.12: cannot open shared object file")

    fresh.delitem(sys.modules, "cupy", raising=False)
    fresh.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    with pytest.raises(ImportError, match=r"CuPy, which cannot be loaded \(libnvrtc.*pip install"):
        _cupy.cupy()


def test_the_program_says_it_in_one_line_and_writes_nothing(fresh, tmp_path):
    from typer.testing import CliRunner

    from graphwell.cli.app import app

    fresh.setitem(sys.modules, "cupy", None)
    (tmp_path / "in.csv").write_text("x,label\n1,a\n2,b\n3,\n")
    command = ["classify", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), "--device", "cuda"]
    finished = CliRunner().invoke(app, [*command, "--quiet"])
    assert finished.exit_code == 2
    assert finished.stderr.startswith('graphwell: device="cuda" needs CuPy, which is not installed')
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_arrays_of_the_host_are_told_from_those_of_a_card():
    class OnCard:
        def __dlpack_device__(self):
            return 2, 0

    assert is_on_gpu(OnCard())
    assert not is_on_gpu(np.zeros(2))
    assert not is_on_gpu([1, 2])
    assert namespace(np.zeros(2)) is np


@pytest.mark.parametrize("n_slices", [0, 1, 5, 300])
def test_tiles_cover_every_slice_once(monkeypatch, n_slices):
    monkeypatch.setattr(layout, "cupy", lambda: np)
    widths = np.random.default_rng(n_slices).integers(0, 200, size=n_slices)
    starts = np.concatenate([[0], np.cumsum(32 * widths)])
    for tiling in (Tiling.equal(starts, 132), Tiling.small(starts)):
        first = tiling.first_slice
        assert first[0] == 0
        assert first[-1] == n_slices
        assert (np.diff(first) >= 0).all()
        assert np.diff(starts[first]).max(initial=0) <= tiling.most_entries
        assert 32 * np.diff(first).max(initial=0) <= tiling.most_rows
    assert Tiling.small(starts).most_entries <= max(layout.ENTRIES_PER_TILE, 32 * widths.max(initial=1))
    assert Tiling.equal(starts, 132).n_tiles <= 132


def test_one_step_by_hand_on_the_card(gpu):
    graph = Graph.from_affinity([[0, 1], [1, 0]])
    start = State(np.array([0, 1]), np.array([0.0, 0.25]))
    swept = CudaEngine(graph).sweep(Problem(graph, np.array([0, -1]), 2), start, 1.0, 0.1, 1)
    np.testing.assert_allclose(swept.state.offsets, [0.075, 0.25 + 0.1 * (0.75 - 0.09375)], rtol=1e-6)
