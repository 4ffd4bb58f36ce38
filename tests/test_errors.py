"""One error, worded by each face; warnings name the line of the user; one row, two rows."""

import os
import pickle

import numpy as np
import pytest

import graphwell as gw
from graphwell.errors import PACKAGE, OptionError, Sentence, counted, in_short, warn_user


def shouted(field, value):
    return field.upper() if value is None else f"{field.upper()} IS {value}"


def test_a_sentence_is_worded_by_the_face_that_shows_it():
    note = Sentence('{:,} rows of {!r} have gaps; {missing="drop"} or {truth}.', (1200, "a"))
    assert str(note) == "1,200 rows of 'a' have gaps; missing=\"drop\" or truth."
    assert repr(note) == repr(str(note))
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


def test_a_warning_names_the_first_line_outside_of_graphwell():
    with pytest.warns(gw.UnreachableWarning, match="some rows") as caught:
        warn_user("some rows", gw.UnreachableWarning)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_neighbour_with_a_similar_name_is_outside():
    # A package beside graphwell whose path begins like its own is a user's.
    file = f"{PACKAGE.rstrip(os.sep)}_extra/module.py"
    code = compile("warn('hello')", file, "exec")
    with pytest.warns(UserWarning, match="hello") as caught:
        exec(code, {"warn": warn_user})
    assert [warning.filename for warning in caught] == [file]


def test_one_thing_has_no_s():
    assert [counted(n, "row") for n in (0, 1, 2, 1000)] == ["0 rows", "1 row", "2 rows", "1,000 rows"]
    assert counted(1, "class", "classes") == "1 class"
    assert counted(3, "class", "classes") == "3 classes"


@pytest.mark.parametrize(
    ("call", "name", "sentence"),
    [
        (gw.DiffuseInterfaceClassifier().fit, "checkpoint", r"fit has no checkpoint; write fit\(X, y\)"),
        (gw.compare, "told", "compare has no told; write on_result=."),
        (gw.TableEncoder, "pca", "TableEncoder has no pca; write make_pipeline"),
        (gw.segment, "patch", "segment has no patch; write segment"),
    ],
)
def test_a_parameter_of_an_earlier_version_says_what_to_write_instead(call, name, sentence):
    with pytest.raises(TypeError, match=sentence):
        call(**{name: 1})
