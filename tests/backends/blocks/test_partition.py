"""What a partition answers; whole searches are in tests/backends/dask/test_search.py."""

import numpy as np
import pytest

from graphwell.backends.blocks.partition import Answer, Partition, chosen


@pytest.mark.parametrize(("neighbor", "distance"), [(-1, 1.0), (1, np.nan), (1, np.inf)])
def test_neighbours_that_are_none_are_refused(neighbor, distance):
    """A block may be computed again, with other values than those that were checked."""
    partition = Partition(0, 0, np.arange(2), np.zeros((2, 3)), np.zeros(2, int), None, None, 1, None)
    found = Answer(
        np.arange(2), np.array([[neighbor], [0]]), np.array([[1], [0]]), np.array([[distance], [1.0]])
    )
    with pytest.raises(ValueError, match="the same finite values every time it is computed"):
        chosen([found], partition, np.ones(2), n_neighbors=1)
