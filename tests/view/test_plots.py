"""Pictures, looked at from inside."""

import numpy as np

from graphwell import plots

POINTS = np.random.default_rng(0).random((6, 2))
LABELS = np.array([0, 0, 1, 1, -1, 1])


def test_what_is_drawn():
    shown = plots.new_figure(1)[1][0]
    plots.scatter_classes(shown, POINTS, LABELS, "six")
    assert [len(drawn.get_offsets()) for drawn in shown.collections] == [1, 2, 3]
    shown = plots.new_figure(1)[1][0]
    plots.projection(shown, POINTS, LABELS, np.array([0, -1, 1, -1, -1, -1]), ["a", "$b"])
    assert [text.get_text() for text in shown.get_legend().get_texts()] == ["a", r"\$b"]
    shown = plots.new_figure(1)[1][0]
    plots.confusion(shown, np.array([[5, 0], [1, 2]]), ["a", "b"], ["a", "b"])
    assert sorted(text.get_text() for text in shown.texts) == ["1", "2", "5"]


def test_places_are_shares_of_the_width_and_the_height_from_the_top():
    figure, (shown,) = plots.new_figure(1)
    shown.set(xlim=(0, 1), ylim=(0, 1))
    plots.as_png(figure)
    left, top, right, bottom = plots.places(shown, np.array([[0.0, 1.0], [1.0, 0.0]])).ravel()
    assert 0 < left < 0.2 < 0.8 < right < 1
    assert 0 < top < 0.2 < 0.8 < bottom < 1
