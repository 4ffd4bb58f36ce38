"""A page of `graphwell paint`, and what its windows are sent."""

import json
import math

import numpy as np
import pytest
import rasterio
from PIL import Image

from graphwell import datasets
from graphwell.errors import OptionError
from graphwell.io.drawings import read_drawing
from graphwell.serve.painting import MOST_STROKES, Request
from tests.cli.blobs import run
from tests.jobs.test_painting import write_picture
from tests.serve.pages import Canvas

ACROSS = {"class": 0, "width": 3, "erase": False, "points": [[5, 5], [60, 5]]}
MIDDLE = {"class": 1, "width": 3, "erase": False, "points": [[30, 30], [40, 30]]}


@pytest.fixture
def folder(tmp_path):
    write_picture(tmp_path / "a.png")
    write_picture(tmp_path / "b.png", seed=1)
    return tmp_path


@pytest.fixture
def window(folder):
    with Canvas(folder, ("leaf", "ground")) as window:
        yield window


def names(window):
    return [known["name"] for known in window.first["classes"]]


def test_strokes_are_segmented_and_undone(window):
    event = window.first
    assert event["pictures"] == ["a.png", "b.png"]
    assert (event["width"], event["height"], len(event["body"])) == (70, 60, 70 * 60 * 3)
    assert not event["undo"]
    window.do("stroke", **ACROSS)
    window.do("stroke", **MIDDLE)
    labels = window.shown()
    assert (labels[4:6, 10:50] == 0).all()
    assert (labels[30, 31:39] == 1).all()
    for left in (1, 0):
        assert window.do("undo") is not None
        assert len(window.first["strokes"]) == left
    assert window.do("undo") is None  # the classes to begin with stay
    assert window.of("cleared")
    assert window.do("redo") is not None
    assert [event["back"] for event in window.of("painted")] == [False, False, True, True, False]


def test_a_killed_page_goes_on_with_the_same_strokes_and_undo(folder, window):
    for stroke in (ACROSS, MIDDLE, MIDDLE):
        window.do("stroke", **stroke)
    window.do("undo")
    with pytest.raises(OptionError, match="is in use by process"):
        Canvas(folder)
    window.page.end()
    with Canvas(folder) as again:
        assert [stroke["points"] for stroke in again.first["strokes"]] == [ACROSS["points"], MIDDLE["points"]]
        assert again.first["redo"]
        assert names(again) == ["leaf", "ground"]


def test_classes_go_to_the_next_picture_and_all_changes_are_undone(window):
    window.do("stroke", **ACROSS)
    window.do("rename class", **{"class": 1, "name": "sky"})
    window.do("add class", name=" <b>stem</b> ")
    window.do("color class", **{"class": 2, "color": "#abcdef"})
    stem = {"number": 2, "name": "<b>stem</b>", "color": "#abcdef", "key": "3"}
    assert window.first["classes"][2] == stem
    window.do("open", picture=1)
    event = window.wait(lambda e: e["event"] == "picture" and e["picture"] == 1)
    assert [known["name"] for known in event["classes"]] == ["leaf", "sky", "<b>stem</b>"]
    assert event["strokes"] == []
    window.do("open", picture=0)
    window.do("open", picture=0)  # it is open already
    for _ in range(3):
        window.do("undo")
    assert names(window) == ["leaf", "ground"]
    assert len(window.first["strokes"]) == 1


def test_the_same_strokes_are_painted_on_like_pictures_that_have_none(folder, window):
    write_picture(folder / "c.png", seed=2)
    Image.new("L", (50, 50)).save(folder / "d.png")
    (folder / "e.png").write_bytes(b"no picture")
    window.page.end()
    with Canvas(folder) as window:
        window.do("open", picture=2)
        window.do("stroke", **ACROSS)
        window.do("open", picture=0)
        window.do("add class", name="third")
        window.do("remove class", **{"class": 0})
        for stroke in ({**ACROSS, "class": 2}, {**MIDDLE, "erase": True}, MIDDLE):
            window.do("stroke", **stroke)
        shown = window.page.strokes.document()
        saved = window.do("save", all=True)
        assert saved["notes"][-2].startswith("1 of 4 other pictures were painted and saved")
        words = "c.png has strokes of its own; d.png has another size; e.png cannot be painted"
        assert saved["notes"][-1].startswith(words)
        assert not list((folder / "painted").glob("[cd]_*"))
        labels = np.asarray(Image.open(folder / "painted" / "b_labels.png").convert("RGB"))
        window.do("open", picture=1)
        assert (window.page.strokes.document(), names(window)) == (shown, ["ground", "third"])
        colors = np.array([list(bytes.fromhex(known["color"][1:])) for known in window.first["classes"]])
        assert (colors[window.shown()] == labels).all()
        for _ in range(3):
            assert window.do("undo")
        assert len(window.first["strokes"]) == 0


def test_slices_of_a_stack_are_painted_and_the_whole_of_it_is_segmented(tmp_path):
    volume = np.zeros((6, 40, 50))
    volume[:, 10:30, 15:40] = 1
    path = tmp_path / "stack.npy"
    np.save(path, volume + 0.1 * np.random.default_rng(0).standard_normal(volume.shape))
    with Canvas(path, ("ground", "cube"), slice_axis=0) as window:
        assert (window.first["slices"], window.first["slice"], window.first["height"]) == (6, 3, 40)
        assert len(window.first["body"]) == 40 * 50 * 3
        window.do("stroke", **{**ACROSS, "points": [[5, 5], [45, 5]]}, slice=1)
        window.do("stroke", **{**MIDDLE, "points": [[20, 20], [30, 20]]}, slice=4)
        assert (window.shown() == volume[3]).all()
        number = len(window.of("segmentation"))
        window.do("open", picture=0, slice=5)
        assert window.first["slice"] == 5
        window.wait(lambda e: len(window.of("segmentation")) > number)
        assert (window.shown() == volume[5]).all()
        for odd in (6, -1, "1"):
            with pytest.raises(ValueError, match="There is no such slice"):
                window.do("stroke", **ACROSS, slice=odd)
        assert window.do("save")["files"] == ["stack_labels.npy", "stack_overlay.png"]
        window.do("merge classes", **{"class": 1, "into": 0})
        assert set(window.page.strokes.seeds.ravel()) == {-1, 0}
        window.do("undo")
        assert window.page.strokes.seeds[20, 25].tolist() == [-1, -1, -1, -1, 1, -1]
    painted = tmp_path / "painted"
    assert (np.load(painted / "stack_labels.npy") == volume).all()
    done = run("segment", path, "--seeds", painted / "stack_seeds.npy", "-o", painted / "again.npy")
    assert done.exit_code == 0, done.output
    assert (painted / "again.npy").read_bytes() == (painted / "stack_labels.npy").read_bytes()


def test_a_volume_in_a_file_of_its_own_kind_is_saved_in_that_kind(tmp_path):
    nibabel = pytest.importorskip("nibabel", reason="nibabel is not installed")
    volume = np.zeros((30, 40, 5), dtype=np.float32)
    volume[10:20, 15:30] = 1
    nibabel.save(nibabel.Nifti1Image(volume, np.diag([1, 1, 3, 1])), tmp_path / "scan.nii.gz")
    with Canvas(tmp_path / "scan.nii.gz") as window:
        window.do("stroke", **{**ACROSS, "points": [[5, 5], [35, 5]]}, slice=2)
        window.do("stroke", **{**MIDDLE, "points": [[20, 15], [25, 15]]}, slice=2)
        assert window.do("save")["files"] == ["scan_labels.nii.gz", "scan_overlay.png"]
    saved = nibabel.load(tmp_path / "painted" / "scan_labels.nii.gz")
    assert (np.asarray(saved.dataobj) == volume).all()
    assert saved.affine[2, 2] == 3


@pytest.mark.parametrize("inside", [False, True])
def test_a_label_image_is_a_start_that_strokes_go_on_from(tmp_path, inside):
    truth = write_picture(tmp_path / "a.png")
    colors = np.array([[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [90, 120, 255]])
    (tmp_path / "old").mkdir()
    Image.fromarray(colors.astype(np.uint8)[truth]).save(tmp_path / "old" / "a_labels.png")
    labels = tmp_path / "old" if inside else tmp_path / "old" / "a_labels.png"
    with Canvas(tmp_path / "a.png", labels=labels) as window:
        assert {known["color"] for known in window.first["classes"]} <= {
            "#{:02x}{:02x}{:02x}".format(*color) for color in colors.tolist()
        }
        shown = np.array(window.first["classes"])
        colors_shown = np.array([list(bytes.fromhex(known["color"][1:])) for known in shown])
        assert (colors_shown[window.shown()] == colors[truth]).all(axis=-1).mean() > 0.97
        strokes = len(window.first["strokes"])
        window.do("stroke", **ACROSS)
        assert window.shown()[5, 30] == 0
    with Canvas(tmp_path / "a.png", labels=labels) as window:
        assert len(window.first["strokes"]) == strokes + 1  # the start is made once


def test_removed_and_merged_classes_take_their_strokes_along_and_come_back(folder, window):
    window.do("add class", name="stem")
    third = {"class": 2, "width": 3, "erase": False, "points": [[5, 50], [60, 50]]}
    erased = {**MIDDLE, "erase": True, "points": [[33, 30]]}
    for stroke in (ACROSS, MIDDLE, third, erased):
        window.do("stroke", **stroke)
    before = window.first["strokes"], window.page.strokes.seeds.copy()
    window.do("merge classes", **{"class": 0, "into": 2})
    assert names(window) == ["ground", "stem"]
    assert [stroke["class"] for stroke in window.first["strokes"]] == [2, 1, 2, 1]
    assert window.of("painted")[-1]["strokes"] == window.first["strokes"]
    saved = window.page.strokes.document()
    assert [known["name"] for known in saved["classes"]] == ["ground", "stem"]
    assert [stroke["class"] for stroke in saved["strokes"]] == [1, 0, 1, 0]
    window.do("remove class", **{"class": 2})
    assert [stroke["points"] for stroke in window.first["strokes"]] == [MIDDLE["points"], [[33, 30]]]
    assert set(window.page.strokes.seeds.ravel()) == {-1, 1}
    assert set(window.shown().ravel()) == {1}
    after = window.page.strokes.seeds.copy()
    for odd in ({"class": 0}, {"class": 1, "into": 1}, {"class": 1, "into": 0}, {"class": 1, "into": None}):
        with pytest.raises(OptionError, match=r"There is no such class|into itself"):
            window.do("merge classes", **odd)
    with pytest.raises(ValueError, match="Another class must be left"):
        window.do("remove class", **{"class": 1})
    window.page.end()
    with Canvas(folder) as again:
        assert (again.page.strokes.seeds == after).all()
        for _ in range(2):
            again.do("undo")
        assert (again.first["strokes"], names(again)) == (before[0], ["leaf", "ground", "stem"])
        assert (again.page.strokes.seeds == before[1]).all()
        for _ in range(2):
            again.do("redo")
        assert (again.page.strokes.seeds == after).all()


def test_everything_is_shown_and_saved_and_marks_the_same_pixels_when_it_is_read(folder, window):
    with pytest.raises(ValueError, match="nothing to save yet"):
        window.do("save")
    for thread in window.page._segmenting:
        thread.end()  # so that nothing is shown but for saving
    for stroke in (ACROSS, MIDDLE, {**MIDDLE, "erase": True, "points": [[33, 30]]}):
        window.do("stroke", **stroke)
    saved = window.do("save")
    assert [(e["coarse"], e["number"]) for e in window.of("segmentation")] == [(False, window.page._number)]
    assert saved["files"] == [
        "a_labels.png", "a_overlay.png", "a_masks", "a_polygons.geojson", "a_coco.json", "a_labelstudio.json",
    ]  # fmt: skip
    painted = folder / "painted"
    assert sorted(path.name for path in (painted / "a_masks").iterdir()) == [
        "mask_ground.png", "mask_leaf.png",
    ]  # fmt: skip
    marks = read_drawing(painted / "a_strokes.json", (60, 70))
    assert (marks.classes == window.page.strokes.seeds[..., 0]).all()
    assert marks.names == {0: "leaf", 1: "ground"}


def test_labels_follow_from_the_strokes_that_are_left_and_are_saved_as_shown(folder, window):
    image, _ = datasets.make_grey_image(180, 190, noise=0.2, random_state=0)
    Image.fromarray(np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(folder / "b.png")
    window.do("open", picture=1)
    strokes = [
        {"class": 1, "width": 3, "erase": False, "points": [[80, 60], [100, 62]]},
        {"class": 0, "width": 3, "erase": False, "points": [[5, 5], [150, 5]]},
        {"class": 0, "width": 5, "erase": True, "points": [[85, 61], [95, 61]]},
        {"class": 2, "width": 4, "erase": False, "points": [[20, 160], [170, 165]]},
        {"class": 0, "width": 3, "erase": False, "points": [[150, 60], [152, 120]]},
    ]
    window.do("add class", name="third")
    for stroke in strokes:
        window.do("stroke", **stroke)
        window.shown()
    for step in ("undo", "undo", "redo", "undo", "redo", "redo"):
        window.do(step)
        window.shown()
    window.do("save")
    after = window.shown()
    colors = np.asarray(Image.open(folder / "painted" / "b_labels.png").convert("RGB")).reshape(-1, 3)
    classes = [bytes.fromhex(known["color"][1:]) for known in window.first["classes"]]
    assert [classes[label] for label in after.ravel()] == [bytes(color) for color in colors.tolist()]
    with Canvas(folder / "b.png", output=folder / "new") as other:
        other.do("add class", name="third")
        for stroke in strokes:
            other.do("stroke", **stroke)
        assert (other.shown() == after).all()


def test_what_a_picture_does_not_show_has_no_class_on_the_page_and_in_the_files(tmp_path):
    values, _ = datasets.make_grey_image(60, 70, noise=0.1, random_state=0)
    values[40:] = np.nan
    place = {"transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6), "crs": "EPSG:32632", "nodata": np.nan}
    shape = {"width": 70, "height": 60, "count": 1, "dtype": "float32"}
    with rasterio.open(tmp_path / "a.tif", "w", **shape, **place) as file:
        file.write(values.astype(np.float32), 1)
    with Canvas(tmp_path / "a.tif") as window:
        window.do("stroke", **ACROSS)
        window.do("stroke", **MIDDLE)
        labels = window.shown()
        window.do("save")
    saved = np.asarray(Image.open(tmp_path / "painted" / "a_labels.png").convert("RGBA"))
    np.testing.assert_array_equal(labels == 255, np.isnan(values))
    np.testing.assert_array_equal(saved[..., 3] == 0, np.isnan(values))


def test_no_answer_replaces_a_better_one_or_one_to_later_strokes(window):
    number = window.do("stroke", **ACROSS)
    window.shown()
    labels = np.zeros((60, 70, 1), dtype=int)
    window.page.take(Request(window.page._picture, labels, number), labels, None, coarse=True)
    assert not window.of("segmentation")[-1]["coarse"]
    window.page.take(Request(window.page._picture, labels, number + 1), labels, None, coarse=True)
    assert window.of("segmentation")[-1]["coarse"]
    window.do("undo")
    window.page.take(Request(window.page._picture, labels, number), labels, labels, coarse=False)
    assert len(list(window.page.greeting())) == 1


def test_a_failure_is_sent_and_the_next_stroke_is_done(window, monkeypatch):
    segment = type(window.page._picture).segment

    def failing(self, seeds, *, coarse):
        monkeypatch.undo()
        raise ValueError("This cannot be segmented.")

    monkeypatch.setattr(type(window.page._picture), "segment", failing)
    window.do("stroke", **ACROSS)
    assert window.wait(lambda e: e["event"] == "failed")["why"] == "This cannot be segmented."
    assert type(window.page._picture).segment is segment
    window.do("stroke", **MIDDLE)
    assert set(window.shown().ravel()) == {0, 1}


ODD_STROKES = [
    *(("no such class", {"class": odd}) for odd in (2, True, "0", 10**30, None)),
    *(("wide", {"width": odd}) for odd in (0, 1e9, math.nan, "3", [3])),
    *(("erase", {"erase": odd}) for odd in (1, None)),
    *(("1 to", {"points": odd}) for odd in ([], None, {"0": [1, 1]}, [[1, 1]] * 5_001)),
    *(
        ("pair of numbers", {"points": [odd]})
        for odd in ([1], [1, 1, 1], ["1", 1], [math.nan, 1], [True, 1], 1)
    ),
    *(("far outside", {"points": [odd]}) for odd in ([1e8, 1], [1, -71])),
]


@pytest.mark.parametrize(("problem", "changed"), ODD_STROKES)
def test_what_is_no_stroke_is_refused(window, problem, changed):
    before = window.page.journal.path.read_bytes()
    with pytest.raises(ValueError, match=problem):
        window.do("stroke", **{**ACROSS, **changed})
    assert window.first["strokes"] == []
    assert window.page.journal.path.read_bytes() == before


@pytest.mark.parametrize(
    "message",
    [
        *({"do": "add class", "name": odd} for odd in ("leaf", "\ud800\0", None)),
        {"do": "color class", "class": 0, "color": "url(x)"},
        *({"do": "open", "picture": odd} for odd in (2, "../../etc/passwd", None)),
    ],
)
def test_what_is_no_change_of_classes_or_pictures_is_refused(window, message):
    before = window.first
    with pytest.raises(ValueError, match=r"class|color|picture"):
        window.page.commands[message["do"]](message)
    assert window.first == before


def test_the_number_of_strokes_is_limited(window):
    window.page.strokes.strokes = [json.loads(json.dumps(ACROSS))] * MOST_STROKES
    with pytest.raises(ValueError, match="strokes already"):
        window.do("stroke", **ACROSS)
