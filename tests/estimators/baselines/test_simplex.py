"""The model on the Gibbs simplex: slopes, projections, steps."""

import numpy as np
import pytest

from graphwell._random import stream
from graphwell.errors import OptionError
from graphwell.estimators.baselines import SimplexGinzburgLandau
from graphwell.estimators.baselines.simplex import on_simplex, well_slope
from tests.estimators.baselines.cases import connected_case
from tests.helpers import blobs, few


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
    clf = SimplexGinzburgLandau(
        n_eigenvectors=24,
        epsilon=2.0,
        step_size=step,
        fidelity=fidelity,
        max_iter=4,
        tol=1e-30,
        random_state=0,
    ).fit(graph, y)
    np.testing.assert_allclose(clf.label_distributions_[6:], u[6:], atol=1e-9)


@pytest.mark.parametrize("field", ["epsilon", "step_size", "tol", "n_eigenvectors", "max_iter"])
def test_what_makes_no_sense_is_refused_by_name(field):
    X, truth = blobs(n=10)
    with pytest.raises(OptionError, match=f"^{field} must be"):
        SimplexGinzburgLandau(**{field: 0}).fit(X, few(truth))
