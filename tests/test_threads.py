"""How many threads a caller may use, and work shared among them."""

import os
import threading
from itertools import chain

import pytest

from graphwell._threads import ThreadPool, thread_count
from graphwell.errors import OptionError


def test_negative_numbers_count_from_all_cores(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert [thread_count(n) for n in (None, -1, -2, -100, 3)] == [8, 8, 7, 1, 3]
    with pytest.raises(OptionError, match="n_jobs is 0") as caught:
        thread_count(0)
    assert caught.value.field == "n_jobs"


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
def test_the_ranges_make_up_all_parts(n_threads, n_parts):
    ranges = ThreadPool(n_threads).share(n_parts, lambda first, last: list(range(first, last)))
    assert list(chain.from_iterable(ranges)) == list(range(n_parts))
    assert len(ranges) == min(n_threads, n_parts)


def test_an_error_ends_the_work_and_is_raised():
    begun, both = [], threading.Barrier(2)

    def work(item):
        begun.append(item)
        if item < 2:
            both.wait(timeout=10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ThreadPool(2).map(work, range(1000))
    assert len(begun) < 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork a process")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_has_helpers_of_its_own():
    ThreadPool(2).share(2, lambda first, last: None)
    child = os.fork()
    if child == 0:
        ended = ThreadPool(2).share(2, lambda first, last: last) == [1, 2]
        os._exit(0 if ended else 1)
    assert os.waitpid(child, 0)[1] == 0
