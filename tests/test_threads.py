"""How many threads a caller may use."""

import pytest

from graphwell._threads import thread_count
from graphwell.errors import OptionError


def test_negative_numbers_count_from_all_cores(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert [thread_count(n) for n in (None, -1, -2, -100, 3)] == [8, 8, 7, 1, 3]
    with pytest.raises(OptionError, match="n_jobs is 0") as caught:
        thread_count(0)
    assert caught.value.field == "n_jobs"
