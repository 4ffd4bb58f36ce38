"""The judge: which of the candidates is returned."""

from dataclasses import replace

import numpy as np
import pytest

from graphwell import Status
from graphwell.backends import State, find_backend
from graphwell.solve.fit import Recipe, fit, set_out
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run
from graphwell.solve.select import all_candidates, communities_start, verdict
from tests.helpers import clusters, first_labels


def setting_of(sizes, per_class, **options):
    graph, truth = clusters(sizes)
    problem = Problem(graph, first_labels(truth, per_class), len(sizes), **options)
    return set_out(problem, Recipe(), find_backend("cpu"), np.random.default_rng(0)), truth


def test_a_good_descent_is_accepted_and_a_swallowed_class_is_not():
    setting, truth = setting_of([80, 80], 2)
    assert verdict(setting, State(truth.astype(np.int32), np.zeros(160))) is None
    one = State(np.zeros(160, dtype=np.int32), np.zeros(160))
    assert verdict(setting, one) is Status.HELD_BACK


def test_far_more_even_classes_than_the_labels_say_give_way_to_the_communities():
    setting, truth = setting_of([400, 20], 5)
    half = State((np.arange(420) % 2).astype(np.int32), np.zeros(420))
    assert verdict(setting, half) is Status.COMMUNITIES_KEPT
    start = communities_start(setting)
    assert (start.state.labels == truth).mean() > 0.98
    chosen = [c.name for c in all_candidates(setting, half, Status.COMMUNITIES_KEPT) if c.chosen]
    assert chosen == ["communities"]


@pytest.mark.parametrize("per_class", [19, 20])
def test_many_labels_need_no_coarse_level(per_class):
    setting, _ = setting_of([80, 80], per_class)
    assert (setting.above is not None) == (per_class < 20)


def test_bounds_of_the_sizes_are_kept():
    graph, truth = clusters([80, 80], spread=3.0)
    bounds = np.array([[0.0, 0.7], [1.0, 1.0]])
    problem = Problem(graph, first_labels(truth, 1), 2, size_bounds=bounds)
    found = fit(find_backend("cpu"), problem, Recipe(), Run(), np.random.default_rng(0)).result.labels
    assert (found == 1).mean() > 0.55


def test_a_start_that_the_labels_refute_is_no_refuge():
    graph, truth = clusters([150, 50])
    labels = np.full(200, -1)
    labels[[0, 1, 2, 3, 4, 150]] = truth[[0, 1, 2, 3, 4, 150]]
    setting = set_out(Problem(graph, labels, 2), Recipe(), find_backend("cpu"), np.random.default_rng(0))
    nothing = np.zeros(200, dtype=np.int32)
    nothing[150] = 1
    start = replace(setting.start, state=State(nothing, np.zeros(200)))
    shares = np.eye(2)[nothing]
    setting = replace(setting, start=start, above=replace(setting.above, shares=shares))
    assert verdict(setting, State(truth.astype(np.int32), np.zeros(200))) is None
