"""One error, worded by each face."""

import pickle

import numpy as np
import pytest

from graphwell.errors import OptionError, Sentence, in_python, in_short


def shouted(field, value):
    return field.upper() if value is None else f"{field.upper()} IS {value}"


def test_a_sentence_is_worded_by_the_face_that_shows_it():
    note = Sentence('{:,} rows of {!r} have gaps; {missing="drop"} or {truth}.', (1200, "a"))
    assert str(note) == "1,200 rows of 'a' have gaps; missing=\"drop\" or truth."
    assert note.worded(shouted) == "1,200 rows of 'a' have gaps; MISSING IS \"drop\" or TRUTH."


def test_text_of_the_user_is_never_taken_for_an_option():
    assert str(Sentence("{output} {}: odd.", ("{missing}.csv",))) == "output {missing}.csv: odd."


def test_an_error_knows_its_field_and_is_a_value_error():
    with pytest.raises(ValueError, match=r"^holdout must lie between 0 and 1, got 2\.$") as caught:
        raise OptionError("holdout", "{field} must lie between 0 and 1, got {}.", 2)
    assert caught.value.field == "holdout"
    assert caught.value.sentence.worded(shouted) == "HOLDOUT must lie between 0 and 1, got 2."


def test_an_error_comes_back_whole_from_a_worker():
    again = pickle.loads(pickle.dumps(OptionError("pca", "{field} {}: too many.", 3)))
    assert (again.field, str(again)) == ("pca", "pca 3: too many.")


def test_python_names_keywords():
    assert (in_python("snap"), in_python("snap", "True")) == ("snap", "snap=True")


class Unspeakable:
    def __repr__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.zeros((60, 60)), "ndarray of shape (60, 60)"),
        (np.float64(2), "np.float64(2.0)"),
        ("two\nlines", "'two\\nlines'"),
        (Unspeakable(), "an object of the class Unspeakable"),
    ],
)
def test_values_are_shown_on_one_line(value, shown):
    assert in_short(value) == shown
    assert str(OptionError("metric", "{field} must be a word, got {!r}.", value)).endswith(f"got {shown}.")


def test_long_values_are_cut_off():
    assert len(in_short(list(range(1000)))) == 80
