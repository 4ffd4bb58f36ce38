"""Texts as numbers."""

import numpy as np

from graphwell.encoders.columns import LETTER_DIRECTIONS, TextEncoder
from graphwell.encoders.kinds import ColumnCells, look_at

FRUIT, TOOLS = ["apple", "pear", "plum", "cherry"], ["hammer", "saw", "drill", "pliers"]


def texts(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(FRUIT if i % 2 else TOOLS, 5)) for i in range(n)]


def fit(cells, words):
    column = ColumnCells({"x": cells})["x"]
    made = TextEncoder.fit("x", look_at(column, "text"), words)
    return made, None if made is None else made.encode(column)


def test_texts_about_the_same_thing_lie_near_each_other():
    cells = texts()
    for words in (True, False):
        made, X = fit(cells, words)
        assert len(made.names) == X.shape[1] <= LETTER_DIRECTIONS
        np.testing.assert_allclose((X**2).sum(axis=1), 1)
        alike = X @ X.T
        same = (np.arange(40)[:, None] - np.arange(40)) % 2 == 0
        assert alike[same].mean() > alike[~same].mean() + 0.5


def test_empty_texts_and_new_words_are_zero():
    made, _ = fit(texts(), True)
    X = made.encode(ColumnCells({"x": ["", "zebra quagga", "apple"]})["x"])
    assert (X[:2] == 0).all()
    assert (X[2] != 0).any()


def test_texts_without_a_common_word_say_nothing():
    assert fit(["one two", "three four", "five six"], True)[0] is None
    assert fit(["same", "same"], True)[0] is None
    assert fit(["the same of all", "all of the same"] * 5, True)[0] is None
