"""The page of `graphwell label` as its windows know it: answers, questions, fits, and the files it writes."""

import base64
import csv
import math
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwell as gw
from graphwell.active import Session
from graphwell.errors import OptionError
from graphwell.progress import CancelledError
from graphwell.serve.answers import Annotations, ClassList
from tests.cli.blobs import classify, run
from tests.serve.pages import Window, write_groups

# Filters are of the whole process: where a test ends a block of its own, a fit beside it may see no other.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::graphwell.errors.{name}Warning")
    for name in ("Bridged", "Label", "Unreachable")
]
NOTHING, CANNOT_TELL, SKIPPED = -1, -2, -3
"""As the page itself writes them."""


@pytest.fixture
def window(tmp_path):
    path, truth = write_groups(tmp_path)
    with Window(path) as window:
        window.truth = truth
        window.fitted()
        yield window


def answered(window, n):
    """Answer questions truly, as they come; classes are added when they are met."""
    for _ in range(n):
        row = window.next()
        name = f"group {window.truth[row]}"
        if name not in window.names:
            window.do("add class", name=name)
        window.label(row, window.names.index(name))
        window.fitted()


# ---------------------------------------------------------------------------------------------- answers


ACTIONS = [
    *({"do": "label", "rows": [1, 2, 5], "class": number, "weight": weight}
      for number in range(4) for weight in (1, 0.1)),
    *({"do": do, "rows": [0, 3]} for do in ("cannot tell", "skip", "clear")),
    *({"do": "add class", "name": name} for name in "cd"),
    *({"do": "merge classes", "class": number, "into": 1} for number in range(4)),
    *({"do": "remove class", "class": number} for number in range(4)),
    {"do": "rename class", "class": 1, "name": "z"},
    {"do": "color class", "class": 0, "color": "#000000"},
]  # fmt: skip


def seen(window):
    answers = window.page.answers
    return answers.codes.tolist(), answers.weights.tolist(), answers.classes


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(ACTIONS), max_size=12))
def test_every_action_is_taken_back_done_again_and_found_after_a_kill(tmp_path_factory, actions):
    path, _ = write_groups(tmp_path_factory.mktemp("actions"), n=4, labels={0: "a", 1: "b"})
    window = Window(path)
    history = [seen(window)]
    for action in actions:
        try:
            window.page.commands[action["do"]](action)
            history.append(seen(window))
        except OptionError:
            assert seen(window) == history[-1]
        there = [entry.number for entry in window.page.answers.classes]
        assert not np.isin(window.page.answers.codes, np.setdiff1d(range(9), there)).any()
    for before in reversed(history[:-1]):
        assert window.do("undo")
        assert seen(window) == before
    assert window.do("undo") is None
    for after in history[1:]:
        assert window.do("redo")
        assert seen(window) == after
    window.page.end()
    again = Window(path)
    assert seen(again) == history[-1]
    assert len(again.journal.done) == len(history) - 1
    again.page.end()


def fresh():
    codes = np.array([0, 1, NOTHING, NOTHING, NOTHING, CANNOT_TELL])
    return Annotations(codes, ClassList.named(["a", "b"]))


def done(answers, do, **action):
    answers.go(answers.planned({"do": do, **action}))


def test_labels_of_many_rows_never_overrule_what_was_looked_at_and_merging_keeps_weights():
    answers = fresh()
    done(answers, "label", rows=[0, 2, 3, 5], weight=0.1, **{"class": 1})
    done(answers, "skip", rows=[4])
    assert answers.codes.tolist() == [0, 1, 1, 1, SKIPPED, CANNOT_TELL]
    assert answers.firm.tolist() == [0, 1, -1, -1, -1, CANNOT_TELL]
    done(answers, "label", rows=[2], **{"class": 0})
    assert answers.firm.tolist() == [0, 1, 0, -1, -1, CANNOT_TELL]
    done(answers, "merge classes", into=0, **{"class": 1})
    assert answers.codes.tolist() == [0, 0, 0, 0, SKIPPED, CANNOT_TELL]
    assert answers.weights.round(2).tolist() == pytest.approx([1, 1, 1, 0.1, 1, 1])
    done(answers, "remove class", **{"class": 0})
    assert answers.labelled.tolist() == []


@pytest.mark.parametrize(
    "action",
    [
        *(
            {"do": "label", "rows": rows, "class": 0}
            for rows in ([9], [-1], [], [0.5], "0", [[0]], [True], [2**70])
        ),
        *({"do": "label", "rows": [0], "class": number} for number in (7, True, "0", None, 0.0)),
        *({"do": "label", "rows": [0], "class": 0, "weight": weight} for weight in (0, "1", 2, math.nan)),
        *({"do": "add class", "name": name} for name in ("a", " a ", "", None, 3, "x" * 201)),
        {"do": "rename class", "class": 1, "name": "a"},
        {"do": "remove class", "class": 7},
        *(
            {"do": "color class", "class": 0, "color": color}
            for color in ("red", "#0072B2", "#0072b2;x", None)
        ),
        {"do": "merge classes", "class": 0, "into": 0},
        {"do": "sudo"},
    ],
)
def test_what_makes_no_sense_is_refused(action):
    answers = fresh()
    with pytest.raises(OptionError):
        answers.planned(action)


def test_keys_and_numbers_stay_with_their_classes_and_names_are_tidied():
    digits = ClassList.named([str(digit) for digit in range(10)])
    changed = digits.after({"do": "rename class", "class": 3, "name": "three"})
    changed = changed.added("  two\n words\t\x00 ").after({"do": "remove class", "class": 1})
    assert [(entry.name, entry.key) for entry in changed][2:4] == [("three", "3"), ("4", "4")]
    assert vars(changed.entries[-1]) | {"color": ""} == {
        "number": 10, "name": "two words", "key": "⇧1", "color": "",
    }  # fmt: skip
    assert changed.names[1] == ""
    assert [entry.key for entry in ClassList.named(["dog", "1", "cat"])] == ["2", "1", "3"]
    assert ClassList.named([f"kind {i}" for i in range(21)]).entries[-1].key is None
    markup = "<img src=x onerror=alert(1)>"
    assert ClassList().added(markup).names == (markup,)
    with pytest.raises(OptionError, match="250"):
        ClassList.named([str(i) for i in range(250)]).added("more")


# ---------------------------------------------------------------------------------------------- fits


def test_after_a_preview_the_fit_is_that_of_the_classifier_with_the_same_weights(window, monkeypatch):
    monkeypatch.setattr("graphwell.serve.fits.PREVIEW_FROM", 1)
    answered(window, 4)
    labels = window.of("labels")
    previews = [event for event in labels if event.get("preview")]
    assert {event["number"] for event in previews} <= {e["number"] for e in labels if not e.get("preview")}
    assert max(event["count"] for event in previews) > 0
    window.do("label", rows=[3, 4, 50, 51], weight=0.3, **{"class": 0})
    window.fitted()
    answers = window.page.answers
    session = window.table.session()
    alone = gw.DiffuseInterfaceClassifier(models=None, random_state=0, n_jobs=1).fit(
        session.prepared.shown, np.maximum(answers.codes, -1), sample_weight=answers.weights
    )
    assert np.array_equal(alone.transduction_, window.colors)
    assert [score for _, score in window.do("row", row=5)["guesses"]] == sorted(
        alone.label_distributions_[5], reverse=True
    )


def test_an_answer_does_not_wait_for_a_fit(window, monkeypatch):
    answered(window, 2)
    held, fit = threading.Event(), Session.fit
    monkeypatch.setattr("graphwell.active.Session.fit", lambda self, **options: (held.wait(20), fit(self))[1])
    before = window.next()
    first = window.label(before, 0)
    second = window.label(window.next(), 0)
    assert second["number"] == first["number"] + 1
    assert window.question["row"] != before
    held.set()
    window.fitted()


def test_an_answer_that_is_taken_back_before_its_fit_is_forgotten(window, monkeypatch):
    answered(window, 3)
    sessions, began, fit = [], threading.Event(), Session.fit

    def given_up(self, **options):
        sessions.append(self)
        began.set()
        if len(sessions) == 1:
            raise CancelledError
        return fit(self, **options)

    before = window.page.answers.codes.copy()
    monkeypatch.setattr("graphwell.active.Session.fit", given_up)
    row = window.next()
    window.label(row, 0)
    assert began.wait(30)
    assert row in sessions[0].answers
    window.do("undo")
    window.fitted()
    assert set(sessions[0].answers) == set(np.flatnonzero(before >= 0))


def test_a_fit_that_fails_is_named_and_answers_go_on(window, monkeypatch, capsys):
    monkeypatch.setattr("graphwell.active.Session.fit", lambda *_, **__: 1 / 0)
    window.do("add class", name="a")
    window.label(0, 0)
    window.wait(lambda e: "The work in the background failed: division" in e.get("text", ""))
    assert window.label(1, 0)["number"] == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_no_accuracy_is_shown_before_every_class_was_seen_and_ten_answers_were_checked(window):
    for group in range(3):
        window.do("add class", name=f"group {group}")
    window.label(0, 0)
    window.fitted()
    assert window.model["early"] == "Answer with at least two classes first."
    window.label(40, 1)
    window.fitted()
    assert window.model["early"] == "No row is labelled group 2 yet."
    with window.page.lock:  # faster than any fit: all of them are checked by one that knows two classes
        for row in (*range(1, 10), *range(80, 90)):
            window.label(row, int(window.truth[row]))
    window.fitted()
    assert window.model["early"].startswith("0 of 10 answers")
    with window.page.lock:
        for row in (*range(10, 15), *range(41, 46)):
            window.label(row, int(window.truth[row]))
    assert window.model["curve"] == []
    window.fitted()
    assert (window.model["early"], window.model["checked"]) == ("", 10)
    assert window.model["curve"][-1]["share"] > 0.9
    answered(window, 3)
    before = window.model
    assert sum(before["sizes"].values()) == len(window.truth)
    labels = [point["labels"] for point in before["curve"]]
    assert (labels, before["labels"]) == ([31, 32, 33, 34], 34)
    assert all(0 <= p["low"] <= p["share"] <= p["high"] <= 1 for p in before["curve"])
    assert not {row["row"] for row in before["doubtful"]} & set(window.page.answers.labelled.tolist())
    notes = len(window.journal.notes)
    window.page.end()
    with Window(window.table.options.table) as again:  # the curve goes on after a new start
        again.fitted()
        assert (again.model["curve"], again.model["checked"]) == (before["curve"], before["checked"])
        assert len(again.journal.notes) == notes
        with again.page.lock:  # no fit comes between the two
            again.do("undo")
            again.do("add class", name="group 3")
        again.fitted()
        assert again.model["early"] == "No row is labelled group 3 yet."
        assert [point["labels"] for point in again.model["curve"]] == labels[:2]  # none is new: too early


NOTE = {"labels": 3, "share": 0.5, "low": 0.2, "high": 0.8, "checked": [[7, 0.6, True]]}


@pytest.mark.parametrize(
    "odd", [{"share": None}, {"share": True}, {"checked": 5}, {"checked": [["7", 0.6, 1]]}]
)
def test_a_journal_whose_notes_make_no_sense_is_refused(tmp_path, odd):
    path, _ = write_groups(tmp_path, n=4)
    first = Window(path)
    first.journal.note({**NOTE, **odd})
    first.page.end()
    with pytest.raises(OptionError, match=r"groups.csv.journal makes no sense in its notes"):
        Window(path)


def test_guesses_are_a_start_that_answers_overrule(tmp_path):
    path, truth = write_groups(tmp_path)
    rng = np.random.default_rng(0)
    guesses = np.where(rng.random(len(truth)) < 0.7, truth, rng.integers(0, 2, len(truth)))
    guesses[80:] = 0  # nobody guessed the third group
    lines = path.read_text().splitlines()
    known = ["model", *(f"kind {guess}" for guess in guesses)]
    known[5] = ""
    path.write_text("\n".join(f"{line},{guess}" for line, guess in zip(lines, known, strict=True)) + "\n")
    with Window(path, guesses="model") as window:
        window.fitted()
        assert window.names == ("kind 0", "kind 1")
        assert "model" not in window.table.read.frame.columns
        assert (window.colors[:80] == truth[:80]).all()
        assert window.model["early"] == "Answer with at least two classes first."
        assert window.model["labels"] == 0
        assert window.model["doubtful"][0]["row"] < 80  # where guesses differ
        window.do("add class", name="other")
        window.label(0, 1)  # against guess and neighbours
        window.label(20, 0)
        for row in (82, 90, 99, 110):
            window.label(row, 2)
        window.fitted()
        assert (window.colors[80:] == 2).all()
        assert (window.colors[0], window.colors[100]) == (1, 2)
        window.do("rename class", **{"class": 0, "name": "first"})
        window.do("merge classes", **{"class": 1, "into": 0})
        window.fitted()
        assert set(window.colors[:80]) == {0}
        window.do("undo")
        window.do("export")
    rows = list(csv.DictReader((tmp_path / "groups.labelled.csv").read_text().splitlines()))
    assert {row["graphwell_label"] for row in rows} >= {"first", "other"}
    assert Counter(row["graphwell_given"] for row in rows)["true"] == 6
    with Window(path, guesses="model", trust=0.99) as again:
        again.fitted()
        assert (again.colors[40:80] == 1).all()
    for odd, problem in (({"guesses": "nothing"}, "no such column"), ({"trust": 1.0}, "between 0 and 1")):
        with pytest.raises(OptionError, match=problem):
            Window(path, **odd)


# ---------------------------------------------------------------------------------------------- questions


def test_undo_names_its_row_which_can_be_asked_first_and_redo_answers(window):
    answered(window, 2)
    row = window.next()
    window.label(row, 1)
    assert window.next() != row  # another window is asked another one
    back = window.do("undo")["back"]
    assert (back["row"], back["name"]) == (row, f"<i>{row}</i>")
    assert window.next(first=[row]) == row
    assert window.question["reason"] == "not answered yet"
    assert window.page.answers.codes[row] == NOTHING
    window.do("redo")
    assert window.page.answers.codes[row] == 1
    for _ in range(10):
        window.do("undo")
    assert window.do("undo") is None
    window.fitted()
    assert {tuple(event) for event in window.of("questions")} == {("event",)}  # none names a row to show
    assert set(window.colors.tolist()) == {255}
    with pytest.raises(OptionError, match="nothing to write"):
        window.do("export")


def test_skipped_rows_come_last_and_what_cannot_be_told_never(window):
    window.do("add class", name="a")
    skipped = window.next()
    window.do("skip", rows=[skipped])
    second = window.next()
    window.do("cannot tell", rows=[second])
    window.fitted()
    assert window.next(first=[skipped, second]) not in (skipped, second)
    rest = [row for row in range(len(window.truth)) if row not in (skipped, second)]
    window.do("label", rows=rest, **{"class": 0})
    window.fitted()
    assert window.next() == skipped
    assert window.question["reason"] == "skipped before"
    window.do("cannot tell", rows=[skipped])
    assert window.do("next") == {"question": None, "left": False}


def test_a_row_is_shown_with_everything(window):
    answered(window, 3)
    shown = window.do("row", row=5)
    assert shown["name"] == "<i>5</i>"
    assert [name for name, _ in shown["cells"]] == ["name", "<b>a</b>", "b", "c", "d"]
    assert len(shown["guesses"]) == 3
    assert shown["guesses"][0][0] == window.colors[5]
    assert {near["row"] for near in shown["near"]} == set(window.page.answers.labelled.tolist())
    like = window.do("like", row=5)
    assert set(like) <= set(range(40)) - set(window.page.answers.labelled.tolist())
    assert (len(like), like[0] in window.table.nearest(5, np.arange(40), 4)) == (24, True)
    assert window.do("search", text="<I>11")[0]["name"] == "<i>11</i>"
    assert window.do("search", text=" ") == []
    for row in (-1, 10**6, True, "1", None):
        with pytest.raises(OptionError):
            window.do("row", row=row)


def test_a_column_is_a_byte_for_each_row_and_what_it_means(window):
    about = next(iter(window.page.greeting()))
    assert about["columns"] == ["name", "<b>a</b>", "b", "c", "d"]
    shown = window.do("column", name="b")
    values = np.frombuffer(base64.b64decode(shown["values"]), dtype=np.uint8)
    assert (values.min(), values.max()) == (0, 254)
    assert float(shown["low"]) < 0 < 8 < float(shown["high"])
    assert (values[40:80] > 150).all()  # the second group lies at 8
    with pytest.raises(OptionError, match="another value in every row"):
        window.do("column", name="name")
    for odd in ("label", "nothing", None, 3):
        with pytest.raises(OptionError, match="no column"):
            window.do("column", name=odd)


def test_a_column_of_words_has_names_and_colours_the_most_frequent_first(tmp_path):
    kinds = [*(["red"] * 5), *([""] * 3), *(["<b>blue</b>"] * 8), "rare"]
    numbers = ["n/a", *(f"{row / 4:.2f}".replace(".", ",") for row in range(1, len(kinds)))]
    lines = [f"{row};{number};{kind}" for row, (number, kind) in enumerate(zip(numbers, kinds, strict=True))]
    (tmp_path / "in.csv").write_text("\n".join(["x;y;kind", *lines, ""]))
    window = Window(tmp_path / "in.csv", row_id=None)
    shown = window.do("column", name="kind")
    assert shown["names"] == ["<b>blue</b>", "red"]
    assert [len(color) for color in shown["colors"]] == [7, 7]
    assert list(base64.b64decode(shown["values"])) == [1] * 5 + [255] * 3 + [0] * 8 + [255]
    values = list(
        base64.b64decode(window.do("column", name="y")["values"])
    )  # numbers with commas, and a word
    assert values[0] == 255
    assert values[1:] == sorted(values[1:])
    window.page.end()


# ---------------------------------------------------------------------------------------------- files


def test_the_table_is_written_and_its_answers_classify_to_the_labels_that_were_shown(window):
    answered(window, 6)
    untold = window.next()
    window.do("cannot tell", rows=[untold])
    window.do("label", rows=[1, 2], weight=0.1, **{"class": window.names.index("group 0")})
    window.fitted()
    assert window.do("export").endswith("groups.labelled.csv")
    folder = window.table.options.table.parent
    answers, back = folder / "groups.answers.csv", folder / "answered.csv"
    assert run("suggest", folder / "groups.csv", "--answers", answers, "-o", back).exit_code == 0
    again = folder / "again.csv"
    options = ("--id", "name", "--unknown", "?", "--set", "models=none")
    assert classify(back, "-o", again, *options).exit_code == 0
    shown, found = (
        list(csv.DictReader(path.read_text().splitlines()))
        for path in (folder / "groups.labelled.csv", again)
    )
    assert shown[untold]["graphwell_label"] == shown[untold]["graphwell_score"] == ""
    for row, (mine, other) in enumerate(zip(shown, found, strict=True)):
        assert mine["graphwell_given"] == other["graphwell_given"]
        assert other["graphwell_label"] == f"group {window.truth[row]}"
        assert mine["graphwell_label"] == (other["graphwell_label"] if row != untold else "")
    status = Counter(row["graphwell_status"] for row in shown)
    assert (status["given"], status["cannot tell"]) == (6, 1)
    assert shown[untold]["graphwell_status"] == "cannot tell"
    assert status["labelled"] == len(shown) - 7 - status["uncertain"]
    assert {shown[row]["graphwell_status"] for row in (1, 2)} <= {"labelled", "given"}


def test_classes_can_be_named_beforehand_and_a_new_start_adds_none_again(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "x"})
    first = Window(path, classes=("a", " b ", "x", "a"))
    assert first.names == ("x", "a", "b")
    first.do("rename class", name="A", **{"class": 1})
    first.page.end()
    again = Window(path, classes=("a", "b", "c"))
    assert again.names == ("x", "A", "b", "c")
    assert [entry.key for entry in again.page.answers.classes] == ["1", "2", "3", "4"]
    assert again.page.answers.labelled.tolist() == [0]
