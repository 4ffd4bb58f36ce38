"""Pictures to paint on."""

import numpy as np
import pytest
from PIL import Image

from graphwell import datasets
from graphwell.errors import OptionError
from graphwell.jobs.painting import PaintedPicture, PaintOptions, pictures_of
from graphwell.jobs.segment import SegmentOptions, segment
from graphwell.memory import limited_to


def write_picture(path, seed=0):
    image, truth = datasets.make_grey_image(60, 70, noise=0.1, random_state=seed)
    Image.fromarray(np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(path)
    return truth


@pytest.fixture
def picture(tmp_path):
    write_picture(tmp_path / "a.png")
    return PaintedPicture(tmp_path / "a.png", PaintOptions(source=tmp_path / "a.png", n_jobs=1))


def strokes(points_by_class):
    classes = [{"name": f"c{i}", "color": color} for i, color in enumerate(("#ff0000", "#00ff00"))]
    made = [
        {"class": number, "width": 3.0, "erase": False, "points": points}
        for number, points in enumerate(points_by_class)
    ]
    head = {"format": "graphwell-strokes", "version": 1, "size": [70, 60]}
    return {**head, "classes": classes, "strokes": made}


def test_a_folder_has_its_pictures_in_order_and_nothing_else(tmp_path):
    for name in ("b.png", "a.JPG", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "c.png").mkdir()
    assert [path.name for path in pictures_of(tmp_path)] == ["a.JPG", "b.png"]
    assert pictures_of(tmp_path / "b.png") == [tmp_path / "b.png"]


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(OptionError, match="holds no picture; its files should end in"):
        pictures_of(tmp_path)


def test_the_default_folder_lies_beside_the_pictures(tmp_path):
    assert PaintOptions(source=tmp_path).folder == tmp_path / "painted"
    assert PaintOptions(source=tmp_path / "a.png").folder == tmp_path / "painted"
    assert PaintOptions(source=tmp_path, output=tmp_path / "x").folder == tmp_path / "x"


def test_one_class_is_everywhere_and_two_are_told_apart(picture):
    seeds = np.full(picture.shape, -1)
    seeds[5, 5] = 3
    assert (picture.segment(seeds, coarse=False) == np.full(picture.shape, 3)).all()
    assert (picture.segment(seeds, coarse=True) == 3).all()
    seeds[30, 35] = 1
    fine, coarse = (picture.segment(seeds, coarse=c) for c in (False, True))
    assert fine.shape == picture.shape
    assert set(np.unique(fine)) <= {-1, 1, 3}
    assert fine[5, 5] == 3
    assert fine[30, 35] == 1
    assert (coarse == fine).mean() > 0.9  # a small picture is its own copy
    assert not picture.is_large


def test_a_picture_that_does_not_fit_is_refused(tmp_path, picture):
    with limited_to(1_000_000), pytest.raises(OptionError, match=r"needs about .* of memory"):
        PaintedPicture(tmp_path / "a.png", picture.options)


def test_another_picture_has_another_fingerprint(tmp_path, picture):
    write_picture(tmp_path / "a.png", seed=1)
    assert PaintedPicture(tmp_path / "a.png", picture.options).fingerprint != picture.fingerprint


def test_what_is_saved_is_what_segment_makes_of_the_strokes(tmp_path, picture):
    (tmp_path / "painted").mkdir()
    report = picture.save(strokes([[[5, 5], [5, 50]], [[30, 30], [40, 30]]]))
    assert [count.name for count in report.classes] == ["c0", "c1"]
    folder = tmp_path / "painted"
    assert {path.name for path in folder.iterdir()} == {
        "a_strokes.json",
        "a_labels.png",
        "a_overlay.png",
        "a_masks",
    }
    again = SegmentOptions(
        image=tmp_path / "a.png", seeds=folder / "a_strokes.json", output=tmp_path / "again.png", n_jobs=1
    )
    segment(again)
    assert (tmp_path / "again.png").read_bytes() == (folder / "a_labels.png").read_bytes()


def test_two_pictures_of_one_name_do_not_share_their_files(tmp_path):
    for name in ("a.png", "a.bmp.png", "a.tif"):
        write_picture(tmp_path / name)
    (tmp_path / "painted").mkdir()
    options = PaintOptions(source=tmp_path, n_jobs=1)
    for name in ("a.png", "a.tif", "a.bmp.png"):
        PaintedPicture(tmp_path / name, options).save(strokes([[[5, 5], [5, 50]], [[30, 30], [40, 30]]]))
    labels = sorted(path.name for path in (tmp_path / "painted").glob("*_labels.png"))
    assert labels == ["a.bmp_labels.png", "a.png_labels.png", "a.tif_labels.png"]


def test_one_class_is_saved_everywhere_as_segment_does_and_that_is_said(tmp_path, picture):
    folder = tmp_path / "painted"
    folder.mkdir()
    report = picture.save(strokes([[[5, 5], [5, 50]]]))
    assert [str(note) for note in report.notes] == [
        "Only the class c0 is marked, so every pixel has it; mark some pixels of another class too."
    ]
    assert [(found.name, found.assigned) for found in report.classes] == [("c0", 60 * 70)]
    labels = np.asarray(Image.open(folder / "a_labels.png").convert("RGB"))
    assert (labels == (255, 0, 0)).all()
    assert np.asarray(Image.open(folder / "a_masks" / "mask_c0.png")).min() == 255
    options = {"image": tmp_path / "a.png", "seeds": folder / "a_strokes.json", "n_jobs": 1}
    segment(SegmentOptions(**options, output=tmp_path / "again.png"))
    assert (tmp_path / "again.png").read_bytes() == (folder / "a_labels.png").read_bytes()


def test_what_shows_nothing_is_dark(tmp_path):
    """A picture of real numbers with gaps, as a folder of Zarr or a GeoTIFF has it."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    values = np.linspace(0.2, 1, 30 * 40).reshape(30, 40)
    values[:5, :5] = np.nan
    zarr.save(tmp_path / "a.zarr", values)
    made = PaintedPicture(tmp_path / "a.zarr", PaintOptions(source=tmp_path / "a.zarr", n_jobs=1))
    assert (made.shown[:5, :5] == made.shown.min()).all()
    assert made.fingerprint["size"] == [40, 30]
