"""What a chain of tasks keeps to itself between two of them.

A task returns what other blocks need of its result; the rest, which only the next task of the same block
needs, stays in the memory of the worker's process under the name of the chain. This halves the tasks of a
sweep. The tasks of a chain are bound to their worker. Where that is gone, or a task is run again, what it
needs is not there, and `DisplacedError` is raised. Whoever started the chain then begins it anew in plain
tasks, which return all that they know, run anywhere, and which Dask can recover by itself.
"""

from typing import Any


class DisplacedError(RuntimeError):
    """What a task needs from the one before it is not in this process."""


_KEPT: dict[str, tuple[int, Any]] = {}


def stash(chain: str, number: int, value: Any) -> None:
    """Keep the private result of task `number` of a chain, and drop the one before."""
    _KEPT[chain] = (number, value)


def unstash(chain: str, number: int) -> Any:
    """Return the private result of task `number` of a chain, which must be the last; it is kept no longer.

    Examples
    --------
    >>> stash("sweeps of block 0", 7, "state")
    >>> unstash("sweeps of block 0", 7)
    'state'
    >>> unstash("sweeps of block 0", 7)
    Traceback (most recent call last):
    graphwell.backends.dask.worker_cache.DisplacedError: Task 7 of sweeps of block 0 left nothing here.
    """
    found, value = _KEPT.pop(chain, (None, None))
    if found != number:
        raise DisplacedError(f"Task {number} of {chain} left nothing here.")
    return value
