"""Graphs of awkward shapes that users give: a hub, very many components, every edge there is, a long path."""

import os
import subprocess
import sys

import networkx
import numpy as np
import pytest
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier, Graph, UnreachableWarning
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.graph.knn import check_neighbors
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine
from tests.helpers import chain, clusters, start_of


def star(leaves):
    ends = np.zeros(leaves, dtype=int), np.arange(1, leaves + 1)
    upper = sparse.coo_array((np.ones(leaves), ends), shape=(leaves + 1, leaves + 1))
    return (upper + upper.T).tocsr()


def fitted(W, labels):
    y = np.full(W.shape[0], -1)
    for place, label in labels.items():
        y[place] = label
    return DiffuseInterfaceClassifier(metric="precomputed", models=None, random_state=0).fit(W, y)


def fitted_to(G):
    return DiffuseInterfaceClassifier(metric="precomputed").fit(G, [0, -1, 1])


def test_a_hub_asks_for_no_more_sweeps_than_other_graphs():
    found = fitted(star(3000), {1: 0, 2: 0, 3: 1})
    assert found.transduction_[[1, 2, 3]].tolist() == [0, 0, 1]
    assert (found.transduction_ == 0).sum() > 2900
    assert found.result_.n_sweeps <= 1000


def test_a_hub_takes_as_much_memory_as_it_has_edges():
    engine = NumbaEngine(Graph.from_affinity(star(50_000)))
    assert len(engine.rows.values) + len(engine.rows.rest[2]) < 4 * engine.graph.W.nnz


@pytest.mark.parametrize("kind", ["a star and more", "complete", "complete, all alike"])
def test_very_long_rows_have_the_bits_of_the_reference(kind):
    rng = np.random.default_rng(0)
    W = star(300).toarray() * rng.random((301, 301))
    W[5, 40:200] = rng.random(160)
    if kind != "a star and more":
        W = np.ones((301, 301)) if kind.endswith("alike") else rng.random((301, 301))
    graph = Graph.from_affinity(np.maximum(np.triu(W), np.triu(W).T))
    labels = np.where(rng.random(301) < 0.2, rng.integers(4, size=301), -1)
    problem = Problem(graph, labels, 4)
    start, engine = start_of(problem, rng), NumbaEngine(graph, dtype=np.float64)
    assert (len(engine.rows.rest[2]) > 0) == (kind == "a star and more")
    expected = ReferenceEngine(graph).sweep(problem, start, 1.1, 0.05, 30)
    found = engine.sweep(problem, start, 1.1, 0.05, 30)
    np.testing.assert_array_equal(found.state.labels, expected.state.labels)
    np.testing.assert_array_equal(found.state.offsets, expected.state.offsets)
    assert found.energy == pytest.approx(expected.energy, rel=1e-12)
    for width in (1, 4):
        block = rng.random((301, width))
        np.testing.assert_allclose(engine.product(block), graph.S @ block, rtol=1e-12)


def test_of_many_components_those_with_a_label_are_decided():
    path = chain(*np.ones(4)).W
    with pytest.warns(UnreachableWarning, match="3485 of 3500 rows lie in 697 components"):
        found = fitted(sparse.block_diag([path] * 700, format="csr"), {0: 0, 5: 1, 10: 2})
    assert found.transduction_[:15].tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert found.reachable_.sum() == 15


def test_a_complete_graph_keeps_its_labels():
    found = fitted(np.ones((120, 120)), {0: 0, 1: 1, 2: 2})
    assert found.transduction_[:3].tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.label_distributions_.sum(axis=1), 1)


def test_a_long_path_is_cut_in_its_middle():
    found = fitted(chain(*np.ones(19_999)).W, {0: 0, 19_999: 1})
    assert found.result_.solver_residual < 1e-3
    assert found.transduction_[:9_900].tolist() == [0] * 9_900
    assert found.transduction_[10_100:].tolist() == [1] * 9_900


def test_systems_of_a_forest_are_solved_exactly():
    rng = np.random.default_rng(0)
    parents = np.array([rng.integers(i) for i in range(1, 1200)])
    edges = rng.random(1199) + 0.1, (np.arange(1, 1200), parents)
    tree = sparse.coo_array(edges, shape=(1200, 1200))
    graph = Graph.from_affinity(sparse.block_diag([tree + tree.T, chain(0.5, 2.0).W]))
    engine, known = NumbaEngine(graph, dtype=np.float64), rng.random(1203) < 0.1
    inside, b = np.where(known, 0.0, 1.0), rng.normal(size=(1203, 3))
    system = np.eye(1203) - inside[:, None] * graph.S.toarray() * inside
    b[1200:] = system[1200:] @ rng.normal(size=(1203, 3))  # a tree without a label
    found = engine.solve(inside, b.copy())
    np.testing.assert_allclose(system @ found.x, b, atol=1e-9)


@pytest.mark.parametrize("give", [Graph.from_affinity, fitted_to])
def test_a_directed_graph_is_refused_in_a_sentence(give):
    with pytest.raises(ValueError, match=r"edges have a direction.*to_undirected\(\)"):
        give(networkx.DiGraph([(0, 1), (1, 2)]))


def test_the_sentence_about_an_undirected_graph_says_what_works():
    G = networkx.Graph([(0, 1), (1, 2)])
    with pytest.raises(ValueError, match=r"W is a Graph of networkx; give networkx\.to_scipy_sparse_array"):
        Graph.from_affinity(G)
    assert Graph.from_affinity(networkx.to_scipy_sparse_array(G)).n_edges == 2


def test_a_neighbour_that_there_is_not_is_an_error_in_words():
    near = np.ones((2, 1))
    with pytest.raises(RuntimeError, match="Internal error: the search named row 7 of 5"):
        check_neighbors(np.array([[1], [7]]), near, 5)
    with pytest.raises(ValueError, match="cannot be compared"):
        check_neighbors(np.array([[1], [5]]), near * np.inf, 5)


def test_new_rows_whose_search_fails_are_told_so(monkeypatch):
    graph, _ = clusters([30, 30])
    monkeypatch.setattr(graph.origin.search, "query", lambda rows, k: (np.full((1, k), 99), np.ones((1, k))))
    with pytest.raises(RuntimeError, match="named row 99 of 60"):
        graph.affinity_to(np.zeros((1, 12)))


@pytest.mark.parametrize(("name", "value"), [("NUMBA_DISABLE_JIT", "1"), ("NUMBA_NUM_THREADS", "0")])
def test_settings_that_numba_cannot_work_with_are_named(name, value):
    code = "import graphwell; graphwell.Graph"
    told = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {name: value}, capture_output=True, text=True
    )
    assert told.returncode == 1
    assert name in told.stderr.splitlines()[-1]
    assert told.stderr.splitlines()[-1].startswith("ValueError: ")
