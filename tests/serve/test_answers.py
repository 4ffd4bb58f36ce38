import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwell.errors import OptionError
from graphwell.serve.answers import CANNOT_TELL, NOTHING, SKIPPED, Answers
from graphwell.serve.classes import ClassList

N = 6


def fresh():
    return Answers(np.array([0, 1, NOTHING, NOTHING, NOTHING, CANNOT_TELL]), ClassList.named(["a", "b"]))


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
