"""The coarse level."""

import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg, sparse

from graphwell import Graph, Status
from graphwell._threads import ThreadPool
from graphwell.backends import find_backend
from graphwell.solve import communities
from graphwell.solve.coarse import (
    CoarseGraph,
    CoarseSearch,
    claimed_shares,
    communities_in_background,
    levels_for,
    lowest_energy,
    solve_coarse,
    vertices_per_label,
)
from graphwell.solve.communities import Aggregates, aggregates_of, aggregation_begun
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run
from tests.helpers import clusters, first_labels
from tests.solve.test_coarse import coarse


def seen(problem, start):
    return solve_coarse(problem, find_backend("cpu").engine(problem.graph), start)


def run(problem, recipe=Recipe(), n_jobs=None):  # noqa: B008
    return fit(find_backend("cpu", n_jobs=n_jobs), problem, recipe, Run(), np.random.default_rng(0))


def test_a_label_counts_for_no_more_than_its_share_of_the_vertices():
    assert vertices_per_label(np.repeat([0, -1], [50, 50]), 2) == 2.0
    assert vertices_per_label(np.repeat([0, -1], [1, 99]), 5) == 5.0


def test_classes_of_very_different_size_lower_the_pressure():
    sizes = {True: np.full(10, 12), False: np.array([60, 30, 8, 4, 4, 4, 4, 4, 4, 4])}
    for even, counts in sizes.items():
        W = sparse.csr_array(linalg.block_diag(*[np.ones((n, n)) - np.eye(n) for n in counts]))
        truth = np.repeat(np.arange(10), counts)
        graph = CoarseGraph(np.arange(len(truth)), W, np.zeros((len(truth), 10)), np.ones(len(truth)))
        search = CoarseSearch(graph, [graph], np.eye(10)[truth], np.ones(10, dtype=bool), ThreadPool(1))
        solution, found, pressure = lowest_energy(search, None)
        np.testing.assert_array_equal(solution.labels, truth)
        assert found == even
        np.testing.assert_allclose(pressure, 1.0 if even else 0.1)


def test_class_names_do_not_matter():
    graph, truth = clusters([60, 60, 60])
    labels = first_labels(truth, 2)
    order = np.array([2, 0, 1])
    start = np.random.default_rng(0).random((180, 3))
    found = seen(Problem(graph, labels, 3), start)
    other = Problem(graph, np.where(labels >= 0, order[labels], -1), 3)
    renamed = seen(other, start[:, np.argsort(order)])
    np.testing.assert_allclose(renamed.shares[:, order], found.shares, atol=1e-6)
    np.testing.assert_array_equal(truth, found.labels)


def test_a_class_without_a_label_gets_nothing_unless_its_size_is_given():
    graph, truth = clusters([60, 60, 60])
    labels = first_labels(truth, 2)
    labels[labels == 2] = -1
    start = np.zeros((180, 3))
    start[:, :2] = 0.5
    problem = Problem(graph, labels, 3)
    assert seen(problem, start).labels.max() == 1
    told = seen(replace(problem, class_shares=np.full(3, 1 / 3)), start)
    assert (told.labels == 2).sum() == pytest.approx(60, abs=10)


def test_isolated_vertices_and_parts_without_labels_do_no_harm():
    W = linalg.block_diag(*[np.ones((4, 4)) - np.eye(4)] * 3, np.zeros((2, 2)))
    labels = np.full(14, -1)
    labels[[0, 4]] = [0, 1]
    found = seen(Problem(Graph.from_affinity(W), labels, 2), np.zeros((14, 2)))
    assert found.labels[:8].tolist() == [0] * 4 + [1] * 4
    assert np.isfinite(found.scores).all()


def test_the_candidates_are_told_and_one_is_chosen():
    graph, truth = clusters([50, 50])
    result = run(Problem(graph, first_labels(truth, 1), 2)).result
    assert [c.name for c in result.candidates] == ["start", "communities", "coarse", "descent"]
    assert [c.name for c in result.candidates if c.chosen] == ["descent"]
    assert run(Problem(graph, first_labels(truth, 1), 2), Recipe(coarse=False)).result.candidates == ()


def test_one_thread_or_two_give_the_same_labels():
    graph, truth = clusters([80, 50, 30], spread=2.5)
    problem = Problem(graph, first_labels(truth, 1), 3)
    np.testing.assert_array_equal(*(run(problem, n_jobs=n).result.labels for n in (1, 2)))


def elsewhere(problem):
    """An engine that seems to compute on another device."""
    engine = find_backend("cpu").engine(problem.graph)
    engine.xp = SimpleNamespace()
    return engine


def test_communities_are_found_on_the_host_while_another_device_computes(monkeypatch):
    graph, truth = clusters([60, 60, 60])
    problem = Problem(graph, first_labels(truth, 2), 3)
    engine, began, let_go, level = elsewhere(problem), threading.Event(), threading.Event(), Aggregates.level

    def waits(ground, *which):
        began.set()
        assert let_go.wait(10)
        return level(ground, *which)

    monkeypatch.setattr(Aggregates, "level", waits)
    with communities_in_background(problem, engine):
        assert began.wait(10)
        let_go.set()
    monkeypatch.setattr(Aggregates, "_found", None)  # nothing is left to find
    levels = levels_for(problem.labels, aggregates_of(engine), ThreadPool(1))
    assert [len(community) for community, _ in levels] == 6 * [180]


def test_the_engine_is_asked_before_and_the_host_joins_aggregates_meanwhile(monkeypatch):
    graph, truth = clusters([60, 60])
    problem = Problem(graph, first_labels(truth, 2), 2)
    engine, threads = elsewhere(problem), {}

    def watched(place, name):
        plain = getattr(place, name)

        def called(*arguments):
            threads.setdefault(name, []).append(threading.current_thread() is threading.main_thread())
            return plain(*arguments)

        monkeypatch.setattr(place, name, called)

    for place, name in ((engine, "heaviest"), (engine, "condensed"), (communities, "joined_until")):
        watched(place, name)
    for _ in range(2):  # the second time nothing is left to do
        with communities_in_background(problem, engine):
            pass
    assert threads == {"heaviest": [True], "condensed": [True], "joined_until": [False]}
    assert aggregation_begun(engine) == []


def test_an_error_beside_the_start_is_told(monkeypatch):
    graph, truth = clusters([60, 60])
    problem = Problem(graph, first_labels(truth, 2), 2)

    def fails(ground, *which):
        raise ArithmeticError("beside")

    monkeypatch.setattr(Aggregates, "level", fails)
    with (
        pytest.raises(ArithmeticError, match="beside"),
        communities_in_background(problem, elsewhere(problem)),
    ):
        pass
    with communities_in_background(problem, find_backend("cpu").engine(graph)):
        pass  # on the host nothing is done beside


def test_pressure_follows_given_sizes_and_is_full_for_a_class_without_a_label():
    for label_weights, expected in ((np.eye(2), [0.125, 0.5]), (np.diag([1.0, 0.0]), [0.625, 2.5])):
        graph = coarse(np.ones((2, 2)) - np.eye(2), label_weights)
        search = CoarseSearch(graph, [graph], np.eye(2), np.ones(2, dtype=bool), ThreadPool(2))
        np.testing.assert_allclose(lowest_energy(search, np.array([0.8, 0.2]))[2], expected)


CLASS_OF_CLUSTER = np.array([0, 0, 1, 0, 0, 1, 0, 0])


def two_classes_of_many_clusters(labels_of_cluster):
    """Eight clusters, of which two are of class 1, and so many labels in each cluster."""
    graph, cluster = clusters([60] * len(CLASS_OF_CLUSTER))
    truth = CLASS_OF_CLUSTER[cluster]
    labels = np.full(len(truth), -1)
    for number, count in enumerate(labels_of_cluster):
        chosen = np.flatnonzero(cluster == number)[:count]
        labels[chosen] = truth[chosen]
    return graph, labels, truth


def test_clusters_far_apart_take_the_class_of_the_labels_in_them(backend):
    graph, labels, truth = two_classes_of_many_clusters([2] * 8)
    placed = backend.place(graph)
    problem = Problem(placed, backend.asarray(labels), 2)
    shares, groups = claimed_shares(problem, backend.engine(placed))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares[groups].argmax(axis=1) == truth).mean() > 0.99


@pytest.mark.parametrize("labels_of_cluster", [[1, 0, 1, 0, 0, 0, 1, 1], [1, 1, 3, 1, 1, 3, 1, 1]])
def test_too_few_labels_or_equally_many_per_class_claim_nothing(labels_of_cluster):
    graph, labels, _ = two_classes_of_many_clusters(labels_of_cluster)
    assert claimed_shares(Problem(graph, labels, 2), find_backend("cpu").engine(graph)) is None


def test_a_fit_of_classes_of_several_clusters_is_right():
    graph, labels, truth = two_classes_of_many_clusters([2] * 8)
    found = fit(find_backend("cpu"), Problem(graph, labels, 2), Recipe(), Run(), np.random.default_rng(0))
    assert (found.result.labels == truth).mean() > 0.99
    assert found.result.status in (Status.SETTLED, Status.COMMUNITIES_KEPT, Status.HELD_BACK)
