"""Each method against its recipe in dense matrices, plain loops, or all labellings there are."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from graphwell import Graph, baselines
from graphwell._random import stream
from graphwell.errors import OptionError
from graphwell.estimators.methods.base import named_clusters
from graphwell.estimators.methods.cheeger import Piece, p_ratio
from graphwell.estimators.methods.interfaces import on_simplex, well_slope
from graphwell.metrics import matched_error
from tests.helpers import blobs, chain, few, random_graph


def connected_case(seed):
    """A connected graph with known labels, for closed forms."""
    graph = random_graph(np.random.default_rng(seed), 24, 0.6)
    return graph, np.concatenate([[0, 0, 1, 1, 2, 2], np.full(18, -1)])


def normalised(scores):
    return scores / scores.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weights", ["none", "wnll"])
def test_laplace_learning_matches_the_dense_solution(weights):
    graph, y = connected_case(4)
    W = graph.W.toarray()
    if weights == "wnll":
        a = np.where(y >= 0, 24 / 6, 1.0)
        W = a[:, None] * W + W * a[None, :]
    L = np.diag(W.sum(axis=1)) - W
    expected = np.linalg.solve(L[6:, 6:], W[6:, :6] @ np.eye(3)[y[:6]])
    found = baselines.LaplaceLearning(weights=weights).fit(graph, y).label_distributions_
    np.testing.assert_allclose(found[6:], normalised(expected), atol=1e-3)


def test_poisson_learning_matches_the_pseudo_inverse():
    graph, y = connected_case(5)
    sources = np.where((y >= 0)[:, None], np.eye(3)[y] - 1 / 3, 0.0)
    u = np.linalg.pinv(graph.L.toarray()) @ sources
    u -= (graph.degrees @ u) / graph.degrees.sum()
    found = baselines.PoissonLearning().fit(graph, y).transduction_
    np.testing.assert_array_equal(found[6:], u.argmax(axis=1)[6:])


@pytest.mark.parametrize("seed", range(3))
def test_label_spreading_matches_the_dense_inverse(seed):
    graph, y = connected_case(seed)
    Y = np.eye(3)[y] * (y >= 0)[:, None]
    expected = np.linalg.solve(np.eye(24) - 0.9 * graph.S.toarray(), Y)
    found = baselines.LabelSpreading(alpha=0.9).fit(graph, y).label_distributions_
    np.testing.assert_allclose(found[6:], normalised(expected)[6:], atol=1e-5)


def test_a_chain_is_split_by_length():
    # Lengths 1/w from the left end: 1, 2, 6; from the right end: 4, 5, 6.
    found = baselines.NearestLabel().fit(chain(1.0, 1.0, 0.25), np.array([0, -1, -1, 1]))
    assert found.transduction_.tolist() == [0, 0, 0, 1]


def objective(parameters, W, y, mu, nu):
    p, q = np.exp(parameters.reshape(2, len(y), 2))
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    known = y >= 0
    at_labels = -np.log(q[known, y[known]]).sum()
    between = sum(W[i, j] * (p[i] * np.log(p[i] / q[j])).sum() for i in range(len(y)) for j in range(len(y)))
    return at_labels + mu * between + nu * (p * np.log(p)).sum()


def test_the_objective_is_minimised():
    graph, y, mu, nu = chain(1.0, 0.5, 2.0), np.array([0, -1, -1, 1]), 0.3, 0.05
    W = graph.W.toarray() + np.eye(4)
    best = minimize(objective, np.zeros(16), args=(W, y, mu, nu), method="BFGS", options={"gtol": 1e-7})
    p = np.exp(best.x.reshape(2, 4, 2)[0])
    clf = baselines.MeasurePropagation(mu=mu, nu=nu, tol=1e-13, max_iter=100_000).fit(graph, y)
    np.testing.assert_allclose(clf.label_distributions_, p / p.sum(axis=1, keepdims=True), atol=1e-3)


def test_sizes_are_held_whatever_the_data_says():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(80, 2)), 2 + rng.normal(size=(40, 2))])
    y = np.full(120, -1)
    y[[0, 1, 80, 81]] = [0, 0, 1, 1]
    sizes = [
        np.bincount(baselines.VolumeMBO(50, class_prior=shares).fit(X, y).transduction_)[0]
        for shares in (None, [2 / 3, 1 / 3])
    ]
    assert sizes == pytest.approx([60, 80], abs=1)


def cliques(first, second, link=0.1):
    n = first + second
    W = np.zeros((n, n))
    W[:first, :first] = 1 - np.eye(first)
    W[first:, first:] = 1 - np.eye(second)
    W[first - 1, first] = W[first, first - 1] = link
    return W


@pytest.mark.parametrize("shares", [(0.3, 0.7), (0.7, 0.3), (3, 7)])
def test_uneven_sizes_are_found_whichever_comes_first(shares):
    found = baselines.BalancedInterface(metric="precomputed", class_prior=shares).fit_predict(cliques(3, 7))
    assert matched_error(found, np.repeat([0, 1], [3, 7])) == 0


def test_a_graph_in_two_parts_and_a_third_cluster():
    found = baselines.BalancedInterface(metric="precomputed").fit_predict(cliques(4, 4, link=0.0))
    assert matched_error(found, np.repeat([0, 1], 4)) == 0
    with pytest.raises(OptionError, match="n_clusters must be 2"):
        baselines.BalancedInterface(3, metric="precomputed").fit_predict(cliques(4, 4))
    with pytest.raises(OptionError, match="class_prior must hold one share for each of the 2"):
        baselines.BalancedInterface(metric="precomputed", class_prior=[1.0]).fit_predict(cliques(4, 4))


def smallest_cut(W, y, sizes):
    free = np.flatnonzero(y < 0)
    wanted = np.repeat(np.arange(len(sizes)), sizes - np.bincount(y[y >= 0], minlength=len(sizes)))
    best, labels = np.inf, y.copy()
    for order in set(permutations(wanted)):
        labels[free] = order
        best = min(best, W[labels[:, None] != labels].sum())
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_cut_is_the_smallest_with_these_sizes(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((9, 9)) ** 4
    truth = np.repeat([0, 1, 2], 3)
    W = np.triu(W + (truth[:, None] == truth), 1)
    W = W + W.T
    y = np.where(np.arange(9) % 3 == 0, truth, -1)
    found = baselines.CutLearning().fit(Graph.from_affinity(W), y).transduction_
    assert np.bincount(found).tolist() == [3, 3, 3]
    assert W[found[:, None] != found].sum() == pytest.approx(smallest_cut(W, y, np.array([3, 3, 3])))


def weights_of(edges, n):
    W = np.zeros((n, n))
    for i, j, w in edges:
        W[i, j] = W[j, i] = w
    return W


def cheeger(W, side, measure):
    """The Cheeger cut of a set by its definition; infinite for none or all."""
    smaller = min(measure[side].sum(), measure[~side].sum())
    return W[side][:, ~side].sum() / smaller if smaller > 0 else np.inf


@pytest.mark.parametrize("method", [baselines.RatioCheegerCut, baselines.NormalisedOneCut])
def test_the_smallest_cheeger_cut_of_all_is_found(method):
    every = np.array(list(product([False, True], repeat=9)))
    for seed in range(8):
        rng = np.random.default_rng(seed)
        W = np.triu(rng.random((9, 9)) * (rng.random((9, 9)) < 0.5), 1)
        W[np.arange(8), np.arange(1, 9)] += 0.1
        W = W + W.T
        measure = W.sum(axis=1) if method is baselines.NormalisedOneCut else np.ones(9)
        found = method(2, metric="precomputed", n_starts=20, random_state=0).fit_predict(W) == 1
        best = min(cheeger(W, side, measure) for side in every)
        assert cheeger(W, found, measure) == pytest.approx(best, rel=1e-6)


def test_a_chain_is_cut_off_a_clique():
    """Five rows in a clique, then a chain of three, which is the smaller side for both measures."""
    clique = [(i, j, 1.0) for i in range(5) for j in range(i)]
    W = weights_of([*clique, (4, 5, 0.5), (5, 6, 0.45), (6, 7, 0.45)], 8)
    for method in (baselines.RatioCheegerCut, baselines.NormalisedOneCut, baselines.PLaplacianClustering):
        found = method(2, metric="precomputed", random_state=0).fit_predict(W)
        # 0.5 / 3 rows, and 0.5 / 2.3 of volume
        assert matched_error(found, np.repeat([0, 1], [5, 3])) == 0


def test_parts_are_cut_where_it_costs_least():
    """A chain of three triangles: the weaker link is cut first, then the other."""
    triangles = [(3 * k + i, 3 * k + j, 1.0) for k in range(3) for i, j in ((0, 1), (0, 2), (1, 2))]
    W = weights_of([*triangles, (2, 3, 0.5), (5, 6, 0.1)], 9)
    for n_clusters, truth in ((2, np.repeat([0, 1], [6, 3])), (3, np.repeat([0, 1, 2], 3))):
        found = baselines.RatioCheegerCut(n_clusters, metric="precomputed", random_state=0).fit_predict(W)
        assert matched_error(found, truth) == 0


def test_isolated_vertices_and_as_many_clusters_as_vertices():
    W = weights_of([(0, 1, 1.0)], 4)
    found = baselines.NormalisedOneCut(4, metric="precomputed", random_state=0).fit_predict(W)
    assert sorted(found) == [0, 1, 2, 3]


@pytest.mark.parametrize("p", [1.3, 1.7, 2.0])
def test_the_gradient_of_the_p_laplacian_is_that_of_its_ratio(p):
    f = np.random.default_rng(0).normal(size=24)
    piece, gradient = Piece.of(connected_case(0)[0].W, by_degree=True), np.empty(24)
    for i, step in enumerate(1e-6 * np.eye(24)):
        gradient[i] = (p_ratio(piece, f + step, p)[0] - p_ratio(piece, f - step, p)[0]) / 2e-6
    np.testing.assert_allclose(p_ratio(piece, f, p)[1], gradient, atol=1e-5)


def test_labels_are_fitted_by_eigenvectors_of_the_adapted_graph():
    X, _ = blobs(n=15)
    X = X + np.random.default_rng(1).normal(size=X.shape)
    y = np.full(45, -1)
    y[[0, 15, 30]] = [0, 1, 2]
    W = Graph.from_features(X).W.toarray()
    walk = np.linalg.matrix_power(W / W.sum(axis=1, keepdims=True), 20)
    classes = walk @ (np.eye(3)[y] * (y >= 0)[:, None])
    classes /= classes.sum(axis=1, keepdims=True)
    weight = np.sqrt(X.var(axis=0).sum() / classes.var(axis=0).sum())
    L = Graph.from_features(np.column_stack([X, weight * classes])).L_s.toarray()
    vectors = np.linalg.eigh(L)[1][:, :3]
    expected = vectors @ np.linalg.lstsq(vectors[y >= 0], np.eye(3), rcond=None)[0]
    found = baselines.AdaptedEigenfunctions().fit(X, y).transduction_
    np.testing.assert_array_equal(found, expected.argmax(axis=1))


def test_a_graph_without_features_is_refused():
    graph, y = connected_case(1)
    with pytest.raises(ValueError, match="the graph has none; give features instead"):
        baselines.AdaptedEigenfunctions().fit(Graph.from_affinity(graph.W), y)
    X, truth = blobs(n=10)
    assert len(baselines.AdaptedEigenfunctions().fit(X, few(truth)).transduction_) == 30


def test_errors_and_answers_spread_as_the_dense_inverse_has_it():
    X, truth = blobs(n=12)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    graph, y = Graph.from_features(X), few(truth)
    known, Y = y >= 0, np.eye(3)[y] * (y >= 0)[:, None]
    Z = StandardScaler().fit_transform(X)
    model = LogisticRegression(max_iter=500).fit(Z[known], y[known]).predict_proba(Z)
    walk = np.linalg.inv(np.eye(len(y)) - 0.7 * graph.S.toarray()) * 0.3
    errors = np.where(known[:, None], Y - model, 0.0)
    spread = walk @ errors
    size = np.abs(errors[known]).sum(axis=1).mean()
    corrected = model + size * spread / np.abs(spread).sum(axis=1, keepdims=True)
    expected = np.maximum(walk @ np.where(known[:, None], Y, corrected), 0)
    clf = baselines.CorrectAndSmooth(alpha_correct=0.7, alpha_smooth=0.7).fit(graph, y)
    np.testing.assert_allclose(clf.label_distributions_, normalised(expected), atol=1e-4)


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


def order_of(fitted):
    """The order of vertices and classes in which a fit draws its start."""
    return fitted._predictor.order


def test_mbo_matches_dense_threshold_dynamics():
    graph, y = connected_case(6)
    start = stream(0, "start").integers(3, size=24)
    found = baselines.MulticlassMBO(n_eigenvectors=24, max_iter=5, fidelity=10.0, random_state=0).fit(
        graph, y
    )
    expected = dense_mbo(graph, y, order_of(found).class_numbers(start), 0.3, 10.0, 5)
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


def test_steps_are_those_of_the_full_matrix():
    graph, y = connected_case(3)
    known, Y = (y >= 0)[:, None], np.eye(3)[y] * (y >= 0)[:, None]
    step, fidelity, convex = 0.1, 5.0, 5.0 + 1 / 2.0
    clf = baselines.SimplexGinzburgLandau(
        n_eigenvectors=24,
        epsilon=2.0,
        step_size=step,
        fidelity=fidelity,
        max_iter=4,
        tol=1e-30,
        random_state=0,
    ).fit(graph, y)
    order, drawn = order_of(clf), stream(0, "start").dirichlet(np.ones(3), 24)
    u = np.where(known, Y, order.by_class(drawn)[order.vertices])
    inverse = np.linalg.inv(np.eye(24) * (1 + step * convex) + step * 2.0 * graph.L_s.toarray())
    for _ in range(4):
        slope = well_slope(u) / 2.0 + fidelity * known * (u - Y)
        u = on_simplex(inverse @ ((1 + step * convex) * u - step * slope))
    np.testing.assert_allclose(clf.label_distributions_[6:], u[6:], atol=1e-9)


def test_clusters_without_labels_take_after_the_others():
    W = np.kron(np.eye(4), 1 - np.eye(2))
    W[1, 2] = W[2, 1] = 1.0
    W[3, 4] = W[4, 3] = 3.0
    graph, clusters = Graph.from_affinity(W), np.repeat([0, 1, 2, 3], 2)
    shares = named_clusters(graph, clusters, np.array([0, 0, -1, -1, 1, 0, -1, -1]), 2)
    np.testing.assert_allclose(shares, [[1, 0], [0.625, 0.375], [0.5, 0.5], [0, 0]], atol=1e-12)
