"""Volumes of medicine."""

import sys

import nibabel
import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.images.nifti import read_numbers
from graphwell.io.images.registry import read_image, read_placement, write_numbers, write_placed
from graphwell.io.images.seeds import read_seeds

VALUES = np.random.default_rng(0).random((4, 5, 6)).astype(np.float32)
PLACE = np.array([[0.9, 0, 0, -40], [0, 0.9, 0, 30], [0, 0, 3, 7], [0, 0, 0, 1]])


def saved(path, values=VALUES):
    nibabel.save(nibabel.Nifti1Image(values, PLACE), path)
    return path


@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
def test_a_volume_and_where_it_lies(tmp_path, name):
    path = saved(tmp_path / name)
    np.testing.assert_array_equal(read_image(path, volumes=True)[..., 0], VALUES)
    assert read_placement(path).spacing == pytest.approx((0.9, 0.9, 3))
    labels = np.where(VALUES < 0.5, 3, -1)
    with (tmp_path / f"labels_{name}").open("wb") as file:
        write_placed(labels, {}, read_placement(path), tmp_path / f"labels_{name}", file)
    back = nibabel.load(tmp_path / f"labels_{name}")
    np.testing.assert_allclose(back.affine, PLACE, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(back.dataobj), np.where(labels < 0, 0, 3))


def test_where_0_is_a_class_none_is_minus_1(tmp_path):
    with (tmp_path / "a.nii").open("wb") as file:
        write_numbers(np.array([[[0, -1, 2]]]), tmp_path / "a.nii", file)
    assert np.asarray(nibabel.load(tmp_path / "a.nii").dataobj).ravel().tolist() == [0, -1, 2]


def test_channels_come_last_and_scales_are_applied(tmp_path):
    image = nibabel.Nifti1Image((VALUES[..., None] * [100, 50]).astype(np.int16), PLACE)
    image.header.set_slope_inter(0.5, 1)
    nibabel.save(image, tmp_path / "a.nii")
    found = read_image(tmp_path / "a.nii", volumes=True)
    assert found.shape == (4, 5, 6, 2)
    np.testing.assert_allclose(found, np.asarray(nibabel.load(tmp_path / "a.nii").dataobj), rtol=1e-6)


def test_what_is_no_number_is_masked(tmp_path):
    holes = VALUES.copy()
    holes[1, 2, 3] = np.nan
    found = read_image(saved(tmp_path / "a.nii", holes), volumes=True)
    assert np.argwhere(found.mask[..., 0]).tolist() == [[1, 2, 3]]


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_marks(tmp_path, kind):
    marks = np.zeros(VALUES.shape, dtype=kind)
    marks[0, 0, 0], marks[3, 4, 5] = 1, 2
    found = read_seeds(saved(tmp_path / "marks.nii.gz", marks), VALUES.shape)
    np.testing.assert_array_equal(found.classes, np.where(marks == 0, -1, marks.astype(int)))
    assert set(found.names.values()) == {"1", "2"}


def test_marks_must_be_whole_numbers(tmp_path):
    with pytest.raises(OptionError, match="must hold whole numbers, the classes, and 0 for unknown"):
        read_numbers(saved(tmp_path / "marks.nii"), 1000)


def test_other_axes_and_absurd_sizes_are_refused(tmp_path):
    path = saved(tmp_path / "a.nii", np.zeros((2, 3, 4, 5, 6), np.uint8))
    with pytest.raises(ValueError, match=r"has the shape \(2, 3, 4, 5, 6\); a volume has three axes"):
        read_image(path, volumes=True)
    header = nibabel.Nifti1Header()
    header.set_data_shape((30_000, 30_000, 30_000))
    path.write_bytes(header.binaryblock + bytes(100))
    with pytest.raises(ValueError, match="more than the 100,000,000 allowed"):
        read_image(path, volumes=True)


@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_truncated_files_are_told_in_a_sentence(tmp_path, name, share):
    content = saved(tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match="cannot be read as a NIfTI picture: it is damaged, truncated"):
        read_image(tmp_path / name, volumes=True)


def test_without_the_library(tmp_path, monkeypatch):
    path = saved(tmp_path / "a.nii")
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(ImportError, match=r"need nibabel.*graphwell\[nifti\]"):
        read_image(path)
