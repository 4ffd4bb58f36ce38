"""Methods as the experiments run them."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import graphwell as gw
from graphwell.experiments.methods import (
    FIXED,
    Case,
    as_in_the_paper,
    in_unit_interval,
    on_one_thread,
    random_labels,
    run_binary,
    run_literal,
    run_paper,
    run_spectral,
    share_of,
)


@pytest.fixture(scope="module")
def case():
    X, truth = gw.datasets.make_two_moons(n_per_class=100, random_state=0)
    given = gw.datasets.sample_labels(truth, 10, random_state=0)
    return Case(gw.Graph.from_features(X), truth, given, 0, 0)


def test_every_method_records_its_error(case):
    for run, labels in (
        run_paper("a.paper", case, FIXED, 0),
        run_literal("a.literal", case, FIXED, 0),
        run_binary("a.binary", case),
        run_spectral("a.spectral", case, 0),
    ):
        assert run.line.startswith("a.")
        assert labels.shape == case.truth.shape
        assert 0 <= run.error < 0.5
    assert run_paper("a.paper", case, FIXED, 0)[0].error == share_of(
        run_paper("", case, FIXED, 0)[1], case.truth
    )


def test_the_papers_classifier_starts_at_random():
    clf = as_in_the_paper(FIXED, seed=4)
    assert (clf.start, clf.step_size, clf.random_state) == ("random", 0.01, 4)


def test_one_thread_is_one_thread():
    counts = on_one_thread(lambda: [pool["num_threads"] for pool in threadpool_info()])()
    assert set(counts) <= {1}


def test_places_lie_in_the_unit_interval():
    assert in_unit_interval(5).tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_random_labels_are_drawn_from_all_points_alike():
    truth = np.repeat([0, 1], [900, 100])
    given = random_labels(truth, 200, seed=0)
    assert (given >= 0).sum() == 200
    assert (given[given >= 0] == truth[given >= 0]).all()
    assert 5 < (given == 1).sum() < 40
