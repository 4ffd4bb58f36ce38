"""The job on a picture or volume, called from Python."""

import nibabel
import numpy as np
import pytest
import rasterio
from PIL import Image

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.segment import SegmentOptions, segment

TRUTH = np.zeros((30, 36), dtype=int)
TRUTH[8:20, 10:25] = 1


PLACE = {"crs": "EPSG:32632", "transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6)}


PATHS = ("overlay", "scores", "masks", "seeds_out")


def run(folder, image="image.npy", seeds="seeds.npy", output="labels.npy", **options):
    files = {"image": folder / image, "seeds": folder / seeds, "output": folder / output}
    named = {
        key: folder / value if isinstance(value, str) and key in PATHS else value
        for key, value in options.items()
    }
    return segment(SegmentOptions(**files, n_jobs=1, **named))


def size_of(path):
    with Image.open(path) as picture:
        return picture.size


@pytest.fixture
def folder(tmp_path):
    """A small clean picture with marks."""
    image, truth = gw.datasets.make_grey_image(40, 44)
    np.save(tmp_path / "image.npy", image)
    np.save(tmp_path / "seeds.npy", gw.datasets.sample_labels(truth.ravel(), 15, 0).reshape(truth.shape))
    np.save(tmp_path / "truth.npy", truth)
    return tmp_path


@pytest.fixture
def field(tmp_path):
    """A picture of six bands with a corner that shows nothing."""
    cube = np.stack([0.1 * band + 0.3 * TRUTH for band in range(6)]).astype(np.float32)
    cube[:, :5, :5] = -9999
    shape = {"width": 36, "height": 30, "count": 6, "dtype": "float32", "nodata": -9999}
    with rasterio.open(tmp_path / "field.tif", "w", driver="GTiff", **shape, **PLACE) as file:
        file.write(cube)
    marks = np.full(TRUTH.shape, -1)
    marks[10:18:3, 12:20:3], marks[25, ::4], marks[2, 20:30] = 1, 0, 0
    np.save(tmp_path / "seeds.npy", marks)
    return tmp_path


def test_labels_lie_on_earth_and_what_shows_nothing_has_none(field):
    report = run(field, "field.tif", "seeds.npy", "labels.tif", scores="doubt.tif", overlay="over.png")
    assert report.facts["unreachable_pixels"] == 0
    with rasterio.open(field / "labels.tif") as file:
        assert (file.crs, file.transform) == (PLACE["crs"], PLACE["transform"])
        labels = file.read(1, masked=True)
    assert labels.mask[:5, :5].all()
    assert labels.mask.sum() == 25
    assert (labels.data == TRUTH)[~labels.mask].all()
    with rasterio.open(field / "doubt.tif") as file:
        assert file.crs == PLACE["crs"]
        assert (file.read(1)[:5, :5] == 0).all()
    assert size_of(field / "over.png") == (36, 30)


def test_channels_along_another_axis(tmp_path):
    np.save(tmp_path / "cube.npy", np.stack([0.3 + 0.3 * TRUTH] * 5))
    np.save(tmp_path / "seeds.npy", gw.datasets.sample_labels(TRUTH.ravel(), 9, 0).reshape(TRUTH.shape))
    run(tmp_path, "cube.npy", "seeds.npy", "labels.npy", channel_axis=0)
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), TRUTH)
    with pytest.raises(OptionError, match="channel_axis must be an axis of the image"):
        run(tmp_path, "cube.npy", "seeds.npy", "labels.npy", channel_axis=3)
    np.save(tmp_path / "seeds.npy", np.stack([np.load(tmp_path / "seeds.npy")] * 5, axis=-1))
    with pytest.raises(OptionError, match="channel_axis says that an axis holds channels"):
        run(tmp_path, "cube.npy", "seeds.npy", "labels.npy", channel_axis=0)


@pytest.fixture
def scan(tmp_path):
    """A volume whose slices lie far apart, and its marks."""
    truth = np.repeat(TRUTH[..., None], 6, axis=2) + 1
    place = np.diag([1.0, 1.0, 3.0, 1.0])
    nibabel.save(nibabel.Nifti1Image((truth * 80).astype(np.int16), place), tmp_path / "scan.nii.gz")
    marks = gw.datasets.sample_labels(truth.ravel() - 1, 12, 0).reshape(truth.shape) + 1
    nibabel.save(nibabel.Nifti1Image(marks.astype(np.uint8), place), tmp_path / "marks.nii.gz")
    return tmp_path


def test_a_volume_of_medicine_keeps_place_and_spacing(scan):
    files = {"overlay": "over.png", "scores": "doubt.nii", "seeds_out": "read.nii.gz"}
    report = run(scan, "scan.nii.gz", "marks.nii.gz", "labels.nii.gz", **files)
    assert any("lie 1 x 1 x 3 apart, as scan.nii.gz says" in str(note) for note in report.notes)
    labels = nibabel.load(scan / "labels.nii.gz")
    assert labels.header.get_zooms() == (1, 1, 3)
    np.testing.assert_array_equal(np.asarray(labels.dataobj), np.repeat(TRUTH[..., None], 6, axis=2) + 1)
    read, given = (np.asarray(nibabel.load(scan / name).dataobj) for name in ("read.nii.gz", "marks.nii.gz"))
    np.testing.assert_array_equal(read, given)
    assert size_of(scan / "over.png") == (3 * 36 + 2 * 8, 2 * 30 + 8)
