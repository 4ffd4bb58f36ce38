"""How epsilon falls."""

import pytest

from graphwell import Annealed, Fixed
from graphwell.solve.schedule import Schedule


def test_the_papers_schedules_have_the_papers_lengths():
    moons, mnist = list(Annealed(2.0, 0.1)), list(Annealed(2.0, 0.01, ratio=0.9, sweeps=40))
    assert len(moons) == 29
    assert len(mnist) == 51
    assert sum(sweeps for _, sweeps in mnist) == 2040
    assert sum(sweeps for _, sweeps in Fixed(1.0, sweeps=800)) == 800
    assert moons[0] == (2.0, 40)
    assert moons[-1][0] >= 0.1 > moons[-1][0] * 0.9


def test_a_schedule_of_one_value_has_one_step():
    assert list(Annealed(1.0, 1.0, sweeps=3)) == [(1.0, 3)]


def test_any_iterable_of_steps_is_a_schedule():
    assert isinstance([(1.0, 40)], Schedule)
    assert not isinstance(7, Schedule)


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
