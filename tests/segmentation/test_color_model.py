"""The color model, against scipy and by hand."""

import numpy as np
import pytest
from scipy import ndimage
from scipy.stats import multivariate_normal

from graphwell.backends.registry import find_pixels
from graphwell.segmentation.color_model import (
    ColorModel,
    color_weight,
    fit_mixture,
    held_out_accuracy,
    parts_of,
    strokes_of,
)
from graphwell.segmentation.features import features_of
from graphwell.segmentation.seeds import Seeds


def likelihoods(mixture, values, threads=1):
    return find_pixels("cpu", threads).log_likelihoods(values, mixture.logs, mixture.means, mixture.roots)


def test_the_density_is_that_of_scipy():
    mixture = fit_mixture(np.random.default_rng(2).random((200, 3)), 0.01)
    values = np.random.default_rng(3).random((3, 5000)).astype(np.float32)
    shares = np.exp(mixture.logs) / np.prod(np.einsum("gaa->ga", mixture.roots), axis=1)
    density = np.zeros(5000)
    for share, mean, root in zip(shares, mixture.means, mixture.roots, strict=True):
        density += share * multivariate_normal(mean, np.linalg.inv(root.T @ root)).pdf(values.T)
    expected = np.log(density) + 1.5 * np.log(2 * np.pi)  # the constant is left out
    for threads in (1, 3):
        np.testing.assert_allclose(likelihoods(mixture, values, threads), expected, atol=1e-3)


def colored(shape=(30, 40)):
    rng = np.random.default_rng(0)
    truth = np.arange(shape[1]) * 3 // shape[1] + np.zeros(shape, dtype=int)
    values = np.eye(3)[truth] + rng.normal(0, 0.1, (*shape, 3))
    return values.astype(np.float32), truth


def model_of(values):
    return ColorModel(values, features_of(values), 1.0, find_pixels("cpu", 1))


def blurred_logs(model, seeds, n_classes):
    known, classes = Seeds.of(seeds), np.arange(n_classes)
    return model.blurred(model.logs(known, classes), known, classes)


def test_colours_speak_for_the_whole_picture():
    values, truth = colored()
    seeds = np.where(np.arange(30)[:, None] < 3, truth, -1)
    found = model_of(values).logs(Seeds.of(seeds), np.arange(3))
    assert (found.argmax(axis=0) == truth).mean() > 0.95
    assert found.max() <= 0


def test_a_further_stroke_blurs_only_what_changed_and_gives_what_a_fresh_run_gives(monkeypatch):
    values, truth = colored((60, 90))
    values[:, 30:] = np.eye(3)[truth[:, 30:]]  # colours are beyond doubt here, whatever the marks are
    sizes = []
    blur = ColorModel._blur
    monkeypatch.setattr(ColorModel, "_blur", lambda self, p: sizes.append(p.size) or blur(self, p))
    seeds = np.where(np.arange(60)[:, None] < 3, truth, -1)
    model, whole = model_of(values), truth.size
    blurred_logs(model, seeds, 3)
    assert sizes == [whole] * 3
    seeds[40:43, 5:9], seeds[20, 80] = 0, 1
    more = blurred_logs(model, seeds, 3)
    assert min(sizes[3:]) < whole
    np.testing.assert_array_equal(more, blurred_logs(model_of(values), seeds, 3))
    seeds[50, 60:70] = 3  # a class more
    more = blurred_logs(model, seeds, 4)
    np.testing.assert_array_equal(more, blurred_logs(model_of(values), seeds, 4))


def test_texture_is_heard_around_a_mark():
    values = np.full((60, 60, 1), 0.5)
    values[:, 30:] = np.random.default_rng(0).choice([0.0, 1.0], (60, 30, 1), p=[0.2, 0.8])
    values[:, :30] = 1 - values[:, 30:]
    marks = np.full((60, 60), -1)
    marks[5::10, 5:30:10], marks[5::10, 35::10] = 0, 1
    alone = held_out_accuracy(values[marks >= 0][None], Seeds.of(marks), 0.1)
    assert alone < 0.9
    assert model_of(values).weight(Seeds.of(marks)) > color_weight(alone, Seeds.of(marks)) == 0


def test_colours_speak_in_the_piece_that_they_were_marked_in():
    values, truth = colored()
    pieces = np.where(np.arange(30) < 14, 0, 1)[:, None] + np.zeros_like(truth)
    pieces[14] = -1
    seeds = np.where(np.arange(30)[:, None] == 3, truth, -1)
    seeds[20, 5], seeds[20, 20] = 2, 1  # below the mask, red is called 2, and nothing is called 0
    alone = Seeds.of(np.where(pieces == 0, seeds, -1))
    model = ColorModel(values, features_of(values), 1.0, find_pixels("cpu", 1), pieces)
    found = blurred_logs(model, seeds, 3)
    assert (found.argmax(axis=0)[:14] == truth[:14]).mean() > 0.95
    assert (found.argmax(axis=0)[15:, :10] == 2).all()
    assert (found[0, 15:] < found[:, 15:].max(axis=0) - 10).all()
    without = ColorModel(values, features_of(values), 1.0, find_pixels("cpu", 1), pieces)
    np.testing.assert_array_equal(blurred_logs(without, alone.plane(), 3)[:, :14], found[:, :14])
    assert (found[:, 14] == 0).all()
    np.testing.assert_array_equal(blurred_logs(model, seeds, 3), found)


@pytest.mark.parametrize("shape", [(30, 40), (1, 50), (9, 8, 7), (2, 2)])
def test_strokes_are_the_connected_parts_of_each_class(shape):
    rng = np.random.default_rng(0)
    codes = np.where(rng.random(shape) < 0.4, rng.integers(0, 3, shape), -1)
    found, expected = strokes_of(Seeds.of(codes)), np.zeros(shape, dtype=int)
    for k in range(3):
        numbers, _ = ndimage.label(codes == k, np.ones((3,) * len(shape)))
        expected += np.where(codes == k, numbers + 1000 * k, 0)
    pairs = set(zip(found.tolist(), expected[codes >= 0].tolist(), strict=True))
    assert len(pairs) == len(np.unique(found)) == len(np.unique(expected[codes >= 0]))


def by_hand(rows, codes, parts, spread):
    """A mark at a time, and every other mark that speaks."""
    right = []
    for i, row in enumerate(rows):
        said = []
        for k in np.unique(codes):
            others = (codes == k) & (parts != parts[i])
            if k == codes[i] and not others.any():
                others = np.arange(len(rows)) == i
            said.append(np.exp(-((rows[others] - row) ** 2).sum(axis=1) / (2 * spread**2)).mean())
        right.append(max(said) == said[codes[i]] and said.count(max(said)) == 1)
    return np.mean([np.mean(np.array(right)[codes == k]) for k in np.unique(codes)])


def test_marks_are_named_as_by_hand():
    rng = np.random.default_rng(1)
    codes = np.full((20, 30), -1)
    codes[2, 2:9], codes[2, 15:20], codes[10, 3:9], codes[18, 25] = 0, 0, 1, 2
    seeds = Seeds.of(codes)
    rows = rng.normal(0, 1, (len(seeds.places), 3)) + seeds.codes[:, None]
    expected = by_hand(rows, seeds.codes, parts_of(seeds), 0.7)
    assert 0.2 < expected < 0.9
    assert held_out_accuracy(rows[None], seeds, 0.7) == pytest.approx(expected)
