"""Sums on a GPU against those of NumPy."""

from functools import partial

import numpy as np

from graphwell.backends.base import Engine
from graphwell.backends.cuda.reductions import column_dots, combine, group_minima, group_sums


def test_sums_by_column_and_by_group(gpu):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5000, 7)).astype(np.float32)
    expected = np.einsum("ij,ij->j", a, b, dtype=np.float64)
    np.testing.assert_allclose(column_dots(gpu.asarray(a), gpu.asarray(b)), expected, rtol=1e-10)
    for width in (7, 70):
        x, y = rng.normal(size=(2, 300, width)).astype(np.float32)
        factors, there = rng.normal(size=(2, width)), gpu.asarray(x)
        combine(factors[0], there, factors[1], gpu.asarray(y))
        x *= factors[0].astype(np.float32)
        x += factors[1].astype(np.float32) * y
        np.testing.assert_array_equal(there.get(), x)
    groups, values, host = np.sort(rng.integers(5, size=5000)), rng.normal(size=5000), Engine()
    groups[::7] = 2
    for function, expected, n_groups in (
        (group_sums, host.grouped, 6),
        (group_minima, partial(host.grouped, combine=np.minimum), 5),
    ):
        found = function(gpu.asarray(groups), gpu.asarray(values), n_groups)
        np.testing.assert_allclose(found.get(), expected(groups, values, n_groups), rtol=1e-12, atol=1e-12)
