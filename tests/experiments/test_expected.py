"""Lines are judged by what is expected of them."""

import pytest

from graphwell.experiments.expected import Expected, Judged, expectations, judge, paper_confusion
from graphwell.experiments.record import Line


def judged(values, **expected):
    return Judged(Line("a.b", "a line", "%", tuple(values)), Expected(**expected))


@pytest.mark.parametrize(("mean", "ok"), [(2.4, False), (2.5, True), (3.0, True), (3.5, True), (3.6, False)])
def test_a_result_must_lie_within_its_tolerance_on_either_side(mean, ok):
    assert judged([mean] * 20, value=3.0, tolerance=0.5).ok is ok


def test_fewer_runs_are_given_more_room_and_an_exact_line_none():
    assert not judged([3.8] * 20, value=3.0, tolerance=0.5).ok
    assert judged([3.8] * 5, value=3.0, tolerance=0.5).ok
    assert judged([3.8] * 5, value=3.0, tolerance=0.5).tolerance == 1.0
    assert judged([3.4] * 100, value=3.0, tolerance=0.5).tolerance == 0.5
    assert not judged([0.0, 0.01], value=0.0, tolerance=0.0).ok


def test_a_limit_has_one_side():
    assert judged([0.1], at_most=1.5).ok
    assert not judged([1.6], at_most=1.5).ok
    assert "should be at most 1.50 %" in judged([1.6], at_most=1.5).complaint


def test_the_paper_stands_beside_the_result():
    line = judged([2.0, 3.0], paper=2.6, paper_spread=0.3, paper_best=2.13, value=2.4, tolerance=0.6)
    assert line.paper == "2.6 ± 0.3 % (best 2.13)"
    assert line.difference == "-0.10"
    assert str(line.line) == "2.50 ± 0.50 %"
    assert judged([2.0], value=2.0, tolerance=1.0).paper == ""
    assert judged([2.0], value=2.0, tolerance=1.0).difference == ""


def test_every_entry_has_a_value_and_a_tolerance_or_a_limit():
    for key, entry in expectations().items():
        bounded = entry.value is not None and entry.tolerance is not None
        assert bounded != (entry.at_most is not None), key


def test_the_figures_of_the_paper_are_those_of_its_text():
    published = {key: entry.paper for key, entry in expectations().items()}
    assert published["three-moons.spectral"] == 20.0
    assert published["three-moons.fixed"] == 5.2
    assert published["three-moons.annealed"] == 2.6
    assert published["three-moons.seconds"] == 1.53
    assert published["image.random"] == 0.0
    assert published["image.seconds"] == 59.7
    assert published["mnist.error"] == 7.0
    assert published["mnist.seconds"] == 132.0
    matrix = paper_confusion()
    assert matrix.sum() == 70_000
    assert 1 - matrix.trace() / 70_000 == pytest.approx(0.0686, abs=1e-4)
    assert matrix.sum(axis=0).tolist() == [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]


def test_a_line_without_an_entry_is_refused():
    with pytest.raises(KeyError):
        judge(Line("nonsense.line", "", "%", (1.0,)))
