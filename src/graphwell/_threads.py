"""How many threads a caller may use, and work shared among them.

Compiled loops release the interpreter's lock, so plain Python threads run them side by side. A thread that
waits for the others sleeps: on a busy machine that costs little, where the spinning barriers of OpenMP cost
tenfold.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

import numpy as np

from graphwell.errors import OptionError
from graphwell.progress import heartbeat

# More than any machine has; more would only cost memory.
MOST_THREADS = 1024


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    ``None`` means every core this process may use; negative numbers count from there, as in
    scikit-learn: -1 is all of them, -2 all but one.
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
    """Keep matrix libraries to one thread inside the block: for systems of a hundred rows many only wait."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")


Result = TypeVar("Result")
Item = TypeVar("Item")
Found = TypeVar("Found")

MOST_HELPERS = os.cpu_count() or 1

_pool: ThreadPoolExecutor | None = None


def _helpers() -> ThreadPoolExecutor:
    """Threads that wait for work of any pool; started when first needed."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(MOST_HELPERS, thread_name_prefix="graphwell")
    return _pool


def _forget_helpers() -> None:
    """Threads do not survive a fork."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


class ThreadPool:
    """So many threads, the caller among them."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads

    def share(self, n_parts: int, work: Callable[[int, int], Result]) -> list[Result]:
        """Call ``work(first, last)`` on ranges that make up all parts, one for each thread."""
        count = max(1, min(self.n_threads, n_parts))
        if count == 1:
            return [work(0, n_parts)]
        cuts = [n_parts * i // count for i in range(count + 1)]
        others = [_helpers().submit(work, *cuts[i : i + 2]) for i in range(1, count)]
        try:
            mine = work(*cuts[:2])
        finally:
            results = [other.result() for other in others]
        return [mine, *results]

    def results(self, work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Do the work on each item, each thread taking the next one; return the results in order."""
        found: dict[int, Result] = {}

        def keep(place: int) -> None:
            found[place] = work(items[place])

        self.map(keep, range(len(items)))
        return [found[place] for place in range(len(items))]

    def map(self, work: Callable[[Item], object], items: Iterable[Item]) -> None:
        """Do the work on each item, each thread taking the next one when it is free.

        An error or an interrupt ends it: what is under way is finished, nothing more is begun.
        """
        waiting = deque(items)

        def take(first: int, last: int) -> None:
            try:
                while waiting:
                    heartbeat()
                    try:
                        item = waiting.popleft()
                    except IndexError:  # another thread took the last one
                        return
                    work(item)
            except BaseException:
                waiting.clear()
                raise

        self.share(min(self.n_threads, len(waiting)), take)


# `functools.cached_property` holds one lock for all objects of a class up to Python 3.11. Workers of a
# cluster may be threads of one process, which wait for each other inside of such a property.
class once(Generic[Found]):  # noqa: N801  it is read like `property`
    """Find a value when it is first asked for, and keep it with the object."""

    def __init__(self, find: Callable[[Any], Found]) -> None:
        self.find, self.__doc__ = find, find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Found:
        found = self.find(instance)
        instance.__dict__[self.name] = found
        return found
