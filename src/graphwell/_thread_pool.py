"""Work shared among threads.

Compiled loops release the interpreter's lock, so plain Python threads run them side by side. A thread that
waits for the others sleeps: on a busy machine that costs little, where the spinning barriers of OpenMP cost
tenfold.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from graphwell.progress import heartbeat

Result = TypeVar("Result")
Item = TypeVar("Item")

MOST_HELPERS = os.cpu_count() or 1

_pool: ThreadPoolExecutor | None = None
_undivided = Lock()


def _helpers() -> ThreadPoolExecutor:
    """Threads that wait for work of any pool; started when first needed."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(MOST_HELPERS, thread_name_prefix="graphwell")
    return _pool


def _forget_helpers() -> None:
    """Threads do not survive a fork."""
    global _pool, _undivided
    _pool, _undivided = None, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


class ThreadPool:
    """So many threads, the caller among them.

    Examples
    --------
    >>> ThreadPool(2).share(10, lambda first, last: sum(range(first, last)))
    [10, 35]
    """

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

    def together(self, work: Callable[[int, int], Result], give_up: Callable[[], object]) -> list[Result]:
        """Call ``work(thread, n_threads)`` on all threads at once, so that they may wait for each other.

        `give_up` must free those that wait; it is called when one of them fails. Only one pool at a time can
        be sure of its threads: another one works alone meanwhile.
        """
        count = min(self.n_threads, MOST_HELPERS + 1)
        if count == 1 or not _undivided.acquire(blocking=False):
            return [work(0, 1)]

        def guarded(thread: int) -> Result:
            try:
                return work(thread, count)
            except BaseException:
                give_up()
                raise

        others: list[Future[Result]] = []
        try:
            try:
                others.extend(_helpers().submit(guarded, thread) for thread in range(1, count))
                mine = guarded(0)
            except BaseException:
                give_up()
                raise
            finally:
                results = [other.result() for other in others]
        finally:
            _undivided.release()
        return [mine, *results]

    def results(self, work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Do the work on each item, each thread taking the next one; return the results in order.

        Examples
        --------
        >>> ThreadPool(2).results(lambda x: x * x, [1, 2, 3])
        [1, 4, 9]
        """
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
