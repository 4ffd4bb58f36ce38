"""Squares that hold most doubt."""

import numpy as np

from graphwell.segmentation.next_marks import squares_to_mark

UNMARKED = np.full((100, 120), -1)


def doubt_at(*places):
    doubt = np.zeros(UNMARKED.shape)
    for row, column, value in places:
        doubt[row - 5 : row + 5, column - 5 : column + 5] = value
    return doubt


def test_the_most_doubtful_come_first_and_apart():
    found = squares_to_mark(doubt_at((20, 20, 0.3), (70, 90, 0.5)), UNMARKED)
    assert [(square.row, square.column) for square in found] == [(70, 90), (20, 20)]
    assert found[0].side == 10
    assert found[0].doubt == 0.5


def test_marked_squares_are_left_out():
    seeds = UNMARKED.copy()
    seeds[70, 88:92] = 1
    found = squares_to_mark(doubt_at((20, 20, 0.3), (70, 90, 0.5)), seeds)
    assert (found[0].row, found[0].column) == (20, 20)
    assert all(abs(square.row - 70) >= 5 or abs(square.column - 90) >= 3 for square in found)


def test_no_doubt_no_squares():
    assert squares_to_mark(np.zeros((50, 50)), np.full((50, 50), -1)) == ()


def test_small_pictures_and_few_squares():
    assert len(squares_to_mark(np.ones((1, 2)), np.full((1, 2), -1))) == 1
    assert len(squares_to_mark(np.ones((200, 200)), np.full((200, 200), -1), n=3)) == 3
