"""The program of a worker, run by threads that send each other messages: the results of one machine."""

import re
import threading
from itertools import permutations

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends.base import Rows
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.dask.backend import BlockBackend
from graphwell.backends.dask.communicator import Communicator, DivergedError, WorkerLostError
from graphwell.backends.dask.search import FewerWorkersError
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Balance, Problem
from tests.backends.dask.cases import Worker, rows_and_labels
from tests.helpers import random_graph, start_of


class Thread(Communicator):
    """A worker that is a thread of this process."""

    def __init__(self, rank, size, letters, changed):
        super().__init__(rank, size)
        self.all_letters, self.changed = letters, changed

    def send(self, rank, number, letter):
        with self.changed:
            self.all_letters[rank][self.rank, number] = letter
            self.changed.notify_all()

    def wait(self, arrived):
        with self.changed:
            while not arrived(self.all_letters[self.rank]):
                if None in self.all_letters:
                    raise WorkerLostError("another one failed")
                self.changed.wait(0.5)


def ends(size, program):
    """What a program returns on so many workers, and the errors that end it."""
    letters, changed, found, errors = [{} for _ in range(size)], threading.Condition(), [None] * size, []

    def work(rank):
        comm = Thread(rank, size, letters, changed)
        try:
            found[rank] = program(comm)
            comm.gather(None, "end")
        except Exception as error:
            errors.append(error)
            with changed:
                letters.append(None)
                changed.notify_all()

    threads = [threading.Thread(target=work, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return found, errors


def together(size, program):
    """What a program returns on so many workers."""
    found, errors = ends(size, program)
    if errors:
        raise min(errors, key=lambda error: isinstance(error, WorkerLostError))
    return found


def halo_of(one, two):
    """An exchange between two workers that need rows of each other."""
    links = {one: [two], two: [one]}
    return lambda comm: comm.exchange(dict.fromkeys(links.get(comm.rank, []), 1), links.get(comm.rank, []))


VERBS = {
    "gather": lambda comm: comm.gather(1),
    "broadcast": lambda comm: comm.broadcast(1),
    "sum": lambda comm: comm.allreduce(np.ones(3)),
    "wider sum": lambda comm: comm.allreduce(np.ones(4)),
    "halo": halo_of(0, 1),
    "another halo": halo_of(1, 2),
    "nothing": lambda comm: None,
}


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("other", [0, 1, 2])
def test_workers_that_take_different_ways_are_told_and_wait_for_nobody(other, at_the_end):
    for verb, instead in permutations(VERBS, 2):

        def program(comm, verb=verb, instead=instead):
            comm.gather(0)
            VERBS[instead if comm.rank == other else verb](comm)
            for _ in range(0 if at_the_end else 3):
                VERBS["halo"](comm)
                comm.allreduce(1)

        _, errors = ends(3, program)
        told = {str(error) for error in errors if isinstance(error, DivergedError)}
        assert len(errors) == 3
        assert told
        assert all(isinstance(error, DivergedError | WorkerLostError) for error in errors)
        for sentence in told:
            assert re.fullmatch(
                r"The workers of the fit took different ways: worker \d called .* as its verb \d, worker \d "
                r"called .* as its verb \d\. They must have processors of one kind and the same versions of "
                r"all packages\.",
                sentence,
            )


def case(n_classes=3, n=240, density=0.03, seed=0):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, density)
    return graph, np.where(rng.random(n) < 0.1, rng.integers(n_classes, size=n), -1), rng


def on(size, graph, verb):
    """What a verb says on each of so many workers that share a graph; the same on all of them."""

    def program(comm):
        backend = Worker(comm)
        placed = backend.place(graph)
        return verb(placed, backend.engine(placed))

    found = together(size, program)
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)
    return found[0]


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("beyond_the_paper", [False, True])
def test_sweeps_have_the_bits_of_one_machine(size, beyond_the_paper):
    graph, labels, rng = case()
    balance = Balance(3.0, rng.dirichlet(np.ones(3))) if beyond_the_paper else None
    options = {"balance": balance, "implicit": beyond_the_paper, "n_classes": 3}
    state = start_of(Problem(graph, labels, **options), rng)
    expected = NumbaEngine(graph).sweep(Problem(graph, labels, **options), state, 1.1, 0.3, 6)

    def sweep(placed, engine):
        found = engine.sweep(Problem(placed, engine.asarray(labels), **options), state, 1.1, 0.3, 6)
        host = engine.to_host
        return (
            host(found.state.labels),
            host(found.state.offsets),
            float(found.energy),
            int(found.label_changes),
        )

    found = on(size, graph, sweep)
    np.testing.assert_array_equal(found[0], expected.state.labels)
    np.testing.assert_array_equal(found[1], expected.state.offsets)
    assert found[2] == pytest.approx(float(expected.energy), rel=1e-9)
    assert found[3] == int(expected.label_changes) > 0


@pytest.mark.parametrize("exact", [True, False])
def test_a_fit_has_the_same_bits_on_any_number_of_workers(monkeypatch, exact):
    """So a fit that starts again on those that are left ends as if none had been lost."""
    monkeypatch.setattr("graphwell.backends.dask.search.EXACT_UP_TO", 10_000 if exact else 100)
    X, y, _ = rows_and_labels()
    X = np.vstack([X, X[:30] + 100])
    y = np.append(y, np.full(30, -1))

    def fit_of(size):
        first_rows = np.arange(size + 1) * len(X) // size

        def program(comm):
            backend = BlockBackend(comm, first_rows)
            rows = Rows(None, [X[first_rows[comm.rank] : first_rows[comm.rank + 1]]], *X.shape)
            graph = backend.build_graph(rows, 8, 8, "euclidean", lambda *_: None).bridged(y >= 0)
            found = fit(backend, Problem(graph, y, 3), Recipe(), rng=np.random.default_rng(0))
            result = found.result
            return np.asarray(result.labels), np.asarray(result.offsets), graph.joined(found.scores)

        return together(size, program)[0]

    for one, other in zip(fit_of(1) * 2, fit_of(2) + fit_of(5), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_heaviest_neighbour_may_have_the_number_that_a_row_has_on_its_worker():
    graph = Graph.from_affinity(np.eye(12, k=4) + np.eye(12, k=-4))
    (heaviest,) = on(3, graph, lambda placed, engine: (engine.heaviest(),))
    np.testing.assert_array_equal(heaviest, NumbaEngine(graph).heaviest())


@pytest.mark.parametrize("density", [0.0, 0.004, 0.02, 0.2])
def test_the_graph_is_that_of_one_machine(density):
    graph = random_graph(np.random.default_rng(1), 120, density)
    groups = np.random.default_rng(2).integers(5, size=120)

    def look(placed, engine):
        sharp = placed.sharpened(2.0)
        return (
            np.asarray(placed.components), placed.n_components, np.asarray(sharp.degrees), engine.heaviest(),
            engine.condensed(groups, 5).toarray(), engine.affinities_of(np.array([3, 60, 119])).toarray(),
        )  # fmt: skip

    components, count, degrees, heaviest, condensed, rows = on(3, graph, look)
    assert count == graph.n_components == len(set(zip(components, graph.components, strict=True)))
    np.testing.assert_array_equal(degrees, graph.sharpened(2.0).degrees)
    one = NumbaEngine(graph)
    np.testing.assert_array_equal(heaviest, one.heaviest())
    np.testing.assert_array_equal(condensed, one.condensed(groups, 5).toarray())
    np.testing.assert_array_equal(rows, graph.W[[3, 60, 119]].toarray())


def built(X, size, known=None, metric="euclidean", counts=(6, 8)):
    """The rows of the graph that so many workers build, each from its share of the rows; and the recall."""
    first_rows = np.arange(size + 1) * len(X) // size

    def program(comm):
        backend = BlockBackend(comm, first_rows)
        own = X[first_rows[comm.rank] : first_rows[comm.rank + 1]]
        rows = Rows(None, [own] if len(own) else [], *X.shape)
        graph = backend.build_graph(rows, *counts, metric, lambda *_: None)
        graph = graph if known is None else graph.bridged(known)
        return graph.vertices, graph.rows(graph.sharp).toarray(), graph.recall_, graph.bridges

    found = together(size, program)
    order = np.argsort(np.concatenate([vertices for vertices, *_ in found]))
    return np.concatenate([rows for _, rows, *_ in found])[order], found[0][2], found[0][3]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_features_give_the_graph_of_one_machine(monkeypatch, metric):
    monkeypatch.setattr("graphwell.backends.dask.search.ROWS_AT_ONCE", 90)
    X = np.random.default_rng(0).normal(size=(700, 10))
    X[5:9] = X[4]  # duplicates have no scale of their own
    X[-1] += 1e4  # a far-away point keeps its neighbours
    one = Graph.from_features(X, 6, 8, metric)
    for size in (1, 2, 5):
        np.testing.assert_array_equal(built(X, size, metric=metric)[0], one.W.toarray())


def test_an_approximate_search_says_what_it_found(monkeypatch):
    monkeypatch.setattr("graphwell.backends.dask.search.EXACT_UP_TO", 100)
    X = np.random.default_rng(0).normal(size=(3000, 12))
    rows, recall, _ = built(X, 3)
    assert 0.99 < recall <= 1.0
    expected = Graph.from_features(X, 6, 8, exact=True).degrees
    assert np.abs(rows.sum(axis=1) - expected).mean() < 0.02


def test_bridges_are_those_of_one_machine():
    X, _, _ = rows_and_labels()
    X = np.vstack([X, X[:30] + 100, X[30:60] + 130, X[100:400] - 200])
    known = np.arange(len(X)) < 20
    one = Graph.from_features(X).bridged(known)
    rows, _, bridges = built(X, 3, known, counts=(10, 10))
    np.testing.assert_array_equal(rows, one.W.toarray())
    for name in ("near", "far", "weights", "rows"):
        np.testing.assert_array_equal(getattr(bridges, name), getattr(one.bridges, name))


def test_more_workers_than_there_are_different_rows_are_told():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    with pytest.raises(FewerWorkersError):
        built(X, 4)
