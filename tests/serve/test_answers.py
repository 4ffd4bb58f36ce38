"""Classes and answers, and that every action can be taken back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwell.errors import OptionError
from graphwell.serve.answers import (
    CANNOT_TELL,
    MOST_CLASSES,
    NOTHING,
    PALETTE,
    SKIPPED,
    Annotations,
    ClassList,
)

N = 6


def fresh():
    return Annotations(np.array([0, 1, NOTHING, NOTHING, NOTHING, CANNOT_TELL]), ClassList.named(["a", "b"]))


def seen(answers):
    return answers.codes.tolist(), answers.weights.tolist(), answers.classes


ROWS = st.lists(st.integers(0, N - 1), min_size=1, max_size=4)
ACTIONS = st.one_of(
    st.builds(
        lambda rows, number, weight: {"do": "label", "rows": rows, "class": number, "weight": weight},
        ROWS, st.integers(0, 3), st.sampled_from([1.0, 1, 0.5, 0.1]),
    ),
    st.builds(
        lambda do, rows: {"do": do, "rows": rows}, st.sampled_from(["cannot tell", "skip", "clear"]), ROWS
    ),
    st.builds(lambda name: {"do": "add class", "name": name}, st.sampled_from(["c", "d"])),
    st.builds(lambda n: {"do": "rename class", "class": n, "name": "z"}, st.integers(0, 3)),
    st.builds(
        lambda n, m: {"do": "merge classes", "class": n, "into": m}, st.integers(0, 3), st.integers(0, 3)
    ),
    st.builds(lambda n: {"do": "remove class", "class": n}, st.integers(0, 3)),
    st.builds(lambda n: {"do": "color class", "class": n, "color": "#000000"}, st.integers(0, 3)),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS, max_size=12))
def test_every_action_can_be_taken_back_and_done_again(actions):
    answers, history = fresh(), [seen(fresh())]
    changes, taken = [], []
    for action in actions:
        try:
            change = answers.planned(action)
        except OptionError:
            assert seen(answers) == history[-1]
            continue
        answers.go(change)
        changes.append(change)
        taken.append(action)
        history.append(seen(answers))
        assert not np.isin(answers.codes, [c for c in range(9) if c not in answers.classes]).any()
    for change, before in zip(reversed(changes), reversed(history[:-1]), strict=True):
        answers.go(change, back=True)
        assert seen(answers) == before
    for action, after in zip(taken, history[1:], strict=True):
        answers.go(answers.planned(action))
        assert seen(answers) == after


def done(answers, **action):
    answers.go(answers.planned(action))


def test_answers_cannot_tell_skip_and_clear():
    answers = fresh()
    done(answers, do="label", rows=[2], **{"class": 1})
    done(answers, do="cannot tell", rows=[3])
    done(answers, do="skip", rows=[4])
    done(answers, do="clear", rows=[0])
    assert answers.codes.tolist() == [NOTHING, 1, 1, CANNOT_TELL, SKIPPED, CANNOT_TELL]
    assert answers.labelled.tolist() == [1, 2]


def test_a_lasso_never_overrules_what_was_looked_at():
    answers = fresh()
    done(answers, do="label", rows=[0, 2, 3, 5], weight=0.1, **{"class": 1})
    assert answers.codes.tolist() == [0, 1, 1, 1, NOTHING, CANNOT_TELL]
    assert answers.firm.tolist() == [0, 1, -1, -1, -1, CANNOT_TELL]
    done(answers, do="label", rows=[2], **{"class": 0})
    assert answers.firm.tolist() == [0, 1, 0, -1, -1, CANNOT_TELL]


def test_merging_keeps_the_weights_and_removing_clears():
    answers = fresh()
    done(answers, do="label", rows=[2], weight=0.5, **{"class": 1})
    done(answers, do="merge classes", into=0, **{"class": 1})
    assert answers.codes.tolist() == [0, 0, 0, NOTHING, NOTHING, CANNOT_TELL]
    assert answers.weights.tolist() == [1, 1, 0.5, 1, 1, 1]
    done(answers, do="remove class", **{"class": 0})
    assert answers.labelled.tolist() == []


@pytest.mark.parametrize(
    "action",
    [
        {"do": "label", "rows": [9], "class": 0},
        {"do": "label", "rows": [-1], "class": 0},
        {"do": "label", "rows": [], "class": 0},
        {"do": "label", "rows": [0.5], "class": 0},
        {"do": "label", "rows": "0", "class": 0},
        {"do": "label", "rows": [[0]], "class": 0},
        {"do": "label", "rows": [True], "class": 0},
        {"do": "label", "rows": [2**70], "class": 0},
        {"do": "label", "rows": [0], "class": 7},
        {"do": "label", "rows": [0], "class": 0, "weight": 0},
        {"do": "label", "rows": [0], "class": 0, "weight": "1"},
        {"do": "merge classes", "class": 0, "into": 0},
        {"do": "sudo"},
    ],
)
def test_what_makes_no_sense_is_refused(action):
    answers = fresh()
    with pytest.raises(OptionError):
        answers.planned(action)


def test_numbers_are_never_given_again():
    classes = ClassList.named(["a", "b"]).without(1).added("c")
    assert [(entry.number, entry.name) for entry in classes] == [(0, "a"), (2, "c")]
    assert classes.names == ("a", "", "c")


def test_names_are_tidied_and_never_twice():
    classes = ClassList.named(["a"]).added("  two\n words\t\x00 ")
    assert classes.names[1] == "two words"
    for wrong in ("a", " a ", "", "  ", None, 3, "x" * 201):
        with pytest.raises(OptionError):
            classes.added(wrong)
    assert classes.renamed(0, "a").names[0] == "a"
    with pytest.raises(OptionError, match="already"):
        classes.renamed(1, "a")


def test_markup_is_a_name_like_any_other():
    assert ClassList().added("<img src=x onerror=alert(1)>").names == ("<img src=x onerror=alert(1)>",)


@pytest.mark.parametrize("color", ["red", "#12345", "#0072B2", "url(x)", None, "#0072b2;x"])
def test_only_plain_colours_are_colours(color):
    with pytest.raises(OptionError):
        ClassList.named(["a"]).recolored(0, color)


def test_a_colour_can_be_chosen():
    assert ClassList.named(["a"]).recolored(0, "#010203").entries[0].color == "#010203"
    assert len(set(PALETTE)) == len(PALETTE)


@pytest.mark.parametrize("number", [1, -1, True, "0", None, 0.0])
def test_classes_that_are_gone_are_refused(number):
    classes = ClassList.named(["a"])
    for change in (classes.check, classes.without, lambda n: classes.renamed(n, "b")):
        with pytest.raises(OptionError):
            change(number)


def test_there_is_a_limit():
    classes = ClassList.named([str(i) for i in range(MOST_CLASSES)])
    with pytest.raises(OptionError, match="250"):
        classes.added("more")


def test_keys_stay_with_their_classes():
    digits = ClassList.named([str(digit) for digit in range(10)])
    changed = digits.renamed(3, "three").added("ten").without(1)
    assert [(entry.name, entry.key) for entry in changed][2:4] == [("three", "3"), ("4", "4")]
    assert changed.entries[-1].key == "⇧1"
    assert [entry.key for entry in ClassList.named(["dog", "1", "cat"])] == ["2", "1", "3"]
    assert ClassList.named([f"kind {i}" for i in range(21)]).entries[-1].key is None
