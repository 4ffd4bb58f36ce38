"""Pictures to paint on."""

import numpy as np
import pytest
from PIL import Image

from graphwell import datasets
from graphwell.errors import OptionError
from graphwell.jobs.painting import PaintedPicture, PaintOptions, pictures_of
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


def test_one_class_is_everywhere_and_two_are_told_apart(picture):
    seeds = np.full(picture.shape, -1)
    seeds[5, 5] = 3
    assert (picture.segment(seeds, coarse=False)[0] == np.full(picture.shape, 3)).all()
    assert (picture.segment(seeds, coarse=True)[0] == 3).all()
    seeds[30, 35] = 1
    (fine, doubt), (coarse, none) = (picture.segment(seeds, coarse=c) for c in (False, True))
    assert none is None
    assert 0 <= doubt.min() < 0.1 < doubt.max() <= 1
    assert doubt[5, 5] < doubt.mean()
    assert fine.shape == picture.shape
    assert set(np.unique(fine)) <= {-1, 1, 3}
    assert fine[5, 5] == 3
    assert fine[30, 35] == 1
    assert (coarse == fine).mean() > 0.9  # a small picture is its own copy
    assert not picture.is_large


def test_a_picture_that_does_not_fit_is_refused(tmp_path, picture):
    with limited_to(1_000_000), pytest.raises(OptionError, match=r"needs about .* of memory"):
        PaintedPicture(tmp_path / "a.png", picture.options)


def test_two_pictures_of_one_name_do_not_share_their_files(tmp_path):
    for name in ("a.png", "a.bmp.png", "a.tif"):
        write_picture(tmp_path / name)
    (tmp_path / "painted").mkdir()
    options = PaintOptions(source=tmp_path, n_jobs=1)
    for name in ("a.png", "a.tif", "a.bmp.png"):
        picture = PaintedPicture(tmp_path / name, options)
        picture.save(strokes([[[5, 5], [5, 50]], [[30, 30], [40, 30]]]), np.empty(0))
    labels = sorted(path.name for path in (tmp_path / "painted").glob("*_labels.png"))
    assert labels == ["a.bmp_labels.png", "a.png_labels.png", "a.tif_labels.png"]


def test_what_shows_nothing_is_dark(tmp_path):
    """A picture of real numbers with gaps, as a folder of Zarr or a GeoTIFF has it."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    values = np.linspace(0.2, 1, 30 * 40).reshape(30, 40)
    values[:5, :5] = np.nan
    zarr.save(tmp_path / "a.zarr", values)
    made = PaintedPicture(tmp_path / "a.zarr", PaintOptions(source=tmp_path / "a.zarr", n_jobs=1))
    assert (made.shown(0)[:5, :5] == made.shown(0).min()).all()
    assert made.fingerprint["size"] == [40, 30]


def test_slices_are_not_taken_for_channels(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.random.default_rng(0).random((10, 64, 60)))
    question = r"10 x 64 x 60: are these 10 slices\? Then say slice_axis=0; .* say channel_axis=0\."
    with pytest.raises(OptionError, match=question):
        PaintedPicture(path, PaintOptions(source=path, n_jobs=1))
    options = PaintOptions(source=path, channel_axis=0, n_jobs=1)
    assert PaintedPicture(path, options).shape == (64, 60, 1)
    (tmp_path / "painted").mkdir()
    marks = {**strokes([[[5, 5]], [[30, 30]]]), "size": [60, 64]}
    assert PaintedPicture(path, options).save(marks, np.empty(0)).facts["size"] == (64, 60)
    with pytest.raises(OptionError, match="slice_axis must be 0, 1 or 2, got 3"):
        PaintedPicture(path, PaintOptions(source=path, slice_axis=3))
