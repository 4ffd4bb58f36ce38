"""What a fit will need."""

import platform

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.memory import (
    check_fits,
    give_back,
    held,
    limited_to,
    read_size,
)


@pytest.mark.parametrize("text", ["", "x", "-1GB", "nan", "inf", "0", "1e30", "GB"])
def test_sizes_that_are_none_are_refused(text):
    with pytest.raises(OptionError, match="max_memory must be a size such as 4GB"):
        read_size(text)


def test_what_fits_passes_and_what_does_not_is_refused():
    with limited_to(1000):
        check_fits("a.csv", 1000)
        with pytest.raises(
            OptionError, match=r"a.csv needs about 1 kB of memory, more than the 1 kB allowed"
        ):
            check_fits("a.csv", 1001)
    with pytest.raises(OptionError, match=r"more than the .* that are free"):
        check_fits("a.csv", 1e30)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only the C library of Linux keeps freed memory"
)
def test_freed_memory_goes_back_to_the_system():
    blocks = [np.ones(12_000) for _ in range(1_000)]  # small enough for the heap
    kept = blocks[::50]
    del blocks
    before = held()
    give_back()
    assert held() < before - 50_000_000
    assert all(block.sum() == 12_000 for block in kept)
