"""Values and arrays of every kind are taken or refused in a sentence; copies of rows, and seeds."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import graphwell as gw
from graphwell import DiffuseInterfaceClassifier
from graphwell._random import stream
from graphwell._rows import labels_that_differ
from graphwell.errors import OptionError
from graphwell.graph.canonical import equal_rows
from tests.helpers import Exported

ODD = [
    None,
    "1",
    b"1",
    [1],
    (1,),
    {},
    np.ones(2),
    np.array(1.0),
    1j,
    object(),
    True,
    np.True_,
    Fraction(1, 2),
]


X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.where(np.arange(40) < 8, np.arange(40) % 2, -1)


def fit(X, y=Y):
    return DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("classifier", "name", "odd", "said"),
    [
        (
            DiffuseInterfaceClassifier,
            "fidelity",
            [*ODD, float("nan"), float("inf"), -1, 0, 1e300, 1e-300, 10**400],
            "fidelity must be positive",
        ),
        (gw.baselines.MulticlassMBO, "max_iter", [*ODD, 1.0, 0, -3], "max_iter must be a positive integer"),
        (gw.baselines.LabelSpreading, "alpha", [*ODD, 0, 1, float("nan")], "alpha must lie between 0 and 1"),
        (DiffuseInterfaceClassifier, "start", ODD, "start must be one of auto, diffusion, nearest, random"),
    ],
)
def test_odd_values_are_refused(classifier, name, odd, said):
    for value in odd:
        with pytest.raises(OptionError, match=said):
            classifier(**{name: value}).fit(X, Y)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (X[:, 0], "Expected 2D array"),
        (X[:1], "1 sample"),
        (np.where(X > 1, np.nan, X), "contains NaN"),
        (Exported(X, device=(2, 0)), "lies in the memory of a device"),
        (Exported(X, device="x"), "__dlpack_device__ fails"),
        (Exported(X), "X is a Exported, which holds no numbers"),
        (np.zeros(40, dtype=[("a", float)]), "fields with names"),
        (X + 0j, "Complex data not supported: X is complex; give its parts as columns"),
        (sparse.csr_array(X + 0j), "Complex data not supported"),
        (np.ndarray, "X is a type, which holds no numbers"),
        (np, "X is a module, which holds no numbers"),
        (X.__dlpack__(), "X is a PyCapsule, which holds no numbers"),
    ],
)
def test_what_cannot_be_rows_gets_one_sentence(wrong, said):
    with pytest.raises(ValueError, match=said) as refused:
        fit(wrong)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("wrong", [np, print, "x", None, X + 0j, Exported(X, device=(2, 0))])
def test_new_rows_are_checked_as_those_of_a_fit(wrong):
    with pytest.raises(ValueError, match=r"^(X|Complex).*\.$"):
        fit(X).predict(wrong)


def test_labels_of_another_library_are_checked_too():
    with pytest.raises(ValueError, match="y lies in the memory of a device"):
        fit(X, Exported(Y, device=(2, 0)))
    with pytest.raises(ValueError, match="y has 39 labels but X has 40 rows"):
        fit(X, Y[1:])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_equal_rows_have_one_number(dtype):
    X = np.array([[1, 0, 2], [1, 0, 3], [1, 0, 2], [0, 0, 0]], dtype=dtype)
    assert equal_rows(X).tolist() == [0, 1, 0, 2]
    assert equal_rows(X[:1], X[1:]).tolist() == [0, 1, 0, 2]
    assert equal_rows(sparse.csr_matrix(X)).tolist() == [0, 1, 0, 2]
    assert equal_rows(np.asfortranarray(X)).tolist() == [0, 1, 0, 2]


def test_equal_labels_of_copies_are_not_told_of():
    assert labels_that_differ(np.array([0, 0, 1]), np.array([1, 1, 0]), "ab", np.arange(3)) is None
    many, codes = np.repeat(np.arange(5), 2), np.tile([0, 1], 5)
    told = str(labels_that_differ(many, codes, ["a", "b"], np.arange(10) + 1))
    assert told.startswith("5 groups of equal rows have different labels: (row 1 'a', row 2 'b'); (row 3 'a'")
    assert told.endswith("; ….")


def test_purposes_and_seeds_have_streams_of_their_own():
    draws = {(seed, purpose): stream(seed, purpose).random() for seed in (0, 1) for purpose in ("a", "b")}
    assert len(set(draws.values())) == 4
    assert stream(np.int64(0), "a").random() == draws[0, "a"]
    assert np.random.default_rng(0).random() not in draws.values()


@pytest.mark.parametrize("seed", [-1, "a", 1.5])
def test_other_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="random_state must be None, a non-negative integer"):
        stream(seed, "a")
