"""How many threads a caller may use."""

import pytest
from threadpoolctl import threadpool_info

from graphwell._threads import one_blas_thread, thread_count
from graphwell.errors import OptionError


def test_negative_numbers_count_from_all_cores(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert [thread_count(n) for n in (None, -1, -2, -100, 3)] == [8, 8, 7, 1, 3]
    with pytest.raises(OptionError, match="n_jobs is 0") as caught:
        thread_count(0)
    assert caught.value.field == "n_jobs"


def test_matrix_libraries_have_one_thread_inside_the_block_and_theirs_again_after_it():
    def threads():
        return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]

    with one_blas_thread():
        assert set(threads()) == {1}
    import scipy.linalg  # noqa: F401 (what is loaded later has to be found too)

    before = threads()
    with one_blas_thread():
        assert set(threads()) == {1}
    assert threads() == before
