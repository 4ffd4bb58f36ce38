"""Rows on the GPU or on the host, as a search sees them."""

import numpy as np
import pytest

from graphwell.backends.cuda import points
from graphwell.backends.cuda.points import Points


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize(("n", "d"), [(2, 1), (1000, 7), (300, 400)])
def test_blocks_bounds_and_some_rows(library, monkeypatch, n, d, there):
    X = np.random.default_rng(d).normal(size=(n, d)).astype(np.float32)
    monkeypatch.setattr(points, "BYTES_AT_ONCE", 4 * d * 90)
    held = Points(library.asarray(X) if there else X)
    assert held.on_gpu == there
    blocks = [(begin, library.asnumpy(block)) for begin, block in held.blocks()]
    assert [begin for begin, _ in blocks] == list(range(0, n, n if there else 90))
    np.testing.assert_array_equal(np.concatenate([block for _, block in blocks]), X)
    low, high, mean = map(library.asnumpy, held.bounds())
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))
    np.testing.assert_allclose(mean, X.mean(axis=0, dtype=np.float64), atol=1e-12)
    chosen = np.array([1, 0])
    np.testing.assert_array_equal(library.asnumpy(held.some(library.asarray(chosen))), X[chosen])
    np.testing.assert_array_equal(held.on_host, X)
