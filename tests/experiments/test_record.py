"""Runs, and lines made of them."""

import pytest

from graphwell.experiments.record import Counter, Run, best_run, error_line, of_line, written


def test_the_best_run_is_the_first_with_the_smallest_error():
    runs = [Run("a", seed, 0, 0, error, 0.1, 1) for seed, error in enumerate([0.3, 0.1, 0.1])]
    assert best_run([*runs, Run("b", 9, 0, 0, 0.0, 0.1, 1)], "a").seed == 1
    assert error_line("a", "", runs).best == pytest.approx(10.0)


def test_runs_belong_to_lines():
    runs = [Run(name, 0, 0, 0, 0.1, 0.1, 1) for name in ("a", "b", "a")]
    assert len(of_line(runs, "a")) == 2


def test_per_cent_have_two_digits():
    assert (written(2.3456, "%"), written(12.0, "%")) == ("2.35", "12.00")


def test_a_counter_tells_its_share():
    told = []
    counter = Counter("moons", 4, lambda *args: told.append(args))
    for _ in range(4):
        counter()
    assert told[-1] == ("moons", 1.0)
    assert [share for _, share in told if share is not None] == [0.25, 0.5, 0.75, 1.0]
