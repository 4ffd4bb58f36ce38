"""Pictures on a GPU are those of the CPU."""

from types import SimpleNamespace

import numpy as np
import pytest

from graphwell.backends.cuda import _cupy, pixels
from graphwell.backends.registry import find_pixels
from graphwell.segmentation import segmenter
from graphwell.segmentation.segmenter import Segmenter
from graphwell.segmentation.stencil import PixelGrid
from tests.segmentation.pictures import PICTURES

MOST_UNLIKE = 0.002
"""Share of the pixels whose class may differ, as sums round in another order."""


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_those_of_the_cpu(gpu, name):
    image, calls, options = PICTURES[name]()
    here, there, again = (Segmenter(image, device=d, **options) for d in ("cpu", "cuda", "cuda"))
    for seeds in calls:
        expected, found, twice = (made.segment(seeds) for made in (here, there, again))
        assert (found.labels != expected.labels).mean() <= MOST_UNLIKE
        assert (found.reachable != expected.reachable).mean() <= MOST_UNLIKE
        assert np.abs(found.score - expected.score).mean() < 0.002
        np.testing.assert_array_equal(twice.labels, found.labels)
        np.testing.assert_array_equal(twice.score, found.score)
        assert twice.result.energies == found.result.energies


@pytest.fixture(params=[((40, 50), 3.0, None), ((9, 12, 8), 1.5, (1.0, 1.0, 2.0)), ((1, 30), 3.0, None)])
def grids(gpu, request):
    """The same grid on both devices, cut in two by a mask."""
    shape, radius, spacing = request.param
    pieces = np.zeros(shape, dtype=int)
    pieces[..., 5], pieces[..., 6:] = -1, 1
    return [PixelGrid(shape, radius, find_pixels(device), spacing, pieces) for device in ("cpu", "cuda")]


def both(grids, verb, *arguments):
    """What a verb gives on either device, from arguments of the host."""
    for grid in grids:
        placed = [grid.engine.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        yield grid.engine.to_host(getattr(grid.engine, verb)(grid, *placed))


def planes_of(grid, n, seed=0):
    return grid.pads(np.random.default_rng(seed).random((n, *grid.shape)).astype(np.float32))


def test_links_and_products_are_equal_in_every_bit(grids):
    here, there = both(grids, "link", planes_of(grids[0], 2), 11.0, 1e-4)
    assert (here != there).mean() < 1e-4  # exponentials may round in another way
    here, there = both(grids, "product", here, planes_of(grids[0], 3))
    np.testing.assert_array_equal(here, there)


def test_joined_points_are_equal(grids):
    weights = grids[0].engine.link(grids[0], planes_of(grids[0], 1), 11.0, 1e-4)
    for share in (0.3, 0.6, 0.9):
        weakest = np.full(len(weights), share * weights.max(), dtype=np.uint16)
        here, there = both(grids, "joined", weights, weakest)
        np.testing.assert_array_equal(here, there)


def test_sweeps_are_equal_in_every_bit(grids):
    rng, shape = np.random.default_rng(3), grids[0].shape
    chosen = np.nonzero(rng.random(shape) < 0.6)
    labels, r = rng.integers(4, size=shape).astype(np.int16), rng.uniform(0.02, 0.4, shape).astype(np.float32)
    evidence, values = rng.dirichlet(np.ones(4), len(chosen[0])), planes_of(grids[0], 2)
    found = []
    for grid in grids:
        engine = grid.engine
        points, said = engine.asarray(grids[0].places(chosen)), engine.asarray(evidence)
        movers = engine.movers(grid, engine.asarray(values), points, said, 0.0, 1e-4)
        now = tuple(grid.pad(engine.asarray(plane)) for plane in (labels, r))
        spare = tuple(plane.copy() for plane in now)
        energy, changes = engine.sweep(grid, movers, 0.1, now, spare, 0.7, 0.4, 7)
        shares = engine.shares(grid, movers, *now)
        found.append((*map(engine.to_host, (*now, shares)), energy, changes))
    for one, other in zip(*(parts[:3] for parts in found), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found[0][3] == pytest.approx(found[1][3], rel=1e-9)
    assert found[0][4] == found[1][4] > 0


def test_densities_are_those_of_the_cpu(gpu):
    rng = np.random.default_rng(0)
    values = rng.random((3, 3000)).astype(np.float32)
    model = rng.random(5), rng.random((5, 3)), np.tril(rng.random((5, 3, 3)) + 1)
    here, there = (find_pixels(device) for device in ("cpu", "cuda"))
    expected = here.log_likelihoods(values, *model)
    found = there.to_host(there.log_likelihoods(there.asarray(values), *model))
    np.testing.assert_allclose(found, expected, atol=1e-5)


class OutOfMemoryError(Exception):
    """CuPy's own is none of Python's."""


@pytest.fixture
def small_gpu(monkeypatch):
    """An engine of the GPU on a machine that need not have one, with a megabyte left."""
    library = SimpleNamespace(cuda=SimpleNamespace(memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError)))
    for module in (_cupy, pixels):
        monkeypatch.setattr(module, "cupy", lambda: library)
    monkeypatch.setattr(pixels, "filters", lambda: None)
    monkeypatch.setattr(_cupy, "free_memory", lambda: 1_000_000)
    return pixels.CudaPixels()


def test_a_picture_that_does_not_fit_is_refused_before_it_is_brought(monkeypatch, small_gpu):
    monkeypatch.setattr(segmenter, "find_pixels", lambda device, n_jobs: small_gpu)
    sentence = (
        r"^The GPU has too little memory for a picture of 1,000,000 points: about 101\.5 MB are needed and "
        r'1\.0 MB are free; use a smaller picture, or device="cpu"\.$'
    )
    with pytest.raises(MemoryError, match=sentence):
        Segmenter(np.zeros((1000, 1000)), channel_axis=None)


def test_memory_that_ends_on_the_way_is_said_in_a_sentence(monkeypatch, small_gpu):
    class Engine(type(find_pixels("cpu"))):
        def memory_for(self, n_points, needed):
            return small_gpu.memory_for(n_points, min(needed, 1000))

        def sweep(self, *args):
            raise OutOfMemoryError("Out of memory allocating 512 bytes")

    monkeypatch.setattr(segmenter, "find_pixels", lambda device, n_jobs: Engine(1))
    image, seeds = np.arange(64) // 32 + np.zeros((64, 1)), np.full((64, 64), -1)
    seeds[::9, ::9] = image[::9, ::9]
    made = Segmenter(image, channel_axis=None)
    with pytest.raises(MemoryError, match=r"too little memory for a picture of 4,096 points: about 1 kB"):
        made.segment(seeds)
