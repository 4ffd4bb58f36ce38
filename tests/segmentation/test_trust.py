"""How far colours are trusted."""

import numpy as np
import pytest
from scipy import ndimage

from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.trust import lead_of, parts_of, pull_strength, share_named, strokes_of


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


def test_the_only_stroke_of_a_class_is_cut_across():
    codes = np.full((9, 9), -1)
    codes[1, 1:7], codes[4:8, 3], codes[8, 8] = 0, 1, 2
    parts = np.full((9, 9), -1)
    parts[codes >= 0] = parts_of(Seeds.of(codes))
    assert len(np.unique(parts[1, 1:4])) == len(np.unique(parts[1, 4:7])) == 1
    assert len(np.unique(parts[codes >= 0])) == 5
    assert (parts[4:6, 3] != parts[6:8, 3]).all()


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
    assert share_named(rows[None], seeds, 0.7) == pytest.approx(expected)


def test_a_stroke_does_not_speak_for_itself():
    codes = np.full((5, 40), -1)
    codes[1, 2:8], codes[1, 20:26], codes[3, 2:8], codes[3, 20:26] = 0, 0, 1, 1
    colors = np.zeros((5, 40, 1))
    colors[1, 2:8], colors[1, 20:26], colors[3, 2:8], colors[3, 20:26] = 0, 5, 1, 6  # light and shade
    seeds = Seeds.of(codes)
    assert share_named(colors[codes >= 0][None], seeds, 0.1) == 0


def test_equal_colours_name_nothing():
    seeds = Seeds.of(np.array([[0, 0, -1, 1, 1, -1, 0]]))
    assert share_named(np.zeros((1, 5, 2)), seeds, 1.0) == 0


def test_of_many_marks_some_are_asked():
    codes = np.repeat([[0, -1, 1]], 3000, axis=0)
    codes[1500] = -1
    rows = (np.nonzero(codes >= 0)[1] / 2)[:, None]
    assert share_named(rows[None], Seeds.of(codes), 0.1) == 1


def test_points_beside_a_mark_outvote_it():
    seeds = Seeds.of(np.array([[0, -1, 0, -1, 1, -1, 1]]))
    rows = np.array([[0.0], [0.9], [1.0], [1.0]])
    assert share_named(rows[None], seeds, 0.1) < 1
    beside = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert share_named(np.stack([rows, beside, beside]), seeds, 0.1) == 1


def test_many_strokes_leave_less_to_colours():
    one = np.full((12, 12), -1)
    one[0, 0], one[11, 11] = 0, 1
    four = one.copy()
    four[0, [3, 6, 9]], four[11, [2, 5, 8]] = 0, 1
    for trust in (0.95, 1.0):
        assert pull_strength(trust, Seeds.of(four)) == pytest.approx(pull_strength(trust, Seeds.of(one)) / 2)
    cube = np.full((12, 12, 12), -1)
    cube[0, 0, ::2], cube[11, 11, :3:2] = 0, 1
    assert pull_strength(1.0, Seeds.of(cube)) == pytest.approx(7.75 / 4 ** (1 / 3))


def test_colours_speak_by_their_lead():
    logs = np.log(np.array([[0.6, 0.5, 1.0], [0.3, 0.5, 1e-9], [0.1, 1e-9, 1e-9]]))
    found = lead_of(logs)
    np.testing.assert_allclose(found[:, 0], [0.6 * 0.3, 0.3 * 0.3, 0.1 * 0.3])
    np.testing.assert_allclose(found[:, 1:], [[0, 1], [0, 0], [0, 0]], atol=1e-7)
