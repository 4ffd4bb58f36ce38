"""Colours as evidence."""

import numpy as np

from graphwell.backends.registry import find_pixels
from graphwell.segmentation import evidence
from graphwell.segmentation.evidence import ColorEvidence, posterior
from graphwell.segmentation.features import features_of
from graphwell.segmentation.seeds import Seeds


def colored(shape=(30, 40)):
    rng = np.random.default_rng(0)
    truth = np.arange(shape[1]) * 3 // shape[1] + np.zeros(shape, dtype=int)
    values = np.eye(3)[truth] + rng.normal(0, 0.1, (*shape, 3))
    return values.astype(np.float32), truth


def witness_of(values):
    return ColorEvidence(values, features_of(values), 1.0, find_pixels("cpu", 1))


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
    witness.logs(Seeds.of(seeds), np.arange(3))
    assert sizes == [whole] * 3
    seeds[40:43, 5:9], seeds[20, 80] = 0, 1
    more = witness.logs(Seeds.of(seeds), np.arange(3))
    assert min(sizes[3:]) < whole
    np.testing.assert_array_equal(more, witness_of(values).logs(Seeds.of(seeds), np.arange(3)))
    seeds[50, 60:70] = 3  # a class more
    more = witness.logs(Seeds.of(seeds), np.arange(4))
    np.testing.assert_array_equal(more, witness_of(values).logs(Seeds.of(seeds), np.arange(4)))


def test_evidence_counts_for_less_among_many_classes():
    few, many = (posterior(np.full((k, 1), 1 / k), -np.arange(k)[:, None] * 1.0) for k in (2, 16))
    assert few[0, 0] / few[1, 0] > many[0, 0] / many[1, 0] > 1
    np.testing.assert_allclose(many.sum(axis=0), 1)


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
    found = witness.logs(Seeds.of(seeds), np.arange(3))
    assert (found.argmax(axis=0)[:14] == truth[:14]).mean() > 0.95
    assert (found.argmax(axis=0)[15:, :10] == 2).all()
    assert (found[0, 15:] < found[:, 15:].max(axis=0) - 10).all()
    without = ColorEvidence(values, features_of(values), 1.0, find_pixels("cpu", 1), pieces)
    np.testing.assert_array_equal(without.logs(alone, np.arange(3))[:, :14], found[:, :14])
    assert (found[:, 14] == 0).all()
    again = witness.logs(Seeds.of(seeds), np.arange(3))
    np.testing.assert_array_equal(again, found)
