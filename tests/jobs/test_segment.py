"""The job on a picture, called from Python."""

import numpy as np
import pytest
from PIL import Image

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.segment import segment
from graphwell.jobs.segment_options import SegmentOptions


@pytest.fixture
def folder(tmp_path):
    """A small clean picture with marks."""
    image, truth = gw.datasets.make_grey_image(40, 44)
    np.save(tmp_path / "image.npy", image)
    np.save(tmp_path / "seeds.npy", gw.datasets.sample_labels(truth.ravel(), 15, 0).reshape(truth.shape))
    np.save(tmp_path / "truth.npy", truth)
    return tmp_path


def run(folder, output="labels.npy", **options):
    files = {"image": folder / "image.npy", "seeds": folder / "seeds.npy", "output": folder / output}
    return segment(SegmentOptions(**files, n_jobs=1, **options))


def test_the_labels_are_those_of_the_library(folder):
    report = run(folder)
    labels = gw.segment(np.load(folder / "image.npy"), np.load(folder / "seeds.npy"))
    np.testing.assert_array_equal(np.load(folder / "labels.npy"), labels)
    assert report.size == (40, 44)
    assert report.seeds == 75
    assert [found.assigned for found in report.classes] == np.bincount(labels.ravel()).tolist()
    assert list(report.seconds) == ["reading", "graph", "start", "descent", "in all"]
    assert report.files == (folder / "labels.npy",)


def test_all_files_are_written(folder):
    extra = {name: folder / f"{name}.png" for name in ("overlay", "scores")}
    report = run(folder, "labels.png", masks=folder / "masks", **extra)
    assert [path.name for path in report.files] == ["labels.png", "overlay.png", "scores.png", "masks"]
    assert np.asarray(Image.open(folder / "overlay.png")).shape == (40, 44, 3)
    assert len(list((folder / "masks").iterdir())) == 5
    mask = np.asarray(Image.open(folder / "masks" / "mask_2.png"))
    np.testing.assert_array_equal(mask > 0, np.load(folder / "truth.npy") == 2)


def test_a_region_without_marks_is_told(folder):
    seeds = np.load(folder / "seeds.npy")
    np.save(folder / "seeds.npy", np.where(seeds == 0, -1, seeds))
    report = run(folder)
    assert report.unreachable_pixels == (np.load(folder / "truth.npy") == 0).sum()
    assert "No seed reaches" in str(report.notes[0])


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"output": "labels.jpg"}, "output"),
        ({"output": "image.npy"}, "output"),
        ({"background": "whitish"}, "background"),
        ({"max_pixels": 100}, "max_pixels"),
        ({"radius": 0.2}, "radius"),
        ({"patch": 2}, "patch"),
        ({"color_scale": -1.0}, "color_scale"),
    ],
)
def test_errors_carry_their_field_and_name_no_flag(folder, options, field):
    before = sorted(folder.iterdir())
    with pytest.raises(OptionError) as caught:
        run(folder, **options)
    assert caught.value.field == field
    assert "--" not in str(caught.value)
    assert sorted(folder.iterdir()) == before


def test_masks_never_overwrite_what_was_read(folder):
    (folder / "seeds.npy").rename(folder / "mask_1.png")
    np.save(folder / "seeds.npy", np.load(folder / "mask_1.png"))
    files = {"image": folder / "image.npy", "seeds": folder / "seeds.npy", "output": folder / "mask_1.png"}
    with pytest.raises(OptionError, match="output and masks are both the file"):
        segment(SegmentOptions(**files, masks=folder))


@pytest.fixture
def volume(tmp_path):
    """A small volume of flat points with marks."""
    truth = np.zeros((20, 22, 8), dtype=int)
    truth[5:15, 6:16, 2:6] = 1
    np.save(tmp_path / "truth.npy", truth)
    np.save(tmp_path / "image.npy", (50 + 150 * truth).astype(np.uint8))
    np.save(tmp_path / "seeds.npy", gw.datasets.sample_labels(truth.ravel(), 15, 0).reshape(truth.shape))
    return tmp_path


def test_a_volume_and_marks_of_three_axes(volume):
    report = run(volume, spacing=(1.0, 1.0, 2.5), scores=volume / "scores.npy")
    labels, truth = np.load(volume / "labels.npy"), np.load(volume / "truth.npy")
    assert report.size == labels.shape == np.load(volume / "scores.npy").shape == (20, 22, 8)
    assert (labels == truth).all()
    assert report.mark_next == ()


def test_the_pages_of_a_tiff_file_are_slices(volume):
    values = np.load(volume / "image.npy")
    first, *others = (Image.fromarray(values[:, :, z]) for z in range(8))
    first.save(volume / "scan.tif", save_all=True, append_images=others)
    files = {"image": volume / "scan.tif", "seeds": volume / "seeds.npy", "output": volume / "labels.npy"}
    segment(SegmentOptions(**files, n_jobs=1))
    assert (np.load(volume / "labels.npy") == np.load(volume / "truth.npy")).all()
    marks = (np.load(volume / "seeds.npy") + 1).astype(np.uint8)  # 0 for unknown
    page, *others = (Image.fromarray(marks[:, :, z]) for z in range(8))
    page.save(volume / "marks.tif", save_all=True, append_images=others)
    report = segment(SegmentOptions(**files | {"seeds": volume / "marks.tif"}, n_jobs=1))
    assert (np.load(volume / "labels.npy") == np.load(volume / "truth.npy") + 1).all()
    assert [found.name for found in report.classes] == ["1", "2"]
    page.save(volume / "marks.tif")
    with pytest.raises(OptionError, match=r"the shape of the image, \(20, 22, 8\), but has \(20, 22\)"):
        segment(SegmentOptions(**files | {"seeds": volume / "marks.tif"}))
    first.save(volume / "marks.png")
    with pytest.raises(OptionError, match=r"cannot mark a volume; save integers of the shape \(20, 22, 8\)"):
        segment(SegmentOptions(**files | {"seeds": volume / "marks.png"}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"masks": "masks"}, "masks draws pictures, not volumes"),
        ({"scores": "scores.png"}, "scores .* of a volume must end in .npy, .nii or .nii.gz"),
        ({"spacing": (1.0, 2.0)}, "spacing must be 3 positive numbers"),
    ],
)
def test_what_a_volume_has_not_is_refused(volume, options, words):
    paths = {key: volume / value if isinstance(value, str) else value for key, value in options.items()}
    with pytest.raises(OptionError, match=words):
        run(volume, **paths)
    assert not (volume / "labels.npy").exists()


def test_marks_of_another_shape_are_refused(volume):
    np.save(volume / "seeds.npy", np.zeros((20, 22, 7), dtype=int))
    with pytest.raises(OptionError, match=r"the shape of the image, \(20, 22, 8\), but has \(20, 22, 7\)"):
        run(volume)
