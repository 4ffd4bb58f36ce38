"""Parts of the methods by hand: wells, the simplex, thresholds, names of clusters."""

import numpy as np
import pytest

import graphwell as gw
from graphwell._random import stream
from graphwell.estimators.methods.base import named_clusters
from graphwell.estimators.methods.interfaces import on_simplex, well_slope
from tests.estimators.cases import connected_case


def dense_mbo(graph, y, seed_labels, step, fidelity, iterations):
    """One iteration of MBO with all eigenvectors is implicit diffusion by the full matrix."""
    diffuse = np.linalg.inv(np.eye(len(y)) + step / 3 * graph.L_s.toarray())
    known = (y >= 0)[:, None]
    Y = np.eye(3)[y] * known
    u = np.where(known, Y, np.eye(3)[seed_labels])
    for _ in range(iterations):
        v = u
        for _ in range(3):
            v = diffuse @ (v - step / 3 * fidelity * known * (v - Y))
        u = np.eye(3)[v.argmax(axis=1)]
    return u.argmax(axis=1)


def test_mbo_matches_dense_threshold_dynamics():
    graph, y = connected_case(6)
    start = stream(0, "start").integers(3, size=24)
    found = gw.baselines.MulticlassMBO(n_eigenvectors=24, max_iter=5, fidelity=10.0, random_state=0).fit(
        graph, y
    )
    expected = dense_mbo(graph, y, start, 0.3, 10.0, 5)
    np.testing.assert_array_equal(found.transduction_[6:], expected[6:])


def potential(u):
    corners = np.eye(u.shape[1])
    return 0.5 * np.prod([np.abs(u - e).sum(axis=1) ** 2 / 4 for e in corners], axis=0).sum()


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_slope_is_that_of_the_potential(n_classes):
    u = np.random.default_rng(n_classes).dirichlet(np.ones(n_classes), 5)
    slopes = np.empty_like(u)
    for place in np.ndindex(u.shape):
        moved = u.copy()
        moved[place] += 1e-6
        slopes[place] = (potential(moved) - potential(u)) / 1e-6
    np.testing.assert_allclose(well_slope(u), slopes, atol=1e-5)


def test_rows_are_projected_to_the_nearest_point_of_the_simplex():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 4))
    found = on_simplex(rows)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found >= 0).all()
    others = rng.dirichlet(np.ones(4), 2000)
    for row, point in zip(rows, found, strict=True):
        assert ((others - row) ** 2).sum(axis=1).min() >= ((point - row) ** 2).sum() - 1e-12


def test_steps_are_those_of_the_full_matrix():
    graph, y = connected_case(3)
    known, Y = (y >= 0)[:, None], np.eye(3)[y] * (y >= 0)[:, None]
    u = np.where(known, Y, stream(0, "start").dirichlet(np.ones(3), 24))
    step, fidelity, convex = 0.1, 5.0, 5.0 + 1 / 2.0
    inverse = np.linalg.inv(np.eye(24) * (1 + step * convex) + step * 2.0 * graph.L_s.toarray())
    for _ in range(4):
        slope = well_slope(u) / 2.0 + fidelity * known * (u - Y)
        u = on_simplex(inverse @ ((1 + step * convex) * u - step * slope))
    clf = gw.baselines.SimplexGinzburgLandau(
        n_eigenvectors=24,
        epsilon=2.0,
        step_size=step,
        fidelity=fidelity,
        max_iter=4,
        tol=1e-30,
        random_state=0,
    ).fit(graph, y)
    np.testing.assert_allclose(clf.label_distributions_[6:], u[6:], atol=1e-9)


def test_clusters_without_labels_take_after_the_others():
    W = np.kron(np.eye(4), 1 - np.eye(2))
    W[1, 2] = W[2, 1] = 1.0
    W[3, 4] = W[4, 3] = 3.0
    graph, clusters = gw.Graph.from_affinity(W), np.repeat([0, 1, 2, 3], 2)
    shares = named_clusters(graph, clusters, np.array([0, 0, -1, -1, 1, 0, -1, -1]), 2)
    np.testing.assert_allclose(shares, [[1, 0], [0.625, 0.375], [0.5, 0.5], [0, 0]], atol=1e-12)
