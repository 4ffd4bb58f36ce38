"""Moons in a reduced form: few runs, and their tolerance."""

import pytest

from graphwell.experiments.moons import three_moons, two_moons
from tests.experiments.sections import check_section, line

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def section():
    return three_moons(runs=8, data_sets=2)


def test_three_moons(section):
    check_section(section, "three-moons")


def test_two_moons():
    check_section(two_moons(runs=4, data_sets=2), "two-moons")


def test_three_moons_are_run_over_all_pairs_of_data_and_labels(section):
    runs = [run for run in section.runs if run.line == "three-moons.annealed"]
    assert sorted((run.data_set, run.label_set) for run in runs) == [(d, s) for d in (0, 1) for s in range(4)]
    assert {run.seed for run in runs} == set(range(8))
    assert {run.sweeps for run in runs} == {29 * 40}
    assert line(section, "annealed").mean < line(section, "fixed").mean < line(section, "literal-fixed").mean


def test_equal_seeds_give_equal_errors():
    first, second = (three_moons(runs=2, data_sets=1, n_per_class=100, per_class=5) for _ in range(2))
    assert [run.error for run in first.runs] == [run.error for run in second.runs]
    other = three_moons(runs=2, seed=5, data_sets=1, n_per_class=100, per_class=5)
    assert [run.error for run in other.runs] != [run.error for run in first.runs]
