"""The quoted figures in a reduced form."""

import pytest

from graphwell.experiments.company import ON_DIGITS, quoted_mnist, quoted_moons
from graphwell.experiments.expected import expectations
from tests.experiments.sections import line

pytestmark = pytest.mark.slow


def test_the_figures_are_those_of_the_paper():
    published = {key: entry.paper for key, entry in expectations().items() if key.startswith("quoted")}
    assert published == {
        "quoted-moons.p-laplacian": 6.0,
        "quoted-moons.cheeger": 4.6,
        "quoted-moons.binary": 2.3,
        "quoted-moons.ours": None,
        "quoted-mnist.p-laplacian": 12.9,
        "quoted-mnist.cheeger": 11.8,
        "quoted-mnist.one-cut": 12.36,
        "quoted-mnist.ours": None,
        "quoted-mnist.adapted": 7.4,
    }


def test_moons_are_clustered_in_every_draw():
    section = quoted_moons(runs=2, n_per_class=300)
    assert len(section.runs) == 8
    assert {each.key for each in section.lines} == {
        k for k in expectations() if k.startswith("quoted-moons.")
    }
    assert line(section, "binary").best < 8
    assert "medians" in section.remarks[0]


def test_digits_are_clustered_and_labelled():
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    section = quoted_mnist(X, truth, n_components=30)
    assert [run.line.partition(".")[2] for run in section.runs] == [*ON_DIGITS, "adapted"]
    assert all(run.seconds > 0 for run in section.runs)
    assert line(section, "ours").mean < 10
    assert line(section, "cheeger").mean < 20
    assert line(section, "adapted").mean < 10
