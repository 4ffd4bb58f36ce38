"""Where the descent starts."""

import numpy as np
import pytest
from hypothesis import given, settings

import graphwell as gw
from graphwell.solve.problem import Problem
from graphwell.solve.reference import ReferenceEngine
from graphwell.solve.start import STARTS, Start, decidedness, from_labels, labels_of, start
from tests.helpers import assert_nearest, blobs, chain, few, problems, random_graph, start_of


def test_starts_put_labelled_vertices_at_their_label():
    rng = np.random.default_rng(0)
    problem = Problem(random_graph(rng, 50, 0.1), np.where(np.arange(50) % 5 == 0, 2, -1), 3)
    for rule in STARTS.values():
        state = rule.find(problem, ReferenceEngine(problem.graph), rng).state
        assert (state.labels[::5] == 2).all()
        assert (state.offsets[::5] == 0).all()
        assert ((state.offsets >= -0.5) & (state.offsets < 0.5)).all()


def test_the_random_start_is_even_over_the_classes():
    problem = Problem(chain(*np.ones(2999)), np.full(3000, -1), 3)
    states = [start_of(problem, np.random.default_rng(seed)) for seed in range(10)]
    shares = np.bincount(np.concatenate([state.labels for state in states]), minlength=3) / 30_000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.02)
    assert abs(np.mean([state.offsets.mean() for state in states])) < 0.01


@settings(max_examples=25, deadline=None)
@given(problems(max_vertices=20))
def test_the_nearest_start_matches_all_shortest_paths(case):
    problem, rng = case
    if not problem.is_known.any():
        return
    engine = ReferenceEngine(problem.graph)
    assert_nearest(problem, engine.nearest(problem.labels))
    state = STARTS["nearest"].find(problem, engine, rng).state
    assert_nearest(problem, np.where(problem.reachable, state.labels, -1))


def test_a_start_from_labels_never_lies_on_the_integers():
    problem = Problem(chain(1.0, 1.0, 1.0), np.array([0, -1, -1, -1]), 2)
    engine = ReferenceEngine(problem.graph)
    state = from_labels(problem, engine, np.array([0, 1, 1, -1]), np.random.default_rng(0))
    assert np.abs(state.offsets).tolist() == [0.0, 0.3, 0.3, 0.3]
    assert state.labels[:3].tolist() == [0, 1, 1]


def test_auto_takes_the_more_decided_scores():
    rng = np.random.default_rng(0)
    problem = Problem(random_graph(rng, 40, 0.2), np.where(np.arange(40) < 4, np.arange(40) % 2, -1), 2)
    engine = ReferenceEngine(problem.graph)
    auto, diffusion = (STARTS[name].find(problem, engine, rng).scores for name in ("auto", "diffusion"))
    assert decidedness(engine, auto) >= decidedness(engine, diffusion)


def test_labels_without_a_way_to_a_label_are_unknown():
    problem = Problem(gw.Graph.from_affinity(np.zeros((3, 3))), np.array([1, -1, -1]), 2)
    engine = ReferenceEngine(problem.graph)
    scores = STARTS["diffusion"].find(problem, engine, np.random.default_rng(0)).scores
    assert labels_of(problem, engine, scores).tolist() == [1, -1, -1]


@pytest.fixture
def toy_start():
    @start("last", "every vertex starts at the last class")
    def last(problem, engine, rng):
        labels = engine.asarray(np.full(problem.graph.n_vertices, problem.n_classes - 1))
        return Start(from_labels(problem, engine, labels, rng))

    yield "last"
    del STARTS["last"]


def test_a_registered_start_is_accepted_by_the_classifier(toy_start):
    X, truth = blobs(n=20)
    schedule = gw.Fixed(1.0, sweeps=1)
    clf = gw.DiffuseInterfaceClassifier(start=toy_start, schedule=schedule, random_state=0)
    clf.fit(X, few(truth))
    unlabelled = few(truth) < 0
    assert (clf.transduction_[unlabelled] == 2).mean() > 0.9
    clf = gw.DiffuseInterfaceClassifier(start=toy_start, random_state=0).fit(X, few(truth))
    assert clf.result_.n_sweeps > 0


def test_a_start_that_was_taken_out_is_refused():
    with pytest.raises(ValueError, match="start must be one of auto, diffusion, nearest, random; got 'last'"):
        gw.DiffuseInterfaceClassifier(start="last").fit(*blobs(n=5))
    assert all(rule.summary and rule.work for rule in STARTS.values())
