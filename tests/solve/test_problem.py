"""What a descent is given: the problem, the schedule of epsilon, and the sizes of classes."""

from dataclasses import replace

import numpy as np
import pytest

from graphwell import Annealed, Fixed
from graphwell.backends import find_backend
from graphwell.backends.base import Engine
from graphwell.solve.problem import Problem, of_present_classes
from graphwell.solve.sizes import best_classes, estimated_shares, refuted, settled_sizes, within_bounds
from tests.helpers import chain


@pytest.mark.parametrize("fidelity", [0.0, float("nan"), -1.0])
def test_a_fidelity_that_is_not_positive_is_refused(fidelity):
    with pytest.raises(ValueError, match="fidelity must be positive"):
        Problem(chain(1.0), np.array([0, 1]), 2, fidelity=fidelity)


def test_classes_that_can_get_no_row_are_left_out():
    problem = Problem(chain(1.0, 1.0), np.array([2, -1, 0]), 4)
    narrow, present = of_present_classes(problem, find_backend())
    assert narrow.labels.tolist() == [1, -1, 0]
    assert (narrow.n_classes, present.tolist()) == (2, [0, 2])
    sized = replace(problem, class_shares=np.array([0.5, 0.0, 0.2, 0.3]))
    narrow, present = of_present_classes(sized, find_backend())
    assert narrow.class_shares.tolist() == [0.5, 0.2, 0.3]
    assert present.tolist() == [0, 2, 3]
    bounded = replace(problem, size_bounds=np.array([[0, 0.1, 0, 0], [1.0, 1, 1, 1]]))
    narrow, present = of_present_classes(bounded, find_backend())
    assert narrow.size_bounds.tolist() == [[0, 0.1, 0], [1, 1, 1]]
    assert present.tolist() == [0, 1, 2]
    everything = replace(problem, labels=np.array([0, 1, 2]), n_classes=3)
    assert of_present_classes(everything, find_backend())[0] is everything


def test_the_papers_schedules_have_the_papers_lengths():
    moons, mnist = list(Annealed(2.0, 0.1)), list(Annealed(2.0, 0.01, ratio=0.9, sweeps=40))
    assert len(moons) == 29
    assert len(mnist) == 51
    assert sum(sweeps for _, sweeps in mnist) == 2040
    assert sum(sweeps for _, sweeps in Fixed(1.0, sweeps=800)) == 800
    assert moons[0] == (2.0, 40)
    assert moons[-1][0] >= 0.1 > moons[-1][0] * 0.9


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Fixed(0.0), "epsilon is an epsilon and must be positive"),
        (lambda: Fixed(-1.0), "must be positive"),
        (lambda: Fixed(float("nan")), "must be positive"),
        (lambda: Fixed(1.0, sweeps=0), "sweeps must be a positive integer"),
        (lambda: Annealed(2.0, 0.0), "stop is an epsilon and must be positive"),
        (lambda: Annealed(0.1, 2.0), "stop must not be above start"),
        (lambda: Annealed(2.0, 0.1, ratio=1.0), "ratio must lie between 0 and 1"),
    ],
)
def test_bad_settings_get_one_clear_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_prices_bring_classes_to_the_sizes_asked_for():
    rng = np.random.default_rng(4)
    scores = rng.dirichlet([3, 2, 1], size=2000)
    for sizes in ([1000, 700, 300], [200, 800, 1000]):
        labels = best_classes(Engine(), scores, np.array(sizes) / 2000, np.ones(2000, dtype=bool))
        found = np.bincount(labels, minlength=3)
        np.testing.assert_allclose(found, sizes, atol=15)


def test_bounds_that_hold_change_nothing_and_others_are_kept():
    coarse, counts = np.array([0.5, 0.3, 0.2]), np.array([1, 1, 1])
    lower, upper = np.array([0.1, 0.1, 0.1]), np.array([0.9, 0.9, 0.9])
    assert settled_sizes(counts, coarse, np.stack([lower, upper])) is None
    moved = within_bounds(coarse, np.array([0.0, 0.0, 0.35]), np.array([0.4, 1.0, 1.0]))
    assert moved.sum() == pytest.approx(1)
    assert moved[0] <= 0.4 + 1e-9
    assert moved[2] >= 0.35 - 1e-9


def test_equal_counts_tell_nothing_about_sizes():
    coarse = np.array([0.9, 0.1])
    np.testing.assert_array_equal(estimated_shares(np.array([5, 5]), coarse), coarse)
    assert estimated_shares(np.array([2, 60]), coarse)[1] > 0.8


def test_a_class_that_was_drawn_refutes_a_share_of_nothing_unless_labels_were_chosen():
    nothing = np.array([1.0, 0.0])
    assert refuted(nothing, np.array([3, 1]))
    assert not refuted(nothing, np.array([1, 1]))
    assert not refuted(np.array([0.75, 0.25]), np.array([30, 10]))
    assert refuted(np.array([0.75, 0.25]), np.array([10, 30]))
