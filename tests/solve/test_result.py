"""How a descent ended."""

import numpy as np

from graphwell.solve.result import Result, Status, on_host


def test_every_status_is_a_sentence():
    for status in Status:
        assert status.value.endswith(".")
        assert status.value[0].isupper()


def test_a_result_is_fetched_whole():
    result = Result(np.array([1]), np.array([0.5]), Status.SETTLED, n_sweeps=3, energies=(1.0,))
    fetched = on_host(result, lambda array: array + 1)
    assert (fetched.labels.tolist(), fetched.offsets.tolist()) == ([2], [1.5])
    assert (fetched.n_sweeps, fetched.energies, fetched.status) == (3, (1.0,), Status.SETTLED)
    assert "energies" not in repr(result)
