"""The steps of a segmentation, against slow references: stored links, Algorithm 1 in plain loops."""

from types import SimpleNamespace

import numpy as np
import pytest

from graphwell.backends.base import State
from graphwell.backends.registry import find_pixels
from graphwell.datasets import make_grey_image
from graphwell.segmentation.features import (
    features_of,
    halved,
    noise_left,
    picture_features,
    read_picture,
    smoothed,
    to_lab,
)
from graphwell.segmentation.narrow_band import (
    EVIDENCE_WEIGHT,
    STEP_SIZE,
    NarrowBand,
)
from graphwell.segmentation.propagation import propagate
from graphwell.segmentation.pyramid import ImagePyramid
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import WEAKEST_COLOR, PixelGrid, Stencil, offsets_within
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine


def stored_links(values, radius, scale):
    """The matrix ``exp(-|c_i - c_j|² / h²) exp(-distance² / R²)`` of pixels within a radius."""
    height, width = values.shape[:2]
    W = np.zeros((height * width, height * width))
    for i in range(height * width):
        for j in range(height * width):
            (y, x), (v, u) = divmod(i, width), divmod(j, width)
            distance = (y - v) ** 2 + (x - u) ** 2
            if i != j and distance <= radius**2:
                color = np.exp(-((values[y, x] - values[v, u]) ** 2).sum() / scale**2)
                W[i, j] = max(color, WEAKEST_COLOR) * np.exp(-distance / radius**2)
    return W


def stencil_of(values, radius=3, scale=0.3, threads=1):
    return on_grid(PixelGrid(values.shape[:-1], radius, find_pixels("cpu", threads)), values, scale)


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
    found = matrix(on_grid(PixelGrid((3, 4, 3), radius, find_pixels("cpu", 1), spacing, pieces), values, 0.3))
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


def pyramid_of(image, working_pixels=10**6, **options):
    features = features_of(image[..., None].astype(np.float32))
    settings = {"radius": 3, "color_scale": None, "smoothing": None} | options
    where = {"engine": find_pixels("cpu", 1), "report": lambda share: None}
    return ImagePyramid(features, **settings, **where, working_pixels=working_pixels)


@pytest.mark.parametrize("weight", [0.0, 0.3, 30.0])
def test_the_refined_scores_are_near_the_exact_ones(weight):
    image, truth = (plane[:70:2, :70:2] for plane in make_grey_image(100, 90))
    seeds = np.full(truth.shape, -1)
    seeds[::3, ::5] = truth[::3, ::5]
    pyramid = pyramid_of(image, color_scale=0.2)
    known = seeds.ravel() >= 0
    W, labels = stored_links(image[..., None], 3, 0.2), np.eye(5)[seeds.ravel()[known]]
    rng, finest = np.random.default_rng(0), pyramid.start_level
    unary_terms = {
        level: weight * rng.random((5, *copy.grid.shape)) for level, copy in pyramid.levels.items()
    }
    toward = (
        unary_terms[finest].reshape(5, -1).T * stored_links(0 * image[..., None], 3, 1.0).sum(axis=1).max()
    )
    toward /= image.size
    L = np.diag(W.sum(axis=1) + toward.sum(axis=1)) - W
    exact = np.linalg.solve(L[~known][:, ~known], W[~known][:, known] @ labels + toward[~known])
    by_level = pyramid.seeds_by_level(Seeds.of(seeds))
    scores, _ = propagate(pyramid.levels, pyramid.working, by_level, 5, None, unary_terms)
    found = pyramid.grid(finest).crop(scores[finest]).reshape(5, -1).T
    assert np.abs(found[~known] - exact).max() < 0.02
    assert (found[known] == labels).all()


N_CLASSES = 3


def reference(W, evidence):
    """Plain loops on the same graph, with a vertex of each class that carries the evidence."""
    n = len(W)
    engine = ReferenceEngine.__new__(ReferenceEngine)
    ghosts = [[(n + k, EVIDENCE_WEIGHT * float(evidence[i, k])) for k in range(N_CLASSES)] for i in range(n)]
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
    grid = PixelGrid(shape, 1.5, find_pixels("cpu", 1))
    planes = grid.pads(np.moveaxis(values, -1, 0))
    flat, flat_r = grid.pad(labels.astype(np.int16)), grid.pad(r)
    band = NarrowBand(grid, planes, 0.3, grid.places(np.nonzero(np.ones(shape))), evidence, flat, flat_r)
    points, weights = band.movers.points, band.movers.weights
    W = np.zeros((n, n))
    for place in range(n):
        for column, step in enumerate([*grid.steps, *-grid.steps]):
            there = np.flatnonzero(points == points[place] + step)
            W[place, there] = weights[place, column]
    if len(shape) == 2:
        np.testing.assert_allclose(W / 65535, stored_links(values, 1.5, 0.3), atol=1e-5)
    changes = band.sweep(None, State(flat, flat_r), epsilon, STEP_SIZE, 3).label_changes
    state = State(np.append(labels, range(N_CLASSES)), np.append(0.5 - r, np.zeros(N_CLASSES)))
    problem = Problem(SimpleNamespace(n_vertices=n), np.full(n + N_CLASSES, -1), N_CLASSES, implicit=True)
    expected = reference(W, evidence).sweep(problem, state, epsilon, STEP_SIZE, 3)
    assert (grid.crop(flat).ravel() == expected.state.labels[:n]).all()
    np.testing.assert_allclose(grid.crop(flat_r).ravel(), 0.5 - abs(expected.state.offsets[:n]), atol=1e-5)
    assert changes == expected.label_changes > 0


def test_halved_seeds_take_the_majority():
    seeds = Seeds.of(np.array([[2, -1, 0, 1, -1], [2, 0, 1, 1, 4], [-1, -1, 3, -1, -1]]))
    assert seeds.halved().plane().tolist() == [[2, 1, 4], [-1, 3, -1]]


@pytest.mark.parametrize(
    ("rgb", "lab"),
    [
        ((0, 0, 0), (0, 0, 0)),
        ((1, 1, 1), (100, 0, 0)),
        ((1, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 0, 1), (32.30, 79.19, -107.86)),
    ],
)
def test_known_colours(rgb, lab):
    found = to_lab(np.array([[rgb]], dtype=np.float32))
    np.testing.assert_allclose(100 * found[0, 0], lab, atol=0.05)


def test_noise_is_measured():
    rng = np.random.default_rng(0)
    image = 0.5 + np.where(np.arange(200) < 100, 0.3, -0.3) + rng.normal(0, 0.05, (200, 200))
    features = picture_features(image)
    assert features.noise == pytest.approx(0.05, rel=0.05)
    assert features.contrast == pytest.approx(0.3, rel=0.05)
    noise = rng.normal(size=(256, 256, 1))
    for width, halvings in [(0.0, 1), (0.7, 0), (1.5, 2)]:
        left = smoothed(noise, width, (1.0, 1.0))
        for _ in range(halvings):
            left = halved(left)
        assert left.std() == pytest.approx(noise_left(width, halvings, (1.0, 1.0)), rel=0.05)


def test_many_channels_become_few_and_keep_their_distances():
    rng = np.random.default_rng(0)
    image = rng.random((20, 20, 3)) @ rng.normal(size=(3, 50))
    features = picture_features(image)
    assert features.values.shape == (20, 20, 8)
    rows, few = (v.reshape(400, -1).astype(float) for v in (read_picture(image), features.values))
    before, after = (np.linalg.norm(v[0] - v, axis=1) for v in (rows, few))
    np.testing.assert_allclose(after, before, rtol=1e-3, atol=1e-4)


def test_masked_points_are_not_measured():
    rng = np.random.default_rng(0)
    values = rng.normal(0.0, 0.1, (150, 200, 1))
    masked = np.arange(150)[:, None] + np.zeros(200) >= 70
    values[masked] = 7.0
    found = picture_features(values, masked=masked)
    scale = 1 / np.abs(values).max()
    assert found.noise == pytest.approx(0.1 * scale, rel=0.1)
    assert found.contrast == pytest.approx(0.1 * scale, rel=0.1)
