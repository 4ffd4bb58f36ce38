"""Dates as people write them."""

import numpy as np
import pytest

from graphwell.encoders.written import read_dates
from graphwell.io.tables.cells import text_column


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["2024-03-31", "1999-1-2"], ["2024-03-31", "1999-01-02"]),
        (["31.03.2024", "01.02.2024"], ["2024-03-31", "2024-02-01"]),
        (["03/31/2024", "01/02/2024"], ["2024-03-31", "2024-01-02"]),
        (["31/03/2024", "01/02/2024"], ["2024-03-31", "2024-02-01"]),
        (["01/02/2024", "03/04/2024"], ["2024-01-02", "2024-03-04"]),
        (["2024-03-31 12:30", "2024-03-31T12:30:15Z"], ["2024-03-31T12:30", "2024-03-31T12:30:15"]),
        (["31.02.2024", "soon", "12"], ["NaT", "NaT", "NaT"]),
        ([], []),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_column(cells, dates):
    found = read_dates(text_column(cells), np.zeros(len(cells), dtype=bool))
    np.testing.assert_array_equal(found, np.array(dates, dtype="datetime64[s]"))


def test_missing_cells_are_no_dates():
    found = read_dates(text_column(["", "2024-01-01"]), np.array([True, False]))
    assert np.isnat(found).tolist() == [True, False]
