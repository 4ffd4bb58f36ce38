"""Pictures of xarray."""

import numpy as np
import pytest
import xarray

import graphwell as gw

TRUTH = np.zeros((20, 24), dtype=int)
TRUTH[5:15, 6:18] = 1
SEEDS = gw.datasets.sample_labels(TRUTH.ravel(), 10, 0).reshape(TRUTH.shape)


def cube(dims=("band", "y", "x"), **more):
    values = np.stack([0.2 + 0.6 * TRUTH, 0.9 - 0.5 * TRUTH, 0.5 + 0.1 * TRUTH])
    coords = {"y": 100 - 10.0 * np.arange(20), "x": 5 + 10.0 * np.arange(24), "spatial_ref": 32632}
    made = xarray.DataArray(values, dims=("band", "y", "x"), coords=coords, **more)
    return made.transpose(*dims)


@pytest.mark.parametrize("dims", [("band", "y", "x"), ("y", "x", "band"), ("y", "band", "x")])
def test_labels_have_the_coordinates_of_the_picture(dims):
    found = gw.segment(cube(dims, attrs={"units": "1"}), SEEDS)
    assert isinstance(found, xarray.DataArray)
    assert (found.name, found.dims) == ("labels", ("y", "x"))
    assert "units" not in found.attrs
    assert found.sel(y=30, x=95).item() == 1
    assert found.spatial_ref.item() == 32632
    np.testing.assert_array_equal(found.values, TRUTH)


def test_the_dimension_of_channels_is_named_where_it_cannot_be_guessed():
    named = cube().rename(band="date")
    np.testing.assert_array_equal(gw.segment(named, SEEDS, channel_axis="date").values, TRUTH)
    np.testing.assert_array_equal(gw.segment(named, SEEDS, channel_axis=0).values, TRUTH)
    with pytest.raises(ValueError, match="no dimension 'band'; it has date, y, x"):
        gw.segment(named, SEEDS, channel_axis="band")


def test_seeds_go_by_the_names_of_their_dimensions():
    seeds = xarray.DataArray(SEEDS, dims=("y", "x")).transpose("x", "y")
    np.testing.assert_array_equal(gw.segment(cube(), seeds).values, TRUTH)
    with pytest.raises(ValueError, match="seeds have the dimensions"):
        gw.segment(cube(), seeds.rename(x="lon"))


def test_a_picture_without_channels_and_a_volume():
    flat = gw.segment(cube().isel(band=0), SEEDS)
    np.testing.assert_array_equal(flat.values, TRUTH)
    seeds = np.full((3, 20, 24), -1)
    seeds[1] = SEEDS
    deep = xarray.DataArray(np.repeat(cube().values[:1], 3, axis=0), dims=("z", "y", "x"))
    assert gw.segment(deep, seeds).dims == ("z", "y", "x")


@pytest.mark.parametrize("fill", [float("nan"), -9999.0])
def test_points_without_data_get_no_class(fill):
    image = cube()
    image.values[:, 0, :3] = fill
    image.attrs["_FillValue"] = fill
    image.values[1, 2, 2] = -9999.0 if fill != fill else 0.9
    unlabelled = np.argwhere(gw.segment(image, SEEDS).values == -1)
    assert unlabelled.tolist() == [[0, 0], [0, 1], [0, 2]]


def test_a_name_needs_a_data_array():
    with pytest.raises(ValueError, match="A DataArray is expected, got ndarray"):
        gw.segment(cube().values, SEEDS, channel_axis="band")
    with pytest.raises(ValueError, match=r"got Dataset; turn a Dataset into one with to_array\(\)"):
        gw.segment(xarray.Dataset({"a": cube()}), SEEDS, channel_axis="band")
