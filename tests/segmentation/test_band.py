"""Sweeps of some points of a grid, against Algorithm 1 in plain loops."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import ndimage

from graphwell.backends.base import State
from graphwell.backends.registry import find_pixels
from graphwell.segmentation.band import STEP_SIZE, TRUST, Band, grown, near_borders
from graphwell.segmentation.grid import Grid, offsets_within
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine
from tests.segmentation.stored import stored_links

N_CLASSES = 3


def reference(W, evidence):
    """Plain loops on the same graph, with a vertex of each class that carries the evidence."""
    n = len(W)
    engine = ReferenceEngine.__new__(ReferenceEngine)
    ghosts = [[(n + k, TRUST * float(evidence[i, k])) for k in range(N_CLASSES)] for i in range(n)]
    links = [[(int(j), float(W[i, j] / W[i].sum())) for j in np.flatnonzero(W[i])] for i in range(n)]
    engine.edges = [mine + ghost for mine, ghost in zip(links, ghosts, strict=True)] + [[]] * N_CLASSES
    engine.row_sums = [sum(weight for _, weight in edges) for edges in engine.edges]
    engine.phi = [0.0] * (n + N_CLASSES)
    return engine


@pytest.mark.parametrize("shape", [(7, 6), (1, 9), (3, 4, 3)])
@pytest.mark.parametrize("epsilon", [2.0, 0.4])
def test_sweeps_are_those_of_the_paper(shape, epsilon):
    rng, n = np.random.default_rng(0), int(np.prod(shape))
    values = rng.random((*shape, 2)).astype(np.float32)
    evidence = rng.dirichlet(np.ones(N_CLASSES), n)
    labels, r = rng.integers(N_CLASSES, size=shape), rng.uniform(0.02, 0.4, shape).astype(np.float32)
    grid = Grid(shape, 1.5, find_pixels("cpu", 1))
    planes = grid.pads(np.moveaxis(values, -1, 0))
    flat, flat_r = grid.pad(labels.astype(np.int16)), grid.pad(r)
    band = Band(grid, planes, 0.3, grid.places(np.nonzero(np.ones(shape))), evidence, flat, flat_r)
    points, weights = band.movers.points, band.movers.weights
    W = np.zeros((n, n))
    for place in range(n):
        for column, step in enumerate([*grid.steps, *-grid.steps]):
            there = np.flatnonzero(points == points[place] + step)
            W[place, there] = weights[place, column]
    if len(shape) == 2:
        np.testing.assert_allclose(W / 65535, stored_links(values, 1.5, 0.3), atol=1e-5)
    _, changes = band.sweep(epsilon, 3)
    state = State(np.append(labels, range(N_CLASSES)), np.append(0.5 - r, np.zeros(N_CLASSES)))
    problem = Problem(SimpleNamespace(n_vertices=n), np.full(n + N_CLASSES, -1), N_CLASSES, implicit=True)
    expected = reference(W, evidence).sweep(problem, state, epsilon, STEP_SIZE, 3)
    assert (grid.crop(flat).ravel() == expected.state.labels[:n]).all()
    np.testing.assert_allclose(grid.crop(flat_r).ravel(), 0.5 - abs(expected.state.offsets[:n]), atol=1e-5)
    assert changes == expected.label_changes > 0


def test_points_outside_the_band_stand_still():
    rng, shape = np.random.default_rng(1), (10, 12)
    grid = Grid(shape, 3, find_pixels("cpu", 2))
    chosen = np.zeros(shape, dtype=bool)
    chosen[:, 4:8] = True
    places = np.nonzero(chosen)
    values, even = grid.pads(rng.random((1, *shape))), np.full((40, 2), 0.5)
    labels, r = rng.integers(2, size=shape).astype(np.int16), np.full(shape, 0.2, dtype=np.float32)
    flat, flat_r = grid.pad(labels), grid.pad(r)
    Band(grid, values, 0.3, grid.places(places), even, flat, flat_r).sweep(1.0, 6)
    assert (grid.crop(flat)[~chosen] == labels[~chosen]).all()
    assert (grid.crop(flat_r)[~chosen] == np.float32(0.2)).all()
    assert (grid.crop(flat_r)[chosen] != np.float32(0.2)).all()


def middle(grid):
    """The point in the middle of a row of three."""
    return grid.places((np.array([0]), np.array([1])))


def test_evidence_decides_where_neighbours_are_even():
    grid = Grid((1, 3), 1, find_pixels("cpu", 1))
    for favoured in (0, 1):
        evidence = np.eye(2)[[favoured]]
        flat, r = (
            grid.pad(np.array([[0, 1 - favoured, 1]], dtype=np.int16)),
            grid.pad(np.array([[0.5, 0.2, 0.5]], dtype=np.float32)),
        )
        band = Band(grid, grid.pads(np.zeros((1, 1, 3))), 1.0, middle(grid), evidence, flat, r)
        for epsilon in (2.0, 1.0, 0.5):
            band.sweep(epsilon, 30)
        assert grid.crop(flat).tolist() == [[0, favoured, 1]]


def test_the_share_of_a_class_is_its_part_of_what_is_said():
    grid = Grid((1, 3), 1, find_pixels("cpu", 1))
    flat, r = grid.pad(np.array([[0, 0, 1]], dtype=np.int16)), grid.pad(np.full((1, 3), 0.5, np.float32))
    band = Band(grid, grid.pads(np.zeros((1, 1, 3))), 1.0, middle(grid), np.array([[0.2, 0.8]]), flat, r)
    link = np.exp(-1.0)
    assert band.shares()[0] == pytest.approx((1 + link) / (1 + 2 * link), rel=1e-4)
    assert band.own_evidence()[0] == pytest.approx(0.2)


def test_bands_lie_around_borders():
    labels = np.zeros((9, 9), dtype=int)
    assert not near_borders(labels, 3, ndimage).any()
    labels[4, 4] = 1
    assert near_borders(labels, 1, ndimage).sum() == 21  # a cross of five, grown by one along both axes
    assert grown(labels > 0, 2, ndimage).sum() == 25
    assert len(offsets_within(1, (1.0,))) == 2
