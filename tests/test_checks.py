"""Values of every kind are taken or refused in a sentence, never a Python error."""

from fractions import Fraction

import numpy as np
import pytest

from graphwell._checks import number_between, one_of, positive_number, whole_number
from graphwell.errors import OptionError

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
