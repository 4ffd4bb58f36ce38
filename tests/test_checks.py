"""Values and arrays of every kind are taken or refused in a sentence, never a Python error."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from graphwell import DiffuseInterfaceClassifier
from graphwell._checks import as_readable, number_between, one_of, positive_number, whole_number
from graphwell.errors import OptionError
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


@pytest.mark.parametrize("value", [*ODD, float("nan"), float("inf"), -1, 0, 1e300, 1e-300, 10**400])
def test_odd_numbers_are_refused(value):
    with pytest.raises(OptionError, match="fidelity must be positive"):
        positive_number("fidelity", value)


@pytest.mark.parametrize("value", [*ODD, 1.0, 0, -3])
def test_odd_counts_are_refused(value):
    with pytest.raises(OptionError, match="max_iter must be a positive integer"):
        whole_number("max_iter", value)


@pytest.mark.parametrize("value", [*ODD, 0, 1, float("nan")])
def test_odd_shares_are_refused(value):
    with pytest.raises(OptionError, match="alpha must lie between 0 and 1"):
        number_between("alpha", value, 0, 1)


@pytest.mark.parametrize("value", ODD)
def test_odd_words_are_refused(value):
    with pytest.raises(OptionError, match="start must be one of a, b"):
        one_of("start", value, ("a", "b"))


def test_what_is_sound_passes():
    assert whole_number("n", np.int8(3)) == 3
    assert positive_number("f", np.float32(0.5)) == 0.5
    assert number_between("s", 100, 0, 100, ends=True) == 100
    assert one_of("w", np.str_("a"), ("a", "b")) == "a"


X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.where(np.arange(40) < 8, np.arange(40) % 2, -1)


def fit(X, y=Y):
    return DiffuseInterfaceClassifier(n_jobs=1, tune=False, random_state=0).fit(X, y)


def test_an_array_that_only_dlpack_exports_is_fitted_like_any_other():
    expected = fit(X)
    found = fit(Exported(X), Exported(Y))
    assert (found.transduction_ == expected.transduction_).all()
    assert (found.predict(Exported(X)) == expected.predict(X)).all()


def test_a_host_array_is_not_copied():
    assert np.shares_memory(as_readable(Exported(X), "X"), X)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Exported(X[:, 0]), "Expected 2D array"),
        (Exported(X[:1]), "1 sample"),
        (Exported(np.where(X > 1, np.nan, X)), "contains NaN"),
        (Exported(X + 0j), "Complex data not supported"),
        (Exported(X, device=(2, 0)), "lies in the memory of a device"),
        (Exported(X, device="x"), "__dlpack_device__ fails"),
        (Exported(X, raises=BufferError("lent out")), r"cannot be imported by DLPack \(lent out\)"),
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


def test_a_capsule_is_used_once():
    twice = Exported(X, capsule=X.__dlpack__())
    assert (as_readable(twice, "X") == X).all()
    with pytest.raises(ValueError, match="cannot be imported by DLPack"):
        as_readable(twice, "X")


def test_labels_of_another_library_are_checked_too():
    with pytest.raises(ValueError, match="y lies in the memory of a device"):
        fit(X, Exported(Y, device=(2, 0)))
    with pytest.raises(ValueError, match="y has 39 labels but X has 40 rows"):
        fit(X, Exported(Y[1:]))


def test_a_matrix_is_an_array():
    assert (fit(X.view(np.matrix)).transduction_ == fit(X).transduction_).all()
