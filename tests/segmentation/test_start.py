"""Scores that spread from marks, on copies of a picture."""

import numpy as np
import pytest

from graphwell.datasets import make_grey_image
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.start import enlarged, spread_scores
from tests.segmentation.stored import stored_links
from tests.segmentation.test_canvas import canvas_of


def started(canvas, seeds, n_classes=5, before=None):
    by_size = canvas.seeds_by_size(Seeds.of(seeds))
    return canvas.start(by_size, np.arange(n_classes), canvas.strength(by_size), before, lambda share: None)


def finest(canvas, start):
    return canvas.copies[-1].stencil.grid.crop(start.scores[-1])


def few_and_all():
    image, truth = make_grey_image(100, 90)
    seeds = np.full(truth.shape, -1)
    seeds[::6, ::5] = truth[::6, ::5]
    fewer = seeds.copy()
    fewer[40:60, 30:50] = -1
    return image, fewer, seeds


@pytest.mark.parametrize("strength", [0.0, 0.3, 30.0])
def test_the_refined_scores_are_near_the_exact_ones(strength):
    image, _, seeds = few_and_all()
    image, seeds = image[:70:2, :70:2], seeds[:70:2, :70:2]
    canvas = canvas_of(image, color_scale=0.2)
    known = seeds.ravel() >= 0
    W, labels = stored_links(image[..., None], 3, 0.2), np.eye(5)[seeds.ravel()[known]]
    pulls = [strength * np.random.default_rng(0).random((5, *copy.shape)) for copy in canvas.copies]
    toward = pulls[-1].reshape(5, -1).T * stored_links(0 * image[..., None], 3, 1.0).sum(axis=1).max()
    toward /= image.size
    L = np.diag(W.sum(axis=1) + toward.sum(axis=1)) - W
    exact = np.linalg.solve(L[~known][:, ~known], W[~known][:, known] @ labels + toward[~known])
    by_size = canvas.seeds_by_size(Seeds.of(seeds))
    scores, _ = spread_scores(canvas.copies, canvas.working, by_size, 5, None, pulls)
    found = canvas.copies[-1].stencil.grid.crop(scores[-1]).reshape(5, -1).T
    assert np.abs(found[~known] - exact).max() < 0.02
    assert (found[known] == labels).all()


def test_a_picture_that_is_enlarged_gives_the_scores_of_before():
    image, _, seeds = few_and_all()
    found = []
    for factor in (1, 2):
        square = np.ones((factor, factor), dtype=int)
        canvas = canvas_of(np.kron(image, square), color_scale=0.2)
        found.append(finest(canvas, started(canvas, np.kron(seeds, square))))
    assert np.abs(found[1][:, ::2, ::2] - found[0]).mean() < 0.02


def test_a_further_stroke_is_refined_where_it_is_heard():
    image, fewer, seeds = few_and_all()
    canvas = canvas_of(image)
    before = started(canvas, fewer)
    warm, fresh = started(canvas, seeds, before=before), started(canvas, seeds)
    apart = np.abs(finest(canvas, warm) - finest(canvas, fresh)).max(axis=0)
    assert apart.mean() < 0.002
    assert apart.max() < 0.2  # beside contrast, where a score hangs by a thread
    assert (warm.belief.argmax(axis=0) == fresh.belief.argmax(axis=0)).mean() > 0.995
    same = (finest(canvas, warm) == finest(canvas, before)).all(axis=0)
    assert same.any()
    assert not same[45:55, 35:45].all()
    again = started(canvas, seeds, before=warm)
    assert np.abs(finest(canvas, again) - finest(canvas, warm)).max() < 0.01


def test_classes_that_hear_nothing_of_a_stroke_are_left_as_they_were():
    image = np.zeros((60, 90))
    image[:, 30:60], image[:, 60:] = 0.5, 1.0  # three parts that hardly hear each other
    seeds = np.full(image.shape, -1)
    seeds[10, 5], seeds[50, 25], seeds[30, 45], seeds[30, 75], seeds[10, 70] = 0, 1, 2, 3, 4
    canvas = canvas_of(image)
    before = started(canvas, seeds)
    seeds[30, 10:20] = 1
    warm, fresh = started(canvas, seeds, before=before), started(canvas, seeds)
    same = finest(canvas, warm) == finest(canvas, before)
    assert same[3:, seeds < 0].all()
    assert not same[:2, seeds < 0].all()
    assert np.abs(finest(canvas, warm) - finest(canvas, fresh)).max() < 0.05


def test_a_start_in_terms_of_more_classes():
    image, fewer, _ = few_and_all()
    canvas = canvas_of(image)
    before = started(canvas, fewer)
    assert before.among(np.arange(5)) is before
    wider = before.among(np.arange(7))
    assert wider.scores[0].shape[0] == len(wider.rests[0]) == 7
    assert not wider.scores[0][5:].any()
    assert before.among(np.arange(4)) is None


def test_iterations_end_where_those_of_the_first_call_did():
    image, _, seeds = few_and_all()
    canvas = canvas_of(image)
    by_size = canvas.seeds_by_size(Seeds.of(seeds))
    strength = canvas.strength(by_size)
    logs = canvas.evidence.logs(by_size[canvas.start_halvings], np.arange(5))
    before = canvas.start(by_size, np.arange(5), strength, None, lambda share: None)
    pulls = canvas._pulls(strength, logs, by_size)
    _, rests = spread_scores(canvas.copies, canvas.working, by_size, 5, before, pulls)
    assert all((now == first).all() for now, first in zip(rests, before.rests, strict=True))


def test_enlarged_planes_fit_odd_sizes():
    planes = np.arange(4.0).reshape(1, 2, 2)
    assert enlarged(planes, (3, 3))[0].tolist() == [[0, 0, 1], [0, 0, 1], [2, 2, 3]]
