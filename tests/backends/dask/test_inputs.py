"""What is wrong with the rows of a Dask array is said in one sentence."""

import dask
import dask.array as da
import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier


def broken(n_bad):
    X = np.arange(1200.0).reshape(60, 20) % 7
    X[35, :n_bad] = np.nan
    return da.from_array(X, chunks=(20, 20))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (da.ones((60, 20), chunks=(30, 10)), r"X is cut into 2 chunks along its columns; .* X\.rechunk"),
        (
            da.ones((60, 20), chunks=(20, 20))[da.arange(60, chunks=20) > 3],
            "X has chunks of unknown size; call",
        ),
        (broken(1), r"X holds 1 NaN or infinite value in block 1 \(rows 20 to 39\); fill or remove"),
        (broken(2), r"2 NaN or infinite values in block 1"),
        (da.ones(60, chunks=20), "X must have two dimensions, got a Dask array of 1"),
        (da.ones((60, 2), chunks=(20, 2)), "X has only identical rows"),
        (da.ones((1, 2)), "X must have at least 2 rows"),
        (da.full((60, 2), 1e200), "X holds values beyond 1e.150; rescale"),
        (da.from_array(np.full((60, 2), "a")), "X must hold real numbers"),
        (dask.delayed([1]), "X must be a Dask array, got a Dask Delayed"),
    ],
)
def test_bad_rows_get_one_sentence(client, X, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier().fit(X, np.zeros(60, dtype=int))


def lying(shape, chunks, make):
    """An array whose blocks are not what it says of them."""
    graph = {("lying", i, 0): (make,) for i in range(len(chunks))}
    return da.Array(graph, "lying", (chunks, (shape[1],)), meta=np.empty((0, 0)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: np.zeros((3, 12)), r"A block of X has the shape \(3, 12\) where the array says \(20, 12\)"),
        (lambda: np.zeros((20, 2)), r"shape \(20, 2\) where the array says"),
        (lambda: np.zeros(20), r"shape \(20,\) where the array says"),
        (lambda: np.full((20, 12), "x"), "A block of X must hold real numbers"),
    ],
)
def test_blocks_that_are_not_what_the_array_says(client, make, words):
    X = lying((60, 12), (20, 20, 20), make)
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier().fit(X, np.arange(60) % 3)
