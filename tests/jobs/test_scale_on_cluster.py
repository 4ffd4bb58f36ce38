"""Columns scaled where they lie: as scikit-learn does it, whatever the blocks."""

import dask
import dask.array as da
import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

from graphwell.encoders.columns import WORTH_OF_STEPS
from graphwell.jobs import scale_on_cluster
from graphwell.jobs.scale_on_cluster import scaled_columns

ROWS = np.random.default_rng(0).normal(size=(500, 3)) * [1, 50, 1e-3] + [0, 9, 2]


@pytest.mark.parametrize(("scale", "scaler"), [("standard", StandardScaler()), ("robust", RobustScaler())])
def test_few_rows_are_scaled_as_in_one_process(scale, scaler):
    found = scaled_columns(ROWS, scale, ["number", "number", "indicator"])
    np.testing.assert_allclose(found[:, :2], scaler.fit_transform(ROWS[:, :2]), atol=1e-12)
    np.testing.assert_array_equal(found[:, 2], ROWS[:, 2])


def test_constant_columns_stay_finite_and_steps_count_less():
    X = np.column_stack([np.full(9, 4.0), np.arange(9) % 3])
    found = scaled_columns(X, "standard", ["number", "step"])
    assert (found[:, 0] == 0).all()
    assert found[:, 1].std() == pytest.approx(WORTH_OF_STEPS)


@pytest.mark.parametrize("scale", ["standard", "robust"])
def test_of_many_rows_a_sample_decides_that_no_block_has_a_say_in(monkeypatch, scale):
    monkeypatch.setattr(scale_on_cluster, "ROWS_LOOKED_AT", 100)
    kinds = ["number"] * 3
    here = scaled_columns(ROWS, scale, kinds)
    for chunks in (500, 37):
        with dask.config.set(scheduler="synchronous"):
            there = scaled_columns(da.from_array(ROWS, chunks=(chunks, 3)), scale, kinds).compute()
        np.testing.assert_array_equal(there, here)
    assert not np.allclose(here.mean(axis=0), 0, atol=1e-6)


def test_what_is_left_to_the_method_is_not_touched():
    assert scaled_columns(ROWS, "auto", ["number"] * 3) is ROWS
    assert scaled_columns(ROWS, "none", ["number"] * 3) is ROWS
