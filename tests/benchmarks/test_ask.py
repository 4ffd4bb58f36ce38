"""The benchmark of the strategies: runs, bars, and its seven strategies against dense formulas."""

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from benchmarks import ask
from benchmarks.ask import DAMPING, DYING, NOISE, STRATEGIES
from benchmarks.data import Dataset
from benchmarks.output import Options
from graphwell.active.strategies import laplacian
from tests.active.queries import five_clusters, labelled, query_of
from tests.helpers import chain, random_graph


def runs(*several):
    """Records of strategies: name, errors, and where they differ from these, data and all_found."""
    given = {"data": "digits", "n_classes": 10, "all_found": 10, "found": [10] * 4, "seconds": 1.0, "seed": 1}
    rows = [{**given, "strategy": name, "errors": errors, **more} for name, errors, more in several]
    return pd.DataFrame([{**row, "area": np.mean(row["errors"]), "claimed": 4 * [(0.9, 1)]} for row in rows])


def test_bars_are_met_or_missed():
    assert [row["met"] for row in ask.bars(runs(("auto", [5, 3, 2, 1], {})))] == ["met", "met"]
    assert [row["met"] for row in ask.bars(runs(("auto", [9, 3, 2, 1], {})))] == ["MISSED", "met"]


def test_classes_of_cuts_must_be_found_in_half_of_the_questions():
    cut = {"data": "digits/cut"}
    for needed, verdict in ((50, "met"), (51, "MISSED")):
        ours = ("auto", [5, 3, 2, 1], {**cut, "all_found": needed})
        chance = ("random", [5, 3, 2, 1], {**cut, "all_found": None})
        assert [row["met"] for row in ask.bars(runs(ours, chance))] == [verdict]


def test_being_behind_random_and_the_area_on_common_sets_are_told(capsys):
    ours, other = ("auto", [5, 3, 2, 1], {}), ("auto", [90, 90, 90, 90], {"data": "other"})
    assert ask.behind(runs(ours, ("random", [50, 30, 20, 10], {}))) == []
    assert [row[0] for row in ask.behind(runs(ours, ("random", [5, 3, 1, 1], {})))] == ["digits, 4K"]
    ask.report(runs(ours, ("random", [8, 8, 8, 8], {}), other))
    areas = capsys.readouterr().out.split("Mean area over all sets")[1]
    assert areas.index("2.75") < areas.index("8.00")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_set_is_measured_and_drawn(monkeypatch, tmp_path, capsys):
    graph, truth = five_clusters()
    data = Dataset("five", np.zeros((len(truth), 1)), truth)
    data.__dict__["graph"] = graph
    monkeypatch.setattr(ask, "available", lambda names: [data])
    ask.ask(Options(True, tmp_path, ["five"], [1, 3], 2, ["auto", "random"]))
    found = json.loads((tmp_path / "ask.json").read_text())["runs"]
    assert {(run["strategy"], run["seed"]) for run in found} == {
        ("auto", 1), ("auto", 3), ("random", 1), ("random", 3)
    }  # fmt: skip
    assert "Mean area" in capsys.readouterr().out


@pytest.fixture
def registered() -> Iterator[None]:
    """All twelve, as in the benchmark."""
    with ask.registered(Dataset("none", np.zeros((1, 1)), np.zeros(1)), quick=True):
        yield


def dense(seed, y=None):
    return query_of(random_graph(np.random.default_rng(seed), 14, 0.4), y).dense


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("kind", ["clusters", "isolated vertices", "copies"])
def test_every_strategy_asks_open_rows_each_once(name, kind):
    assert len(gw.active.strategies()) == 12
    if kind == "clusters":
        graph, truth = five_clusters()
        y = labelled(truth, [0, 60, 120, 180])
    elif kind == "copies":
        graph = gw.Graph.from_features(np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]], 10, axis=0))
        y = np.array([0, 1] + 28 * [-1])
    else:
        W = np.zeros((30, 30))
        W[:10, :10] = 1 - np.eye(10)
        graph, y = gw.Graph.from_affinity(W), np.array([0, 1] + 28 * [-1])
    found = gw.suggest(graph, y, n=5, strategy=name)
    assert len(set(found)) == 5
    assert (y[found] < 0).all()


def test_neighbourhoods_are_walks_of_four_steps_and_the_cover_is_greedy():
    W = chain(1.0, 2.0).W.toarray()
    walk = (np.eye(3) + W / W.sum(axis=1, keepdims=True)) / 2
    reach = walk @ walk @ walk @ walk
    np.testing.assert_allclose(ask.neighbourhoods(W), reach / reach.max(axis=1, keepdims=True))
    graph, truth = five_clusters()
    query = query_of(graph, labelled(truth, [0]))
    near, small = ask.neighbourhoods(query.dense.W), query.dense
    covered = near[small.members[0]].copy()
    for question in STRATEGIES["cover"][1](query, 3):
        gains = [np.sum(small.sizes * np.maximum(near[u] - covered, 0)) for u in range(len(near))]
        asked = small.members[question.row]
        assert gains[asked] >= max(g for u, g in enumerate(gains) if small.open[u]) - 1e-9
        covered = np.maximum(covered, near[asked])


def test_dirichlet_variances_are_those_of_draws():
    labels = np.array([[2.0, 1.0, 0.5]])
    draws = np.random.default_rng(0).dirichlet(labels[0], size=200_000)
    np.testing.assert_allclose(ask.dirichlet_variances(labels), draws.var(axis=0).sum(), rtol=0.02)


def test_smallest_norm_scores_are_damped_means_of_their_neighbours():
    W = chain(1.0, 2.0, 0.5, 1.0).W.toarray()
    counts = np.zeros((5, 2))
    counts[0, 0] = counts[4, 1] = 1
    scores = ask.damped_scores(W, counts)
    g = ask.poisson_factors(W, counts.any(axis=1))
    for i in (1, 2, 3):
        edges = g[i] * W[i] * g
        np.testing.assert_allclose(scores[i], edges @ scores / (edges.sum() * (1 + DYING)), rtol=1e-6)
    np.testing.assert_allclose(scores[[0, 4]], counts[[0, 4]])
    g = ask.poisson_factors(chain(1.0, 1.0, 1.0, 1.0).W.toarray(), np.arange(5) == 0)
    assert (g > 0).all()
    assert (np.diff(g) < 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_gains_are_those_of_the_inverse_precision_with_each_label_added(seed):
    """VOpt, sigma-optimality and conditioning by the formula, and by inverting the matrix."""
    graph = dense(seed)
    C, n = ask.covariance(graph), len(graph.W)
    precision = laplacian(graph.W) + DAMPING * np.eye(n)
    np.testing.assert_allclose(C @ precision, np.eye(n), atol=1e-8)
    shares = np.ones((n, 1))
    for k in range(n):
        after = np.linalg.inv(precision + np.diag((np.arange(n) == k) / NOISE))
        np.testing.assert_allclose(ask.conditioned(C, k), after, atol=1e-8)
        trace = np.sum(graph.sizes * (C - after).diagonal())
        total = graph.sizes @ (C - after) @ graph.sizes
        assert ask.vopt(C, graph, shares)[k] == pytest.approx(trace, rel=1e-6)
        assert ask.sigma(C, graph, shares)[k] == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_model_change_is_the_change_of_the_scores(seed):
    """A label moves a Gaussian field by its covariance times the surprise."""
    y = np.full(14, -1)
    y[[0, 5]] = [0, 1]
    graph = dense(seed, y)
    C = ask.covariance(graph)
    shares = np.clip(C @ (graph.counts / NOISE), 1e-9, None)
    shares /= shares.sum(axis=1, keepdims=True)
    found = ask.model_change(C, graph, shares)
    for k in range(len(graph.W)):
        surprise = np.eye(2)[shares[k].argmax()] - shares[k]
        moved = np.outer(C[k], surprise) / (C[k, k] + NOISE)
        assert found[k] == pytest.approx(np.sqrt(np.sum(graph.sizes[:, None] * moved**2)), rel=1e-6)
