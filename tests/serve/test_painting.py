"""The state behind the page of `graphwell paint`, without a browser."""

import math

import numpy as np
import pytest
import rasterio
from PIL import Image

from graphwell import datasets
from graphwell.errors import OptionError
from tests.serve.paintings import ACROSS, MIDDLE, Heard, do, fine, first, folder, opened, paint_page

__all__ = ["folder", "opened"]


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


def test_a_killed_page_goes_on_with_the_same_strokes_and_undo(folder, opened):
    page, _ = opened
    for stroke in (ACROSS, MIDDLE, MIDDLE):
        do(page, "stroke", **stroke)
    do(page, "undo")
    page.end()
    again = paint_page(folder)
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
        paint_page(folder)


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


def shown(page, heard):
    """Labels on the screen once they are fine."""
    heard.wait_for(fine(page._number))
    event = [event for event in heard.events if event["event"] == "segmentation"][-1]
    return np.frombuffer(event["body"], dtype=np.uint8)


def test_labels_follow_from_the_strokes_that_are_left_and_are_saved_as_shown(folder, opened):
    page, heard = opened
    image, _ = datasets.make_grey_image(180, 190, noise=0.2, random_state=0)
    Image.fromarray(np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(folder / "b.png")
    do(page, "open", picture=1)
    strokes = [
        {"class": 1, "width": 3, "erase": False, "points": [[80, 60], [100, 62]]},
        {"class": 0, "width": 3, "erase": False, "points": [[5, 5], [150, 5]]},
        {"class": 0, "width": 5, "erase": True, "points": [[85, 61], [95, 61]]},
        {"class": 2, "width": 4, "erase": False, "points": [[20, 160], [170, 165]]},
        {"class": 0, "width": 3, "erase": False, "points": [[150, 60], [152, 120]]},
    ]
    do(page, "add class")
    for stroke in strokes:
        heard.wait_for(fine(do(page, "stroke", **stroke)))
    for step in ("undo", "undo", "redo", "undo", "redo", "redo"):
        heard.wait_for(fine(do(page, step)))
    do(page, "save")
    heard.wait_for(lambda e: e["event"] == "saved")
    after = shown(page, heard)
    colors = np.asarray(Image.open(folder / "painted" / "b_labels.png").convert("RGB")).reshape(-1, 3)
    classes = [bytes.fromhex(known["color"][1:]) for known in first(page)[0]["classes"]]
    assert [classes[label] for label in after] == [bytes(color) for color in colors.tolist()]

    other = paint_page(folder / "b.png", output=folder / "new")
    heard = Heard()
    other.begin(heard)
    try:
        do(other, "add class")
        for stroke in strokes:
            do(other, "stroke", **stroke)
        assert (shown(other, heard) == after).all()
    finally:
        other.end()


def test_the_fine_answer_is_shown_before_it_is_saved(opened):
    page, heard = opened
    for thread in page._segmenting:
        thread.end()  # so that nothing is shown but for saving
    number = [do(page, "stroke", **stroke) for stroke in (ACROSS, MIDDLE)][-1]
    do(page, "save")
    heard.wait_for(lambda e: e["event"] == "saved")
    events = [e["event"] for e in heard.events if e["event"] == "saved" or fine(number)(e)]
    assert events == ["segmentation", "saved"]


def test_what_a_picture_does_not_show_has_no_class_on_the_page_and_in_the_files(tmp_path):
    values, _ = datasets.make_grey_image(60, 70, noise=0.1, random_state=0)
    values[40:] = np.nan
    place = {"transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6), "crs": "EPSG:32632", "nodata": np.nan}
    shape = {"width": 70, "height": 60, "count": 1, "dtype": "float32"}
    with rasterio.open(tmp_path / "a.tif", "w", **shape, **place) as file:
        file.write(values.astype(np.float32), 1)
    page, heard = paint_page(tmp_path / "a.tif"), Heard()
    page.begin(heard)
    try:
        do(page, "stroke", **ACROSS)
        do(page, "stroke", **MIDDLE)
        labels = shown(page, heard).reshape(60, 70)
        do(page, "save")
        heard.wait_for(lambda e: e["event"] == "saved")
    finally:
        page.end()
    saved = np.asarray(Image.open(tmp_path / "painted" / "a_labels.png").convert("RGBA"))
    np.testing.assert_array_equal(labels == 255, np.isnan(values))
    np.testing.assert_array_equal(saved[..., 3] == 0, np.isnan(values))


def test_a_stroke_on_a_replaced_journal_is_refused_and_not_shown(folder, opened):
    page, _ = opened
    do(page, "stroke", **ACROSS)
    journal = folder / "painted" / "a.png.journal"
    journal.with_name("copy").write_bytes(journal.read_bytes())
    journal.with_name("copy").replace(journal)
    with pytest.raises(OSError, match=r"changed by another program.*a\.png\.journal\.1"):
        do(page, "stroke", **MIDDLE)
    assert len(first(page)[0]["strokes"]) == 1


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


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"class": 2}, "one of the classes"),
        ({"class": -1}, "one of the classes"),
        ({"class": True}, "one of the classes"),
        ({"class": "0"}, "one of the classes"),
        ({"class": 10**30}, "one of the classes"),
        ({"class": None}, "one of the classes"),
        ({"width": 0}, "wide"),
        ({"width": 1e9}, "wide"),
        ({"width": math.nan}, "wide"),
        ({"width": math.inf}, "wide"),
        ({"width": "3"}, "wide"),
        ({"width": [3]}, "wide"),
        ({"erase": 1}, "erase"),
        ({"erase": None}, "erase"),
        ({"points": []}, "1 to"),
        ({"points": None}, "1 to"),
        ({"points": {"0": [1, 1]}}, "1 to"),
        ({"points": [[1, 1]] * (5_001)}, "1 to"),
        ({"points": [[1, 1], [1]]}, "pair of numbers"),
        ({"points": [[1, 1, 1]]}, "pair of numbers"),
        ({"points": [["1", 1]]}, "pair of numbers"),
        ({"points": [[math.nan, 1]]}, "pair of numbers"),
        ({"points": [[1, -math.inf]]}, "pair of numbers"),
        ({"points": [[True, 1]]}, "pair of numbers"),
        ({"points": [1, 2]}, "pair of numbers"),
        ({"points": [[1e300, 1]]}, "pair of numbers"),
        ({"points": [[10**400, 1]]}, "pair of numbers"),
        ({"points": [[1e8, 1]]}, "far outside"),
        ({"points": [[1, -71]]}, "far outside"),
    ],
)
def test_what_is_no_stroke_is_refused(opened, changed, problem):
    page, _ = opened
    with pytest.raises(ValueError, match=problem):
        do(page, "stroke", **{**ACROSS, **changed})
    assert first(page)[0]["strokes"] == []


@pytest.mark.parametrize(
    "message",
    [
        {"do": "add class", "name": "x" * 201},
        {"do": "add class", "name": ["x"]},
        {"do": "add class", "name": "leaf"},
        {"do": "rename class", "class": 0, "name": "ground"},
        {"do": "rename class", "class": 0, "name": "  "},
        {"do": "rename class", "class": 0},
        {"do": "rename class", "class": 9, "name": "a"},
        {"do": "rename class", "class": True, "name": "a"},
        {"do": "color class", "class": 0, "color": "red"},
        {"do": "color class", "class": 0, "color": "#12345g"},
        {"do": "color class", "class": 0, "color": "#+12345"},
        {"do": "color class", "class": 0, "color": "#1_2_34"},
        {"do": "add class", "name": "\ud800\0"},
        {"do": "color class", "class": 0, "color": 5},
    ],
)
def test_what_is_no_change_of_classes_is_refused(opened, message):
    page, _ = opened
    before = first(page)[0]["classes"]
    with pytest.raises(ValueError, match=r"class|colour"):
        page.commands[message["do"]](message)
    assert first(page)[0]["classes"] == before
