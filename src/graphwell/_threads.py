"""How many threads a caller may use."""

import os
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from graphwell.errors import OptionError

MOST_THREADS = 1024
"""More than any machine has; more would only cost memory."""


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    ``None`` means every core this process may use; negative numbers count from there, as in
    scikit-learn: -1 is all of them, -2 all but one.

    Examples
    --------
    >>> thread_count(3)
    3
    >>> thread_count(-1) == thread_count(None)
    True
    """
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return available
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
        raise OptionError("n_jobs", "{field} must be None or an integer, got {!r}.", n_jobs)
    count = int(n_jobs)
    if count == 0:
        raise OptionError("n_jobs", "{field} is 0; give a positive number of threads, or -1 for all cores.")
    return min(count, MOST_THREADS) if count > 0 else max(1, available + 1 + count)


def one_blas_thread() -> AbstractContextManager[Any]:
    """Keep matrix libraries to one thread inside the block: for systems of a hundred rows many only wait.

    Examples
    --------
    >>> with one_blas_thread():
    ...     np.linalg.solve([[2.0]], [4.0])
    array([2.])
    """
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")
