"""Colours as evidence."""

import numpy as np
import pytest

from graphwell.backends.registry import find_pixels
from graphwell.segmentation import evidence
from graphwell.segmentation.evidence import ColorEvidence
from graphwell.segmentation.features import features_of
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.trust import pull_strength, share_named


def colored(shape=(30, 40)):
    rng = np.random.default_rng(0)
    truth = np.arange(shape[1]) * 3 // shape[1] + np.zeros(shape, dtype=int)
    values = np.eye(3)[truth] + rng.normal(0, 0.1, (*shape, 3))
    return values.astype(np.float32), truth


def witness_of(values):
    return ColorEvidence(values, features_of(values), 1.0, find_pixels("cpu", 1))


def blurred_logs(witness, seeds, n_classes):
    known, classes = Seeds.of(seeds), np.arange(n_classes)
    return witness.blurred(witness.logs(known, classes), known, classes)


def test_colours_speak_for_the_whole_picture():
    values, truth = colored()
    seeds = np.where(np.arange(30)[:, None] < 3, truth, -1)
    found = witness_of(values).logs(Seeds.of(seeds), np.arange(3))
    assert (found.argmax(axis=0) == truth).mean() > 0.95
    assert found.max() <= 0


def test_a_class_is_fitted_again_only_if_its_marks_change(monkeypatch):
    values, truth = colored()
    fits = []
    fit = evidence.fit_mixture
    monkeypatch.setattr(evidence, "fit_mixture", lambda *args: fits.append(1) or fit(*args))
    witness = witness_of(values)
    seeds = np.where(np.arange(30)[:, None] < 3, truth, -1)
    before = witness.logs(Seeds.of(seeds), np.array([5, 7, 9]))
    assert len(fits) == 3
    assert (witness.logs(Seeds.of(seeds), np.array([5, 7, 9])) == before).all()
    assert len(fits) == 3
    seeds[20, 0] = 0
    witness.logs(Seeds.of(seeds), np.array([5, 7, 9]))
    assert len(fits) == 4


def test_a_further_stroke_blurs_only_what_changed_and_gives_what_a_fresh_run_gives(monkeypatch):
    values, truth = colored((60, 90))
    values[:, 30:] = np.eye(3)[truth[:, 30:]]  # colours are beyond doubt here, whatever the marks are
    sizes = []
    blur = ColorEvidence._blur
    monkeypatch.setattr(ColorEvidence, "_blur", lambda self, p: sizes.append(p.size) or blur(self, p))
    seeds = np.where(np.arange(60)[:, None] < 3, truth, -1)
    witness, whole = witness_of(values), truth.size
    blurred_logs(witness, seeds, 3)
    assert sizes == [whole] * 3
    seeds[40:43, 5:9], seeds[20, 80] = 0, 1
    more = blurred_logs(witness, seeds, 3)
    assert min(sizes[3:]) < whole
    np.testing.assert_array_equal(more, blurred_logs(witness_of(values), seeds, 3))
    seeds[50, 60:70] = 3  # a class more
    more = blurred_logs(witness, seeds, 4)
    np.testing.assert_array_equal(more, blurred_logs(witness_of(values), seeds, 4))


def test_a_narrow_colour_is_as_wide_as_the_noise_of_one_channel():
    values, _ = colored((60, 90))
    witness = witness_of(values)
    assert witness.spread == pytest.approx(np.hypot(0.1, 0.1 * np.sqrt(2 / 3)), rel=0.15)


def test_colours_of_marks_are_trusted_if_they_name_each_other():
    values, truth = colored()
    rows = np.arange(30)[:, None] % 12 < 3
    assert witness_of(values).strength(Seeds.of(np.where(rows, truth, -1))) > 3
    mixed = np.where(rows, (np.arange(40) // 5 + np.arange(30)[:, None] // 12) % 3, -1)
    assert witness_of(values).strength(Seeds.of(mixed)) == 0


def test_texture_is_heard_around_a_mark():
    values = np.full((60, 60, 1), 0.5)
    values[:, 30:] = np.random.default_rng(0).choice([0.0, 1.0], (60, 30, 1), p=[0.2, 0.8])
    values[:, :30] = 1 - values[:, 30:]
    marks = np.full((60, 60), -1)
    marks[5::10, 5:30:10], marks[5::10, 35::10] = 0, 1
    alone = share_named(values[marks >= 0][None], Seeds.of(marks), 0.1)
    assert alone < 0.9
    assert witness_of(values).strength(Seeds.of(marks)) > pull_strength(alone, Seeds.of(marks)) == 0


def test_points_beside_a_mark_are_of_its_piece():
    values = np.zeros((9, 9, 1))
    values[:, 5:] = np.array([0.0, 1.0])[np.indices((9, 4))[0] % 2][..., None]
    marks = np.full((9, 9), -1)
    marks[1, 3], marks[7, 3], marks[1, 6], marks[7, 6] = 0, 0, 1, 1
    pieces = np.where(np.arange(9) < 4, 0, np.where(np.arange(9) > 4, 1, -1)) * np.ones((9, 1), int)
    witness = ColorEvidence(values, features_of(values), 1.0, find_pixels("cpu"), pieces)
    around = list(witness._around(Seeds.of(marks)))
    assert all((pieces.ravel()[places] == pieces.ravel()[around[0]]).all() for places in around)
    assert len(around) == 5


def test_a_class_without_marks_at_this_size_is_unlikely():
    values, truth = colored()
    seeds = np.where(np.arange(30)[:, None] < 3, truth, -1)
    found = witness_of(values).logs(Seeds.of(seeds), np.arange(4))
    assert (found[3] < found[:3].max(axis=0) - 10).all()


def test_colours_speak_in_the_piece_that_they_were_marked_in():
    values, truth = colored()
    pieces = np.where(np.arange(30) < 14, 0, 1)[:, None] + np.zeros_like(truth)
    pieces[14] = -1
    seeds = np.where(np.arange(30)[:, None] == 3, truth, -1)
    seeds[20, 5], seeds[20, 20] = 2, 1  # below the mask, red is called 2, and nothing is called 0
    alone = Seeds.of(np.where(pieces == 0, seeds, -1))
    witness = ColorEvidence(values, features_of(values), 1.0, find_pixels("cpu", 1), pieces)
    found = blurred_logs(witness, seeds, 3)
    assert (found.argmax(axis=0)[:14] == truth[:14]).mean() > 0.95
    assert (found.argmax(axis=0)[15:, :10] == 2).all()
    assert (found[0, 15:] < found[:, 15:].max(axis=0) - 10).all()
    without = ColorEvidence(values, features_of(values), 1.0, find_pixels("cpu", 1), pieces)
    np.testing.assert_array_equal(blurred_logs(without, alone.plane(), 3)[:, :14], found[:, :14])
    assert (found[:, 14] == 0).all()
    np.testing.assert_array_equal(blurred_logs(witness, seeds, 3), found)
