"""Pictures, looked at from inside."""

import numpy as np

from graphwell import plots

POINTS = np.random.default_rng(0).random((6, 2))
LABELS = np.array([0, 0, 1, 1, -1, 1])


def panel():
    return plots.new_figure(1)[1][0]


def test_points_are_coloured():
    shown = panel()
    plots.scatter_classes(shown, POINTS, LABELS, "six")
    assert [len(drawn.get_offsets()) for drawn in shown.collections] == [1, 2, 3]
    assert shown.get_title() == "six"


def test_a_projection_rings_given_labels_and_names_the_classes():
    shown = panel()
    plots.projection(shown, POINTS, LABELS, np.array([0, -1, 1, -1, -1, -1]), ["a", "$b"])
    assert [text.get_text() for text in shown.get_legend().get_texts()] == ["a", r"\$b"]


def test_counts_are_written_into_a_confusion_matrix():
    shown = panel()
    plots.confusion(shown, np.array([[5, 0], [1, 2]]), ["a", "b"], ["a", "b"])
    assert sorted(text.get_text() for text in shown.texts) == ["1", "2", "5"]


def test_places_are_shares_of_the_width_and_the_height_from_the_top():
    figure, (shown,) = plots.new_figure(1)
    shown.set(xlim=(0, 1), ylim=(0, 1))
    plots.as_png(figure)
    left, top, right, bottom = plots.places(shown, np.array([[0.0, 1.0], [1.0, 0.0]])).ravel()
    assert 0 < left < 0.2 < 0.8 < right < 1
    assert 0 < top < 0.2 < 0.8 < bottom < 1


def test_more_than_ten_classes_have_colours_of_their_own():
    assert len({plots.class_color(number, 20) for number in range(20)}) == 20


def test_points_with_errors_and_shares_are_drawn_as_told():
    bars = panel()
    plots.with_errors(bars, ["a", "b"], np.array([0.9, 0.8]), np.array([0.01, 0.02]))
    assert [text.get_text() for text in bars.get_yticklabels()] == ["a", "b"]
    assert bars.lines[0].get_xdata().tolist() == [90.0, 80.0]
