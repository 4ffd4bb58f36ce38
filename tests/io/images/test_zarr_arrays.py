"""Pictures in folders of Zarr."""

import json

import numpy as np
import pytest
import zarr

from graphwell.io.images.registry import read_image, read_placement
from graphwell.io.images.seeds import read_seeds

VALUES = np.random.default_rng(0).random((2, 3, 4, 5)).astype(np.float32)


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
    path = ome(tmp_path / "a.zarr", VALUES, "czyx", [1, 2, 0.5, 0.5], version)
    np.testing.assert_array_equal(read_image(path, volumes=True), VALUES.transpose(2, 3, 1, 0))
    assert read_placement(path).spacing == (0.5, 0.5, 2)


def test_a_flat_image_of_ome(tmp_path):
    path = ome(tmp_path / "a.zarr", VALUES[:, :1], "czyx", [1, 2, 0.5, 0.5], 3)
    assert read_image(path).shape == (4, 5, 2)


def test_plain_arrays(tmp_path):
    zarr.save(tmp_path / "a.zarr", VALUES[0, 0])
    np.testing.assert_array_equal(read_image(tmp_path / "a.zarr"), VALUES[0, 0])
    assert read_placement(tmp_path / "a.zarr") is None
    seeds = np.full((4, 5), -1)
    seeds[0, 0], seeds[3, 3] = 0, 1
    zarr.save(tmp_path / "both.zarr", image=VALUES[0, 0], seeds=seeds)
    np.testing.assert_array_equal(read_image(tmp_path / "both.zarr"), VALUES[0, 0])
    np.testing.assert_array_equal(read_seeds(tmp_path / "both.zarr", (4, 5)).classes, seeds)
    zarr.save(tmp_path / "two.zarr", one=seeds, other=seeds)
    with pytest.raises(ValueError, match="must hold one array, or one called image; it holds one, other"):
        read_image(tmp_path / "two.zarr")


def test_nan_is_masked(tmp_path):
    holes = VALUES[0, 0].copy()
    holes[1, 1] = np.nan
    zarr.save(tmp_path / "a.zarr", holes)
    assert np.argwhere(read_image(tmp_path / "a.zarr").mask).tolist() == [[1, 1]]


def test_a_picture_without_holes_is_a_plain_one(tmp_path):
    bright = VALUES[0, 0].copy()
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
    zarr.save(tmp_path / "a.zarr", VALUES[0, 0])
    piece = next(
        path for path in (tmp_path / "a.zarr").rglob("*") if path.is_file() and path.suffix != ".json"
    )
    piece.write_bytes(piece.read_bytes()[:-4])
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr: it is damaged"):
        read_image(tmp_path / "a.zarr")


def test_garbled_descriptions_are_told_in_a_sentence(tmp_path):
    path = ome(tmp_path / "a.zarr", VALUES, "czyx", [1, 2, 0.5, 0.5], 3)
    text = json.loads((path / "zarr.json").read_text())
    text["attributes"]["ome"]["multiscales"][0]["datasets"][0]["path"] = "nowhere"
    (path / "zarr.json").write_text(json.dumps(text))
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr"):
        read_image(path)


@pytest.mark.parametrize("scale", [[1, 2, 0, 0.5], [1, 2, -1, 0.5], [1, 2, float("nan"), 1]])
def test_a_spacing_that_cannot_be_is_none(tmp_path, scale):
    assert read_placement(ome(tmp_path / "a.zarr", VALUES, "czyx", scale, 3)) is None


def test_too_few_distances_are_told_in_a_sentence(tmp_path):
    path = ome(tmp_path / "a.zarr", VALUES, "czyx", [1], 3)
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr"):
        read_placement(path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "a.zarr").write_bytes(b"x")
    with pytest.raises(ValueError, match="is no folder, as its name promises"):
        read_image(tmp_path / "a.zarr")
