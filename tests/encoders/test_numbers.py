"""Numbers as people write them."""

import numpy as np
import pytest

from graphwell.encoders.written import read_numbers
from graphwell.io.tables.cells import text_column

NAN = float("nan")


def read(cells, decimal=None):
    return read_numbers(text_column(cells), np.array([cell == "" for cell in cells]), decimal)


@pytest.mark.parametrize(
    ("cells", "values", "decimal"),
    [
        (["1", "2.5e3", "", "-3"], [1, 2500, NAN, -3], "."),
        (["1,5", "2", "-3,25"], [1.5, 2, -3.25], ","),
        (["1,234", "5,678,901", "12"], [1234, 5678901, 12], "."),
        (["1.234,5", "1.000.000", "2"], [1234.5, 1e6, 2], ","),
        (["1,234.5", "12,000"], [1234.5, 12000], "."),
        (["0,123", "0,456"], [0.123, 0.456], ","),
        (["12 %", "47,2%"], [12, 47.2], ","),
        (["$1,200", "-$3.50", "€ 7"], [1200, -3.5, 7], "."),
        (["1 234", "12\N{NO-BREAK SPACE}000", "1'000"], [1234, 12000, 1000], "."),
        (["\N{MINUS SIGN}4,5", "+2,5"], [-4.5, 2.5], ","),
        (["1", "two", "1_000", "1,2,3", "1-2"], [1, NAN, NAN, NAN, NAN], "."),
        (["inf", "1,5"], [np.inf, 1.5], ","),
        (["e", "%", ".", "-", "1e5", "E106", "-e3"], [NAN, NAN, NAN, NAN, 1e5, NAN, NAN], "."),
    ],
)
def test_numbers_are_read_with_the_decimal_mark_of_their_column(cells, values, decimal):
    found = read(cells)
    np.testing.assert_array_equal(found.values, values)
    assert found.decimal == decimal
    np.testing.assert_array_equal(found.read, ~np.isnan(values))


def test_a_decimal_mark_that_is_given_is_used():
    np.testing.assert_array_equal(read(["1,234", "2"], ",").values, [1.234, 2])
    np.testing.assert_array_equal(read(["1,23", "2"], ".").values, [NAN, 2])


def test_plain_numbers_are_those_of_numpy_bit_for_bit():
    texts = [repr(value) for value in np.random.default_rng(0).normal(size=100).tolist()]
    np.testing.assert_array_equal(read(texts).values, np.array(texts, dtype=float))


def test_nothing_at_all_is_no_number():
    assert np.isnan(read(["", ""]).values).all()
    assert np.isnan(read(["a"]).values).all()
