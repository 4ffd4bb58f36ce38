"""Every experiment in a reduced form, within its tolerances."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sklearn.datasets import load_digits

from graphwell import datasets
from graphwell.datasets.made import GREY_LEVELS, make_grey_image
from graphwell.experiments.image import image, label_order, segment_by_phases, towards_wells
from graphwell.experiments.mnist import mnist, quoted_mnist
from graphwell.experiments.moons import (
    quoted_moons,
    robustness,
    spectral_readings,
    three_moons,
    two_moons,
)
from graphwell.experiments.paper import expected


def line(section, name):
    return next(line for line in section.lines if line.key == f"{section.name}.{name}")


def complaints(section):
    """What is outside its tolerance; seconds are left out, since a busy machine needs more of them."""
    return [line.complaint for line in section.lines if line.unit != "s" and not line.ok]


def check_names(section):
    """Every line is there in its order, and every run belongs to the section."""
    prefix = f"{section.name}."
    names = expected()["lines"][section.name]
    assert [line.key for line in section.lines] == [prefix + name for name in names]
    assert section.setting
    assert section.remarks
    for run in section.runs:
        assert run.line.startswith(prefix)
        assert 0 <= run.error <= 1
        assert run.seconds >= 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("experiment", "reduced"),
    [
        (three_moons, {"runs": 24, "data_sets": 6}),
        (two_moons, {"runs": 4, "data_sets": 2}),
        (spectral_readings, {"runs": 4, "data_sets": 1}),
        (robustness, {"runs": 2}),
    ],
)
def test_an_experiment_has_its_lines_within_their_tolerances(experiment, reduced):
    section = experiment(**reduced)
    check_names(section)
    assert complaints(section) == []
    if experiment is three_moons:
        means = [line(section, name).mean for name in ("annealed", "fixed", "literal-fixed")]
        assert means == sorted(means)
        assert {run.sweeps for run in section.of_line("annealed")} == {29 * 40}


@pytest.mark.slow
def test_quoted_figures_of_two_moons():
    section = quoted_moons(runs=2, n_per_class=300)
    check_names(section)
    assert min(line(section, "binary").values) < 8


def test_equal_seeds_give_equal_errors():
    def errors(seed):
        section = three_moons(runs=2, seed=seed, data_sets=1, n_per_class=100, per_class=5)
        return [run.error for run in section.runs]

    assert errors(0) == errors(0) != errors(5)


@pytest.mark.slow
def test_the_numbers_of_the_classes_matter_to_the_standard_model_only():
    section = label_order(runs=2, n_per_class=500, side=40)
    check_names(section)
    assert [each for each in complaints(section) if "standard-figure" not in each] == []
    assert line(section, "multiclass-moons").values == (0.0, 0.0)
    assert line(section, "multiclass-figure").values == (0.0,)
    by_draw = np.reshape(line(section, "multiclass").values, (2, 6))
    assert (by_draw == by_draw[:, :1]).all()
    assert min(line(section, "standard-moons").values) > 300
    assert line(section, "standard-figure").mean > 0


@pytest.mark.slow
def test_the_picture_is_perfect_from_a_good_start_only():
    section = image(runs=2, height=96, width=98, n_labels=376)
    check_names(section)
    elsewhere = ("image.noise", "image.random")  # they count pixels of a larger picture
    assert [each for each in complaints(section) if not each.startswith(elsewhere)] == []
    assert line(section, "nearest").values == line(section, "diffusion").values == (0.0, 0.0)
    noisy = [line(section, f"noise-{noise}-nearest").mean for noise in ("05", "10", "15")]
    assert 0 < noisy[0] < noisy[1] < noisy[2]


def test_phases_smooth_noise_away():
    picture, truth = make_grey_image(96, 98)
    assert (segment_by_phases(picture, GREY_LEVELS) == truth).all()
    noisy, truth = make_grey_image(96, 98, noise=0.1, random_state=0)
    nearest = np.abs(noisy[..., None] - np.array(GREY_LEVELS)).argmin(axis=-1)
    assert (segment_by_phases(noisy, GREY_LEVELS) != truth).mean() < 0.8 * (nearest != truth).mean()


def test_the_well_is_followed_exactly():
    start = np.array([0.1, 0.45, 0.6, 1.9, -0.3])

    def slope(_, u):
        side = 2 * (u - np.floor(u)) - 1
        return side * (1 - side**2) / 2

    exact = solve_ivp(slope, (0, 0.7), start, rtol=1e-10, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(towards_wells(start, 0.7), exact, atol=1e-7)


@pytest.mark.slow
def test_digits_in_place_of_mnist():
    pixels, truth = load_digits(return_X_y=True)
    section = mnist((pixels * 15).astype(np.uint8), truth, runs=4)
    check_names(section)
    assert line(section, "error").mean < 4
    assert line(section, "unlabelled").mean > line(section, "error").mean
    ours, published = section.tables
    counts = np.array([row[1:] for row in ours.rows])
    np.testing.assert_array_equal(counts.sum(axis=0), np.bincount(truth))
    assert 1 - counts.trace() / len(truth) == pytest.approx(min(line(section, "error").values) / 100)
    assert published.rows[9][5] == 348
    section = quoted_mnist(pixels, truth, n_components=30)
    check_names(section)
    assert line(section, "ours").mean < 10
    assert line(section, "cheeger").mean < 20
    assert line(section, "adapted").mean < 10


@pytest.mark.slow
def test_the_mnist_line_of_the_paper(shared_data):
    section = mnist(*datasets.load_mnist(shared_data), runs=1)
    assert complaints(section) == []
    assert line(section, "error").mean <= 2.3
