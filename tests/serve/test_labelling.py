import csv
import json
import threading

import numpy as np
import pytest

from graphwell.active import Session
from graphwell.errors import OptionError
from graphwell.progress import CancelledError
from tests.cli.blobs import classify, run
from tests.serve.tables import Window, write_groups

pytestmark = pytest.mark.slow
NOTHING, CANNOT_TELL = -1, -2
"""As the page itself writes them."""


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    return write_groups(tmp_path_factory.mktemp("groups"))


@pytest.fixture
def window(tmp_path):
    path, truth = write_groups(tmp_path)
    with Window(path) as window:
        window.truth = truth
        window.fitted()
        yield window


def decoded(frame):
    length = int.from_bytes(frame[:4], "little")
    head = json.loads(frame[4 : 4 + length])
    rows = np.frombuffer(frame, dtype="<u4", count=head["count"], offset=4 + length)
    values = np.frombuffer(frame, dtype=np.uint8, offset=4 + length + 4 * head["count"])
    return head["event"], dict(zip(rows.tolist(), values.tolist(), strict=True))


def answered(window, n):
    """Answer questions truly, as they come; classes are added when they are met."""
    for _ in range(n):
        row = window.next()
        name = f"group {window.truth[row]}"
        if name not in window.page.answers.classes.names:
            window.do("add class", name=name)
        window.label(row, window.page.answers.classes.names.index(name))
        window.fitted()


def test_three_answers_label_three_groups(window):
    answered(window, 3)
    found = window.page._found.labels
    names = np.array(window.page.answers.classes.names)
    assert [f"group {group}" for group in window.truth] == names[found].tolist()


def test_windows_are_told_what_changed_and_nothing_else(window):
    answered(window, 3)
    told = np.full(len(window.truth), 255)
    changes = 0
    for event in window.events:
        if isinstance(event, bytes):
            length = int.from_bytes(event[:4], "little")
            if json.loads(event[4 : 4 + length])["event"] == "labels":
                _, values = decoded(event)
                assert all(told[row] != value for row, value in values.items())
                told[list(values)] = list(values.values())
                changes += 1
    assert changes >= 3
    assert told.tolist() == window.page._coloring.classes.tolist()
    _, greeted = decoded(list(window.page.greeting())[2])
    assert list(greeted.values()) == told.tolist()


def test_an_answer_does_not_wait_for_a_fit(window, monkeypatch):
    answered(window, 2)
    held = threading.Event()
    fit = type(window.page._fits.table.session()).fit
    monkeypatch.setattr("graphwell.active.Session.fit", lambda self, **options: (held.wait(20), fit(self))[1])
    before = window.next()
    first = window.label(before, 0)
    second = window.label(window.next(), 0)
    assert second["number"] == first["number"] + 1
    assert window.question["row"] != before
    held.set()
    window.fitted()


def test_no_event_names_a_row_to_show_and_two_windows_get_two_rows(window):
    answered(window, 3)
    mine, other = window.next(), window.next()
    assert mine != other
    window.label(other, 0)
    window.fitted()
    assert {tuple(event) for event in window.of("questions")} == {("event",)}
    assert window.do("row", row=mine)["given"] == NOTHING


def test_undo_names_its_row_which_can_be_asked_first_and_redo_answers(window):
    answered(window, 2)
    row = window.next()
    window.label(row, 1)
    assert window.next() != row
    assert window.do("undo")["back"] == {"row": row, "name": f"<i>{row}</i>"}
    assert window.next(first=[row]) == row
    assert window.question["reason"] == "not answered yet"
    assert window.page.answers.codes[row] == NOTHING
    window.do("redo")
    assert window.page.answers.codes[row] == 1
    for _ in range(10):
        window.do("undo")
    assert window.do("undo") is None
    assert not window.page.answers.labelled.size
    window.fitted()
    assert window.page._found is None
    assert set(window.page._coloring.classes.tolist()) == {255}


def test_cannot_tell_and_skip_are_not_asked_again(window):
    first = window.next()
    window.do("skip", rows=[first])
    second = window.next()
    window.do("cannot tell", rows=[second])
    window.fitted()
    assert window.next(first=[first, second]) not in (first, second)
    window.wait(lambda w: not {first, second} & {question.row for question in w.page._queue})
    assert window.page.answers.codes[second] == CANNOT_TELL


def test_skipped_rows_come_last(window):
    window.do("add class", name="a")
    skipped = window.next()
    window.do("skip", rows=[skipped])
    window.do("label", rows=[r for r in range(len(window.truth)) if r != skipped], **{"class": 0})
    window.fitted()
    window.wait(lambda w: w.page._queue and w.page._queue[0].reason == "skipped before")
    assert [question.row for question in window.page._queue] == [skipped]
    assert window.next() == skipped
    window.do("cannot tell", rows=[skipped])
    assert window.do("next") == {"question": None, "left": False}


def test_a_lasso_seeds_and_the_graph_decides(window):
    answered(window, 3)
    number = int(window.page._found.labels[0])
    inside = np.flatnonzero(window.truth == window.truth[0])[:20]
    stray = np.flatnonzero(window.truth != window.truth[0])[:1]
    rows = [*inside.tolist(), *stray.tolist()]
    window.do("label", rows=rows, weight=0.02, **{"class": number})
    window.fitted()
    said = window.page._model["lasso"]
    assert said["class"] == number
    assert said["rows"] in (20, 21)
    assert window.page._found.labels[stray[0]] != number
    assert said["says"][number] >= 19


def test_a_killed_server_goes_on_where_it_was(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "x", 60: "y"})
    window = Window(path)  # no thread is begun: all that counts is on disc
    window.label(3, 1)
    window.do("add class", name="z")
    window.do("rename class", name="Z", **{"class": 2})
    window.label(100, 2)
    window.do("undo")
    window.do("color class", color="#123456", **{"class": 0})
    window.do("undo")
    state = window.page.answers.codes.tolist(), window.page.answers.classes
    del window.page
    again = Window(path)
    assert (again.page.answers.codes.tolist(), again.page.answers.classes) == state
    assert [action["do"] for action in again.journal.done] == ["label", "add class", "rename class"]
    again.do("redo")
    assert again.page.answers.classes.entries[0].color == "#123456"
    for _ in range(4):
        again.do("undo")
    assert again.page.answers.labelled.tolist() == [0, 60]


def test_what_is_refused_is_not_written(window):
    before = window.journal.path.read_bytes()
    for action in (
        {"do": "label", "rows": [10**9], "class": 0},
        {"do": "rename class", "class": 5, "name": "x"},
        {"do": "add class", "name": ""},
    ):
        with pytest.raises(OptionError):
            window.page.commands[action["do"]](action)
    with pytest.raises(KeyError):
        window.page.commands["label"]({"do": "label", "rows": [0]})
    assert window.journal.path.read_bytes() == before


def test_the_table_is_written_as_classify_writes_it(window):
    with pytest.raises(OptionError, match="nothing to write"):
        window.do("export")
    answered(window, 4)
    written = window.do("export")
    lines = (window.table.options.table.parent / "groups.labelled.csv").read_text().splitlines()
    assert written.endswith("groups.labelled.csv")
    assert lines[0].endswith("graphwell_label,graphwell_score,graphwell_reachable,graphwell_given")
    cells = [line.split(",")[-4:] for line in lines[1:]]
    assert [cell[0] for cell in cells] == [f"group {group}" for group in window.truth]
    assert sum(cell[3] == "true" for cell in cells) == 4


def test_the_answers_brought_back_classify_to_the_labels_that_were_shown(window):
    answered(window, 6)
    window.do("cannot tell", rows=[window.next()])
    window.fitted()
    window.do("export")
    folder = window.table.options.table.parent
    answers, back = folder / "groups.answers.csv", folder / "answered.csv"
    assert run("suggest", folder / "groups.csv", "--answers", answers, "-o", back).exit_code == 0
    again = folder / "again.csv"
    options = ("--id", "name", "--unknown", "?", "--set", "tune=false", "--set", "evidence=none")
    assert classify(back, "-o", again, *options).exit_code == 0
    names = ("name", "graphwell_label", "graphwell_given")
    shown, found = (
        [[row[name] for name in names] for row in csv.DictReader(path.read_text().splitlines())]
        for path in (folder / "groups.labelled.csv", again)
    )
    assert found == shown
    assert sum(row[2] == "true" for row in found) == 6


def test_a_row_is_shown_with_everything(window):
    answered(window, 3)
    shown = window.do("row", row=5)
    assert shown["name"] == "<i>5</i>"
    assert [name for name, _ in shown["cells"]] == ["name", "<b>a</b>", "b", "c", "d"]
    assert len(shown["guesses"]) == 3
    assert shown["guesses"][0][0] == window.page._found.labels[5]
    assert {near["row"] for near in shown["near"]} == set(window.page.answers.labelled.tolist())
    assert window.do("search", text="<I>11")[0]["name"] == "<i>11</i>"
    assert window.do("search", text=" ") == []
    for row in (-1, 10**6, True, "1", None):
        with pytest.raises(OptionError):
            window.do("row", row=row)


def test_the_model_tells_sizes_doubt_and_a_curve(window):
    answered(window, 15)
    model = window.page._model
    assert model["early"] == ""
    assert len(model["curve"]) > 1
    assert sum(model["sizes"].values()) == len(window.truth)
    assert [point["labels"] for point in model["curve"]] == sorted({p["labels"] for p in model["curve"]})
    assert all(0 <= p["low"] <= p["share"] <= p["high"] <= 1 for p in model["curve"])
    assert all(row["row"] not in window.page.answers.labelled for row in model["doubtful"])


def test_everything_told_is_json(window):
    answered(window, 3)
    window.do("search", text="1")
    told = [event for event in [*window.events, *window.page.greeting()] if not isinstance(event, bytes)]
    assert {"about", "questions", "stage"} <= {event["event"] for event in told}
    assert all(json.loads(json.dumps(event, allow_nan=False)) for event in told)


def test_a_better_map_comes_after_the_first(window):
    window.wait(lambda w: any(b'"positions"' in e[:60] for e in w.events if isinstance(e, bytes)))
    assert window.page._places.shape == (len(window.truth), 2)
    assert np.isfinite(window.page._places).all()


def test_given_coordinates_are_the_map(tmp_path):
    path, truth = write_groups(tmp_path)
    page = Window(path, xy=("b", "c")).page
    assert page._places.shape == (len(truth), 2)
    assert page._places[0].tolist() == pytest.approx(
        [float(c) for c in path.read_text().splitlines()[1].split(",")[2:4]]
    )


def test_the_curve_goes_on_after_a_new_start(tmp_path):
    path, truth = write_groups(tmp_path)
    with Window(path) as window:
        window.truth = truth
        window.fitted()
        answered(window, 15)
        before = window.page._model
    with Window(path) as again:
        again.fitted()
        after = again.page._model
        assert after["curve"] == before["curve"]
        assert after["checked"] == before["checked"] > 0
        assert len(again.journal.notes) == len(window.journal.notes)


def test_a_journal_whose_notes_make_no_sense_is_refused(tmp_path):
    path, _ = write_groups(tmp_path)
    first = Window(path)
    first.journal.note({"labels": 3, "share": 0.5})
    first.journal.close()
    with pytest.raises(OptionError, match=r"groups.csv.journal makes no sense in its notes"):
        Window(path)


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
    assert row not in sessions[0].answers
    assert set(sessions[0].answers) == set(np.flatnonzero(before >= 0))


def test_of_a_large_table_a_preview_comes_before_the_fit(window, monkeypatch):
    monkeypatch.setattr("graphwell.serve.fits.PREVIEW_FROM", 1)
    answered(window, 3)
    events = list(window.events)
    heads = [json.loads(e[4 : 4 + int.from_bytes(e[:4], "little")]) for e in events if isinstance(e, bytes)]
    labels = [head for head in heads if head["event"] == "labels"]
    previews = [head for head in labels if head.get("preview")]
    assert {head["number"] for head in previews} <= {
        head["number"] for head in labels if not head.get("preview")
    }
    assert max(head["count"] for head in previews) > 0
    first = labels.index(previews[0])
    assert labels[first + 1]["number"] >= previews[0]["number"]
    assert np.array_equal(window.page._coloring.classes, window.page._found.labels)


def test_no_accuracy_is_told_before_every_class_was_seen_and_ten_answers_were_checked(window):
    for group in range(3):
        window.do("add class", name=f"group {group}")
    window.label(0, 0)
    window.fitted()
    assert window.page._model["early"] == "Answer with at least two classes first."
    window.label(40, 1)
    window.fitted()
    assert window.page._model["early"] == "No row is labelled group 2 yet."
    with window.page._lock:  # faster than any fit: all of them are checked by one that knows two classes
        for row in (*range(1, 10), *range(80, 90)):
            window.label(row, int(window.truth[row]))
    window.fitted()
    assert window.page._model["early"].startswith("0 of 10 answers")
    with window.page._lock:
        for row in (*range(10, 15), *range(41, 46)):
            window.label(row, int(window.truth[row]))
    assert window.page._model["curve"] == []
    window.fitted()
    assert (window.page._model["early"], window.page._model["checked"]) == ("", 10)
    assert window.page._model["curve"][-1]["share"] > 0.9
    window.do("add class", name="group 3")
    window.fitted()
    assert window.page._model["early"] == "No row is labelled group 3 yet."


def test_classes_can_be_named_beforehand_and_a_new_start_adds_none_again(tmp_path):
    path, _ = write_groups(tmp_path, labels={0: "x"})
    first = Window(path, classes=("a", " b ", "x", "a"))
    assert first.page.answers.classes.names == ("x", "a", "b")
    first.do("rename class", name="A", **{"class": 1})
    first.journal.close()
    again = Window(path, classes=("a", "b", "c"))
    assert again.page.answers.classes.names == ("x", "A", "b", "c")
    assert [entry.key for entry in again.page.answers.classes] == ["1", "2", "3", "4"]
    assert again.page.answers.labelled.tolist() == [0]
