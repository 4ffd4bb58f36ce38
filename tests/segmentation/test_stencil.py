"""Links on a grid, against the graph that stores them."""

import numpy as np
import pytest

from graphwell.backends.registry import find_pixels
from graphwell.segmentation.grid import WEAKEST_COLOR, Grid, offsets_within
from graphwell.segmentation.stencil import Stencil
from tests.segmentation.stored import regions, stored_links


def stencil_of(values, radius=3, scale=0.3, threads=1):
    return on_grid(Grid(values.shape[:-1], radius, find_pixels("cpu", threads)), values, scale)


def on_grid(grid, values, scale):
    return Stencil.of(grid, grid.pads(np.moveaxis(values, -1, 0).astype(np.float32)), scale)


def matrix(stencil):
    """All weights, a column at a time."""
    grid, n = stencil.grid, int(np.prod(stencil.grid.shape))
    units = np.eye(n, dtype=np.float32).reshape(n, *grid.shape)
    return grid.crop(stencil.product(grid.pads(units))).reshape(n, n)


@pytest.mark.parametrize("shape", [(5, 7, 1), (1, 6, 3), (6, 1, 2), (2, 2, 1), (4, 9, 3)])
@pytest.mark.parametrize("radius", [1, 1.5, 3])
def test_the_weights_are_those_of_the_graph(shape, radius):
    values = np.random.default_rng(0).random(shape)
    expected = stored_links(values, radius, 0.3)
    np.testing.assert_allclose(matrix(stencil_of(values, radius)), expected, atol=1e-5)


@pytest.mark.parametrize("spacing", [(1.0, 1.0, 1.0), (1.0, 1.3, 1.0), (1.0, 1.0, 4.0)])
def test_the_weights_of_a_volume_are_their_definition(spacing):
    values, radius = np.random.default_rng(1).random((3, 4, 3, 2)), 1.5
    pieces = np.zeros((3, 4, 3), dtype=int)
    pieces[1, 1:3, 1], pieces[0] = -1, 1
    found = matrix(on_grid(Grid((3, 4, 3), radius, find_pixels("cpu", 1), spacing, pieces), values, 0.3))
    places = np.argwhere(np.ones(values.shape[:-1]))
    rows, piece = values.reshape(-1, 2), pieces.ravel()
    steps = np.abs(places[:, None] - places)
    distance = ((steps * spacing) ** 2).sum(axis=2)
    color = np.maximum(np.exp(-((rows[:, None] - rows) ** 2).sum(axis=2) / 0.09), WEAKEST_COLOR)
    near = (distance > 0) & ((distance <= radius**2) | (steps.sum(axis=2) == 1))
    linked = near & (piece[:, None] == piece) & (piece >= 0)
    nearness = np.exp(-np.minimum(distance, radius**2) / radius**2)
    np.testing.assert_allclose(found, linked * color * nearness, atol=1e-5)
    assert len(offsets_within(radius, (1.0, 1.0, 1.0))) == 18


def test_diffused_scores_are_harmonic():
    values = np.random.default_rng(2).random((12, 11, 1))
    stencil = stencil_of(values)
    known = np.zeros((12, 11), dtype=bool)
    known[2, 3] = known[9, 8] = known[5, 5] = True
    exact = np.zeros(132)
    exact[5 * 11 + 5] = 1.0
    W, free = stored_links(values, 3, 0.3), ~known.ravel()
    L = np.diag(W.sum(axis=1)) - W
    exact[free] = np.linalg.solve(L[free][:, free], -(L[free][:, ~free] @ exact[~free]))
    scores = stencil.grid.pads(np.where(known, exact.reshape(12, 11), 0.5)[None].astype(np.float32))
    stencil.diffuse(stencil.grid.pad(known), scores, 500)
    np.testing.assert_allclose(stencil.grid.crop(scores)[0].ravel(), exact, atol=5e-3)


def test_threads_do_not_change_the_scores():
    values = np.random.default_rng(3).random((90, 91, 3)).astype(np.float32)
    found = []
    for threads in (1, 2, 3):
        stencil = stencil_of(values, threads=threads)
        known = stencil.grid.pad(np.arange(90 * 91).reshape(90, 91) % 500 == 0)
        scores = (known * np.float32(0.7))[None].copy()
        stencil.diffuse(known, scores, 15)
        found.append(scores)
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def test_nothing_known_leaves_the_guess():
    stencil = stencil_of(np.zeros((4, 4, 1)))
    scores = stencil.grid.pads(np.full((2, 4, 4), 0.25, dtype=np.float32))
    stencil.diffuse(np.zeros(stencil.grid.size, dtype=bool), scores, 10)
    np.testing.assert_allclose(stencil.grid.crop(scores), 0.25, atol=1e-6)


def test_regions_are_those_of_the_graph():
    values = np.zeros((8, 9, 1))
    values[:, 5:], values[2:4, 1:3] = 1.0, 2.0
    found, expected = stencil_of(values, 1, 0.1).regions(), regions(stored_links(values, 1, 0.1))
    assert len(np.unique(found)) == 3
    pairs = set(zip(found.ravel().tolist(), expected.tolist(), strict=True))
    assert len(pairs) == 3


def test_regions_end_at_strong_contrast():
    values = np.zeros((4, 8, 1))
    values[:, 5:] = 1.0
    found = stencil_of(values, 3, 0.1).regions()
    assert len(np.unique(found)) == 2
    assert (found[:, :5] == found[0, 0]).all()
    assert len(np.unique(stencil_of(values, 3, 10.0).regions())) == 1


def test_a_part_hears_what_lies_around_it():
    rng = np.random.default_rng(4)
    stencil = stencil_of(rng.random((20, 25, 2)))
    grid, window = stencil.grid, (slice(5, 12), slice(0, 9))
    planes = grid.pads(rng.random((3, 20, 25)).astype(np.float32))
    part = stencil.part(window)
    found = part.grid.crop(part.product(grid.cut(planes, window)))
    np.testing.assert_array_equal(found, grid.crop(stencil.product(planes))[(..., *window)])
    np.testing.assert_array_equal(part.grid.crop(part.degrees), grid.crop(stencil.degrees)[window])
