"""Class and offset in one word."""

import numpy as np
import pytest

from graphwell.backends.cpu.layout import Packing


@pytest.mark.parametrize("n_classes", [1, 2, 64, 65, 5000, 100_000, 2**21])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_word_holds_every_class_and_r(n_classes, dtype):
    packing = Packing.of(n_classes, np.dtype(dtype))
    offsets = np.linspace(-0.5, 0.5, 8, endpoint=False).astype(dtype)
    words = packing.pack(np.full(8, n_classes - 1), offsets)
    assert (packing.labels(words) == n_classes - 1).all()
    r = (words & ((1 << packing.shift) - 1)) / 2.0**packing.shift
    np.testing.assert_array_equal(r, 0.5 - np.abs(offsets.astype(float)))
    assert packing.shift >= 15
