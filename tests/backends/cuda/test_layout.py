"""Tiles of the matrix on a GPU."""

import numpy as np
import pytest

from graphwell.backends.cuda import layout
from graphwell.backends.cuda.layout import Tiling


@pytest.mark.parametrize("n_slices", [0, 1, 5, 300])
def test_tiles_cover_every_slice_once(monkeypatch, n_slices):
    monkeypatch.setattr(layout, "cupy", lambda: np)
    widths = np.random.default_rng(n_slices).integers(0, 200, size=n_slices)
    starts = np.concatenate([[0], np.cumsum(32 * widths)])
    for tiling in (Tiling.equal(starts, 132), Tiling.small(starts)):
        first = tiling.first_slice
        assert first[0] == 0
        assert first[-1] == n_slices
        assert (np.diff(first) >= 0).all()
        assert np.diff(starts[first]).max(initial=0) <= tiling.most_entries
        assert 32 * np.diff(first).max(initial=0) <= tiling.most_rows
    assert Tiling.small(starts).most_entries <= max(layout.ENTRIES_PER_TILE, 32 * widths.max(initial=1))
    assert Tiling.equal(starts, 132).n_tiles <= 132
