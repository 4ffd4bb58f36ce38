"""The job on a picture, called from Python."""

import numpy as np
import pytest
from PIL import Image

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.options import SegmentOptions
from graphwell.jobs.segment import segment


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
        ({"graph": "tree"}, "graph"),
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
