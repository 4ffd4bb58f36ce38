"""Figures of the experiments, looked at from inside."""

import numpy as np

from graphwell.experiments.drawing import draw_curves, show_confusion, show_image, show_wrong_pixels
from graphwell.view import plots


def panel():
    return plots.new_figure(1)[1][0]


def test_pictures_are_shown_as_they_are_and_mistakes_in_red():
    image = np.array([[0.0, 0.5], [1.0, 0.25]])
    shown = panel()
    show_image(shown, image, "plain")
    np.testing.assert_array_equal(shown.images[0].get_array(), image)
    shown = panel()
    show_wrong_pixels(shown, image, image == 1.0, "wrong")
    np.testing.assert_allclose(shown.images[0].get_array()[1, 0], (0.85, 0.1, 0.1))


def test_a_confusion_matrix_holds_every_count():
    shown = panel()
    show_confusion(shown, np.array([[5, 1], [2, 7]]), "counts", darkest=2)
    assert [text.get_text() for text in shown.texts] == ["5", "1", "2", "7"]


def test_each_curve_has_a_name():
    shown = panel()
    draw_curves(shown, [1, 2], {"a": [[1.0, 3.0], [2.0, 2.0]], "b": [[0.0], [1.0]]}, "share")
    assert shown.get_xlabel() == "share"
    assert [text.get_text() for text in shown.get_legend().get_texts()] == ["a", "b"]
