"""Each experiment in a reduced form: few runs, small data, and its tolerance."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphwell import datasets
from graphwell.experiments.expected import expectations, judge
from graphwell.experiments.image import image
from graphwell.experiments.label_order import label_order
from graphwell.experiments.methods import random_labels
from graphwell.experiments.mnist import mnist
from graphwell.experiments.moons import three_moons, two_moons
from graphwell.experiments.robustness import covering, robustness
from graphwell.experiments.spectral import READINGS, spectral_readings

REDUCED = {
    "three-moons": lambda: three_moons(runs=8, data_sets=2),
    "two-moons": lambda: two_moons(runs=4, data_sets=2),
    "spectral": lambda: spectral_readings(runs=4, data_sets=1),
    "image": lambda: image(runs=2, height=96, width=98, n_labels=376),
    "label-order": lambda: label_order(runs=2, n_per_class=500, side=40),
    "robustness": lambda: robustness(runs=2, shares=(1, 4, 10)),
}
OTHER_SIZE = {"image.noise", "image.random", "label-order.standard-figure"}
"""Lines whose value is a number of pixels, and another one in a smaller picture."""


@pytest.fixture(scope="module")
def sections():
    done = {}

    def run(name):
        if name not in done:
            done[name] = REDUCED[name]()
        return done[name]

    return run


def line(section, name):
    return next(line for line in section.lines if line.key == f"{section.name}.{name}")


@pytest.mark.parametrize("name", REDUCED)
def test_a_reduced_run_lies_within_the_tolerances(sections, name):
    outside = [
        judge(line).complaint
        for line in sections(name).lines
        if not line.key.startswith(tuple(OTHER_SIZE)) and not judge(line).ok
    ]
    assert not outside


@pytest.mark.parametrize("name", REDUCED)
def test_a_section_says_everything_about_its_runs(sections, name):
    section = sections(name)
    assert section.name == name
    assert {line.key for line in section.lines} == {k for k in expectations() if k.startswith(f"{name}.")}
    assert section.setting
    assert section.remarks
    for run in section.runs:
        assert run.line.startswith(f"{name}.")
        assert 0 <= run.error <= 1
        assert run.seconds >= 0


def test_three_moons_are_run_over_all_pairs_of_data_and_labels(sections):
    section = sections("three-moons")
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


def test_only_readings_without_the_neighbourhood_come_near_the_papers_spectral_clustering(sections):
    section = sections("spectral")
    assert len(READINGS) == len(section.lines) - 1
    assert line(section, "as-printed").mean < 15 < line(section, "all").mean
    assert "20.4" in section.remarks[0]


def test_the_picture_is_perfect_from_a_good_start_only(sections):
    section = sections("image")
    assert line(section, "nearest").values == (0.0, 0.0)
    assert line(section, "diffusion").values == (0.0, 0.0)
    noisy = [line(section, f"noise-{noise}-nearest").mean for noise in ("05", "10", "15")]
    assert 0 < noisy[0] < noisy[1] < noisy[2]
    assert [picture.name for picture in section.pictures] == ["image_classes.png", "image_mistakes.png"]


def test_the_numbers_of_the_classes_matter_to_the_standard_model_only(sections):
    section = sections("label-order")
    assert line(section, "multiclass-moons").values == (0.0, 0.0)
    assert line(section, "multiclass-figure").values == (0.0,)
    by_draw = np.reshape(line(section, "multiclass").values, (2, 6))
    assert (by_draw == by_draw[:, :1]).all()
    assert min(line(section, "standard-moons").values) > 300
    assert line(section, "standard-figure").mean > 0
    assert [row[1:] for row in section.tables[0].rows] == [["1", "1"], ["1", "1"], ["4", "1"]]


def test_labels_can_be_kept_from_a_part_of_a_class():
    X, truth = datasets.make_three_moons(random_state=0)
    given = covering(X, truth, coverage=25, per_class=25, label_set=0)
    assert np.bincount(given[given >= 0]).tolist() == [25, 25, 25]
    assert (given[given >= 0] == truth[given >= 0]).all()
    lower = X[truth == 2, 0]
    assert X[given == 2, 0].max() <= np.quantile(lower, 0.26)


def test_random_labels_are_drawn_from_all_points_alike():
    truth = np.repeat([0, 1], [900, 100])
    given = random_labels(truth, 200, seed=0)
    assert (given >= 0).sum() == 200
    assert (given[given >= 0] == truth[given >= 0]).all()
    assert 5 < (given == 1).sum() < 40


def test_digits_in_place_of_mnist():
    pixels, truth = load_digits(return_X_y=True)
    section = mnist((pixels * 15).astype(np.uint8), truth, runs=4, shares=(1, 10))
    assert {line.key for line in section.lines} == {k for k in expectations() if k.startswith("mnist.")}
    assert line(section, "error").mean < 4
    assert line(section, "unlabelled").mean > line(section, "error").mean
    ours, published = section.tables[1:]
    counts = np.array([row[1:] for row in ours.rows])
    assert counts.sum() == len(truth)
    np.testing.assert_array_equal(counts.sum(axis=0), np.bincount(truth))
    assert 1 - counts.trace() / len(truth) == pytest.approx(line(section, "error").best / 100)
    assert published.rows[9][5] == 348
    assert "In the paper's: 7 and 9 (719), 4 and 9 (653)" in section.remarks[0]


def test_the_mnist_line_of_the_paper(shared_data):
    section = mnist(*datasets.load_mnist(shared_data), runs=1, shares=())
    assert not [judge(line).complaint for line in section.lines if not judge(line).ok]
    assert line(section, "error").mean <= 2.3
