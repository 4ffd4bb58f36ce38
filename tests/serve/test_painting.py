"""The state behind the page of `graphwell paint`, without a browser."""

import json
import time

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.jobs.painting import PaintedPicture, PaintOptions
from graphwell.serve.painting import PaintPage
from graphwell.serve.segmenting import Wish
from tests.jobs.test_painting import write_picture

ACROSS = {"class": 0, "width": 3, "erase": False, "points": [[5, 5], [60, 5]]}
MIDDLE = {"class": 1, "width": 3, "erase": False, "points": [[30, 30], [40, 30]]}


class Heard:
    """What windows were told."""

    def __init__(self):
        self.events = []

    def __call__(self, event):
        if isinstance(event, bytes):
            length = int.from_bytes(event[:4], "little")
            event = {**json.loads(event[4 : 4 + length]), "body": event[4 + length :]}
        self.events.append(event)

    def wait_for(self, enough, seconds=60):
        """Return the first event that is enough, once it is there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for event in list(self.events):
                if enough(event):
                    return event
            time.sleep(0.01)
        raise AssertionError([event["event"] for event in self.events])


@pytest.fixture
def folder(tmp_path):
    write_picture(tmp_path / "a.png")
    write_picture(tmp_path / "b.png", seed=1)
    return tmp_path


@pytest.fixture
def opened(folder):
    page, heard = PaintPage(PaintOptions(source=folder, n_jobs=1), ("leaf", "ground")), Heard()
    page.begin(heard)
    yield page, heard
    page.end()


def do(page, command, /, **message):
    return page.commands[command]({**message, "do": command})


def first(page):
    heard = Heard()
    for event in page.greeting():
        heard(event)
    return heard.events


def fine(number):
    return lambda e: e["event"] == "segmentation" and not e["coarse"] and e["number"] >= number


def test_a_window_is_told_the_picture_and_its_classes(opened):
    (event,) = first(opened[0])
    assert event["pictures"] == ["a.png", "b.png"]
    assert (event["width"], event["height"], len(event["body"])) == (70, 60, 70 * 60 * 3)
    assert [known["name"] for known in event["classes"]] == ["leaf", "ground"]
    assert not event["undo"]


def test_strokes_are_answered_coarse_and_fine_and_undone(opened):
    page, heard = opened
    do(page, "stroke", **ACROSS)
    number = do(page, "stroke", **MIDDLE)
    event = heard.wait_for(fine(number))
    labels = np.frombuffer(event["body"], dtype=np.uint8)[: 70 * 60].reshape(60, 70)
    assert (labels[4:6, 10:50] == 0).all()
    assert (labels[30, 31:39] == 1).all()
    assert do(page, "undo") is not None
    assert do(page, "undo") is not None
    assert do(page, "undo") is None  # the classes to begin with stay
    assert heard.wait_for(lambda e: e["event"] == "cleared")
    assert do(page, "redo") is not None
    assert [event["what"] for event in heard.events if event["event"] == "undone"] == ["stroke", "stroke"]


def test_a_coarse_answer_is_shown_until_the_fine_one_is_there(opened):
    page, heard = opened
    heard.wait_for(fine(do(page, "stroke", **ACROSS)))
    labels = np.zeros((2, 2), dtype=int)
    page._take(Wish(page._picture, labels, page._number), labels, True)
    assert not heard.events[-1]["coarse"]
    page._take(Wish(page._picture, labels, page._number + 1), labels, True)
    assert heard.events[-1]["coarse"]
    other = Wish(PaintedPicture(page._picture.path, page.options), labels, page._number + 2)
    page._take(other, labels, False)
    assert heard.events[-1]["coarse"]


def test_a_killed_page_goes_on_with_the_same_strokes_and_undo(folder, opened):
    page, _ = opened
    for stroke in (ACROSS, MIDDLE, MIDDLE):
        do(page, "stroke", **stroke)
    do(page, "undo")
    page.end()
    again = PaintPage(PaintOptions(source=folder, n_jobs=1))
    try:
        (event,) = first(again)
        assert [stroke["points"] for stroke in event["strokes"]] == [ACROSS["points"], MIDDLE["points"]]
        assert event["redo"]
        assert [known["name"] for known in event["classes"]] == ["leaf", "ground"]
    finally:
        again.end()


def test_the_next_picture_begins_from_the_classes_of_the_last(opened):
    page, heard = opened
    do(page, "stroke", **ACROSS)
    do(page, "rename class", **{"class": 1, "name": "sky"})
    do(page, "add class", name="stem")
    do(page, "open", picture=1)
    event = heard.wait_for(lambda e: e["event"] == "picture" and e["picture"] == 1)
    assert [known["name"] for known in event["classes"]] == ["leaf", "sky", "stem"]
    assert event["strokes"] == []
    do(page, "open", picture=0)
    do(page, "open", picture=0)  # it is open already
    assert len(first(page)[0]["strokes"]) == 1


def test_two_pages_do_not_share_a_journal(folder, opened):
    with pytest.raises(OptionError, match="is in use by process"):
        PaintPage(PaintOptions(source=folder))


def test_everything_is_saved(folder, opened):
    page, heard = opened
    with pytest.raises(ValueError, match="nothing to save yet"):
        do(page, "save")
    do(page, "stroke", **ACROSS)
    do(page, "stroke", **MIDDLE)
    do(page, "save")
    event = heard.wait_for(lambda e: e["event"] in ("saved", "failed"))
    assert event["files"] == ["a_labels.png", "a_overlay.png", "a_masks"]
    assert sorted(path.name for path in (folder / "painted" / "a_masks").iterdir()) == [
        "mask_ground.png",
        "mask_leaf.png",
    ]


def test_a_single_class_is_shown_and_saved_everywhere_and_that_is_said(opened):
    page, heard = opened
    event = heard.wait_for(fine(do(page, "stroke", **ACROSS)))
    assert set(event["body"][: 70 * 60]) == {0}
    do(page, "save")
    [note] = heard.wait_for(lambda e: e["event"] == "saved")["notes"]
    assert "every pixel has it; mark some pixels of another class too" in note


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stroke", {}),
        ("stroke", {**ACROSS, "points": [[float("nan"), 1]]}),
        ("stroke", {**ACROSS, "class": 7}),
        ("open", {"picture": 2}),
        ("open", {"picture": "../../etc/passwd"}),
        ("open", {}),
        ("rename class", {"class": 0, "name": 5}),
        ("color class", {"class": 0, "color": "url(x)"}),
    ],
)
def test_wrong_messages_are_refused_and_change_nothing(opened, name, message):
    page, heard = opened
    before = page._journal.path.read_bytes()
    with pytest.raises(ValueError, match=r"\.$"):
        do(page, name, **message)
    assert page._journal.path.read_bytes() == before
    assert not [event for event in heard.events if event["event"] in ("done", "picture")]
