"""Pictures, volumes and classes as numbers: `.npy`, `.npz`, text, NIfTI and Zarr."""

import io
import json
import sys

import nibabel
import numpy as np
import pytest
import zarr

from graphwell.errors import OptionError
from graphwell.io.images import read_image, read_placement, read_seeds, write_values

SCAN = np.random.default_rng(0).random((4, 5, 6)).astype(np.float32)


PLACE = np.array([[0.9, 0, 0, -40], [0, 0.9, 0, 30], [0, 0, 3, 7], [0, 0, 0, 1]])


STACK = np.random.default_rng(0).random((2, 3, 4, 5)).astype(np.float32)


SHAPE = (40, 60)


def npy_of_declared_shape(shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def test_any_number_of_channels(tmp_path):
    spectrum = np.random.default_rng(0).random((3, 4, 50))
    np.save(tmp_path / "a.npy", spectrum)
    np.testing.assert_array_equal(read_image(tmp_path / "a.npy", 100), spectrum)
    for wrong in (np.zeros(5), np.zeros((1, 2, 3, 4, 5)), np.full((2, 2), "a"), np.array([[1j]])):
        np.save(tmp_path / "wrong.npy", wrong)
        with pytest.raises(ValueError, match=r"wrong\.npy must (have the shape|hold real numbers)"):
            read_image(tmp_path / "wrong.npy")


def test_numbers_come_back_as_they_were_written(tmp_path):
    classes = np.array([[3, -1], [0, 7]])
    with (tmp_path / "a.npy").open("wb") as file:
        write_values(classes, None, {}, None, tmp_path / "a.npy", file)
    np.testing.assert_array_equal(read_seeds(tmp_path / "a.npy", (2, 2)).classes, classes)


@pytest.mark.parametrize("shape", [(60_000, 60_000), (60_000, 60_000, 3)])
def test_a_bomb_is_refused_by_its_declared_size(tmp_path, shape):
    (tmp_path / "bomb.npy").write_bytes(npy_of_declared_shape(shape))
    with pytest.raises(ValueError, match=r"60000 x 60000 = 3,600,000,000 pixels.*max_pixels"):
        read_image(tmp_path / "bomb.npy")


def test_an_array_of_absurd_depth_is_refused(tmp_path):
    (tmp_path / "deep.npy").write_bytes(npy_of_declared_shape((10, 10, 10**15)))
    with pytest.raises(ValueError, match="too large"):
        read_image(tmp_path / "deep.npy")


def test_the_only_array_or_the_one_of_the_right_name(tmp_path):
    spectrum = np.random.default_rng(0).random((3, 4, 50))
    np.savez(tmp_path / "one.npz", anything=spectrum)
    np.savez(tmp_path / "two.npz", image=spectrum, seeds=np.zeros((3, 4), int))
    for name in ("one.npz", "two.npz"):
        np.testing.assert_array_equal(read_image(tmp_path / name, 100), spectrum)
    assert (read_seeds(tmp_path / "two.npz", (3, 4)).classes == 0).all()
    np.savez(tmp_path / "unclear.npz", a=spectrum, b=spectrum)
    with pytest.raises(ValueError, match="must hold one array, or one called 'image'; it holds a, b"):
        read_image(tmp_path / "unclear.npz", 100)


def test_each_array_inside_is_measured_first(tmp_path):
    np.savez(tmp_path / "a.npz", image=np.zeros((2, 2)), other=np.zeros((30, 30)))
    with pytest.raises(ValueError, match="30 x 30 = 900 pixels, more than the 100 allowed"):
        read_image(tmp_path / "a.npz", 100)


def test_lines_are_marked_pixels(tmp_path):
    (tmp_path / "s.txt").write_text("row,col,class\n3,4,7\n# a remark\n\n10, 20, 2\n39;59;7\n3\t4\t7\n")
    classes = np.full(SHAPE, -1)
    classes[3, 4], classes[10, 20], classes[39, 59] = 7, 2, 7
    np.testing.assert_array_equal(read_seeds(tmp_path / "s.txt", SHAPE).classes, classes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2\n", "line 1: expected three integers row,col,class, got '1,2'"),
        ("1,2,a\n", "expected three integers"),
        ("0,0,1\n40,0,1\n", "line 2: row 40, column 0 lies outside the picture of 40 rows and 60 columns"),
        ("0,0,-1\n", "the class must be 0 or more, got -1"),
        ("0,0,1\n0,0,2\n", "row 0, column 0 has the class 1 already"),
        ("0,0,99999999999\n", "line 1: the class must be"),
    ],
)
def test_bad_text_is_refused(tmp_path, text, words):
    (tmp_path / "s.txt").write_text(text)
    with pytest.raises(OptionError, match=words) as caught:
        read_seeds(tmp_path / "s.txt", SHAPE)
    assert caught.value.field == "seeds"


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "s.csv").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(ValueError, match="is no text"):
        read_seeds(tmp_path / "s.csv", SHAPE)


def nifti(path, values=SCAN):
    nibabel.save(nibabel.Nifti1Image(values, PLACE), path)
    return path


@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
def test_a_volume_and_where_it_lies(tmp_path, name):
    path = nifti(tmp_path / name)
    np.testing.assert_array_equal(read_image(path, volumes=True)[..., 0], SCAN)
    assert read_placement(path).spacing == pytest.approx((0.9, 0.9, 3))
    labels = np.where(SCAN < 0.5, 3, -1)
    with (tmp_path / f"labels_{name}").open("wb") as file:
        write_values(labels, None, {}, read_placement(path), tmp_path / f"labels_{name}", file)
    back = nibabel.load(tmp_path / f"labels_{name}")
    np.testing.assert_allclose(back.affine, PLACE, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(back.dataobj), np.where(labels < 0, 0, 3))


def test_where_0_is_a_class_none_is_minus_1(tmp_path):
    with (tmp_path / "a.nii").open("wb") as file:
        write_values(np.array([[[0, -1, 2]]]), None, {}, None, tmp_path / "a.nii", file)
    assert np.asarray(nibabel.load(tmp_path / "a.nii").dataobj).ravel().tolist() == [0, -1, 2]


def test_channels_come_last_and_scales_are_applied(tmp_path):
    image = nibabel.Nifti1Image((SCAN[..., None] * [100, 50]).astype(np.int16), PLACE)
    image.header.set_slope_inter(0.5, 1)
    nibabel.save(image, tmp_path / "a.nii")
    found = read_image(tmp_path / "a.nii", volumes=True)
    assert found.shape == (4, 5, 6, 2)
    np.testing.assert_allclose(found, np.asarray(nibabel.load(tmp_path / "a.nii").dataobj), rtol=1e-6)


def test_what_is_no_number_is_masked(tmp_path):
    holes = SCAN.copy()
    holes[1, 2, 3] = np.nan
    found = read_image(nifti(tmp_path / "a.nii", holes), volumes=True)
    assert np.argwhere(found.mask[..., 0]).tolist() == [[1, 2, 3]]


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_marks(tmp_path, kind):
    marks = np.zeros(SCAN.shape, dtype=kind)
    marks[0, 0, 0], marks[3, 4, 5] = 1, 2
    found = read_seeds(nifti(tmp_path / "marks.nii.gz", marks), SCAN.shape)
    np.testing.assert_array_equal(found.classes, np.where(marks == 0, -1, marks.astype(int)))
    assert set(found.names.values()) == {"1", "2"}


def test_marks_must_be_whole_numbers(tmp_path):
    with pytest.raises(OptionError, match="must hold whole numbers, the classes, and 0 for unknown"):
        read_seeds(nifti(tmp_path / "marks.nii"), SCAN.shape)


def test_other_axes_and_absurd_sizes_are_refused(tmp_path):
    path = nifti(tmp_path / "a.nii", np.zeros((2, 3, 4, 5, 6), np.uint8))
    with pytest.raises(ValueError, match=r"has the shape \(2, 3, 4, 5, 6\); a volume has three axes"):
        read_image(path, volumes=True)
    header = nibabel.Nifti1Header()
    header.set_data_shape((30_000, 30_000, 30_000))
    path.write_bytes(header.binaryblock + bytes(100))
    with pytest.raises(ValueError, match="more than the 100,000,000 allowed"):
        read_image(path, volumes=True)


@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_truncated_scans_are_told_in_a_sentence(tmp_path, name, share):
    content = nifti(tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match="cannot be read as a NIfTI picture: it is damaged, truncated"):
        read_image(tmp_path / name, volumes=True)


def test_without_nibabel(tmp_path, monkeypatch):
    path = nifti(tmp_path / "a.nii")
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(ImportError, match=r"need nibabel.*graphwell\[nifti\]"):
        read_image(path)


def ome(path, values, axes, scale, version):
    root = zarr.open_group(path, mode="w", zarr_format=version)
    root.create_array("0", data=values)
    described = {
        "axes": [{"name": axis} for axis in axes],
        "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": scale}]}],
    }
    root.attrs.update({"ome": {"multiscales": [described]}} if version == 3 else {"multiscales": [described]})
    return path


@pytest.mark.parametrize("version", [2, 3])
def test_an_image_of_ome(tmp_path, version):
    path = ome(tmp_path / "a.zarr", STACK, "czyx", [1, 2, 0.5, 0.5], version)
    np.testing.assert_array_equal(read_image(path, volumes=True), STACK.transpose(2, 3, 1, 0))
    assert read_placement(path).spacing == (0.5, 0.5, 2)


def test_plain_arrays(tmp_path):
    zarr.save(tmp_path / "a.zarr", STACK[0, 0])
    np.testing.assert_array_equal(read_image(tmp_path / "a.zarr"), STACK[0, 0])
    assert read_placement(tmp_path / "a.zarr") is None
    seeds = np.full((4, 5), -1)
    seeds[0, 0], seeds[3, 3] = 0, 1
    zarr.save(tmp_path / "both.zarr", image=STACK[0, 0], seeds=seeds)
    np.testing.assert_array_equal(read_image(tmp_path / "both.zarr"), STACK[0, 0])
    np.testing.assert_array_equal(read_seeds(tmp_path / "both.zarr", (4, 5)).classes, seeds)
    zarr.save(tmp_path / "two.zarr", one=seeds, other=seeds)
    with pytest.raises(ValueError, match="must hold one array, or one called image; it holds one, other"):
        read_image(tmp_path / "two.zarr")


def test_nan_is_masked(tmp_path):
    holes = STACK[0, 0].copy()
    holes[1, 1] = np.nan
    zarr.save(tmp_path / "a.zarr", holes)
    assert np.argwhere(read_image(tmp_path / "a.zarr").mask).tolist() == [[1, 1]]


def test_a_picture_without_holes_is_a_plain_one(tmp_path):
    bright = STACK[0, 0].copy()
    bright[1, 1] = np.inf
    zarr.save(tmp_path / "a.zarr", bright)
    found = read_image(tmp_path / "a.zarr")
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, bright)


def test_absurd_sizes_are_refused(tmp_path):
    zarr.create_array(tmp_path / "a.zarr", shape=(10**6, 10**6), dtype="u1")
    with pytest.raises(ValueError, match="more than the 100,000,000 allowed"):
        read_image(tmp_path / "a.zarr")
    zarr.create_array(tmp_path / "b.zarr", shape=(100, 100, 10**12), chunks=(100, 100, 1), dtype="u1")
    with pytest.raises(ValueError, match="which is too large"):
        read_image(tmp_path / "b.zarr")


def test_a_damaged_piece_is_told_in_a_sentence(tmp_path):
    zarr.save(tmp_path / "a.zarr", STACK[0, 0])
    piece = next(
        path for path in (tmp_path / "a.zarr").rglob("*") if path.is_file() and path.suffix != ".json"
    )
    piece.write_bytes(piece.read_bytes()[:-4])
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr: it is damaged"):
        read_image(tmp_path / "a.zarr")


def test_garbled_descriptions_are_told_in_a_sentence(tmp_path):
    path = ome(tmp_path / "a.zarr", STACK, "czyx", [1, 2, 0.5, 0.5], 3)
    text = json.loads((path / "zarr.json").read_text())
    text["attributes"]["ome"]["multiscales"][0]["datasets"][0]["path"] = "nowhere"
    (path / "zarr.json").write_text(json.dumps(text))
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr"):
        read_image(path)


@pytest.mark.parametrize("scale", [[1, 2, 0, 0.5], [1, 2, -1, 0.5], [1, 2, float("nan"), 1]])
def test_a_spacing_that_cannot_be_is_none(tmp_path, scale):
    assert read_placement(ome(tmp_path / "a.zarr", STACK, "czyx", scale, 3)) is None


def test_too_few_distances_are_told_in_a_sentence(tmp_path):
    path = ome(tmp_path / "a.zarr", STACK, "czyx", [1], 3)
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr"):
        read_placement(path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "a.zarr").write_bytes(b"x")
    with pytest.raises(ValueError, match="is no folder, as its name promises"):
        read_image(tmp_path / "a.zarr")
