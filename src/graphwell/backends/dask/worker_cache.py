"""Chains of tasks whose state stays in the memory of their workers between two of them.

A step of a chain returns what other blocks need of its result; the rest, which only the next step of the same
block needs, is kept in the worker's process under the name of the chain. This halves the tasks of a sweep.
The tasks of a chain are bound to their worker. Where that is gone, or a task is run again, the state is not
there, and `DisplacedError` is raised: whoever started the chain then begins it anew (`undisturbed`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from graphwell.backends.dask.tasks import DisplacedError, Handle, Tasks

MOST_ATTEMPTS = 20
Result = TypeVar("Result")

_STATES: dict[str, tuple[int, Any]] = {}


def keep(chain: str, number: int, state: Any) -> None:
    """Keep the state after step `number` of a chain, and drop the one before."""
    _STATES[chain] = (number, state)


def take(chain: str, number: int) -> Any:
    """Return the state after step `number` of a chain, which must be the last; it is kept no longer.

    Examples
    --------
    >>> keep("sweeps of block 0", 7, "state")
    >>> take("sweeps of block 0", 7)
    'state'
    >>> take("sweeps of block 0", 7)
    Traceback (most recent call last):
    graphwell.backends.dask.tasks.DisplacedError: Step 7 of sweeps of block 0 left nothing here.
    """
    found, state = _STATES.pop(chain, (None, None))
    if found != number:
        raise DisplacedError(f"Step {number} of {chain} left nothing here.")
    return state


class Chains:
    """One chain for each block, their steps side by side.

    Parameters
    ----------
    tasks : Tasks
    name : str
        What the chains do.
    begin : callable
        ``begin(*arguments)`` returns a state and what other blocks need of it.
    columns : sequences
        One argument for each block.
    """

    def __init__(self, tasks: Tasks, name: str, begin: Callable[..., Any], *columns: Sequence[Any]) -> None:
        self.tasks, self.number = tasks, 0
        run = tasks.new_name()
        self.names = [f"{name} of block {p} in {run}" for p in range(len(columns[0]))]
        self.exports = tasks.each(name, partial(_begin, begin), self.names, *columns, bound=True)

    def step(
        self, name: str, function: Callable[..., Any], *columns: Sequence[Any], **same: Any
    ) -> list[Handle]:
        """Have ``function(state, *arguments)`` return the next state, and what other blocks need of it."""
        self.number += 1
        task = partial(_step, partial(function, **same), self.number)
        self.exports = self.tasks.each(name, task, self.names, self.exports, *columns, bound=True)
        return self.exports


def undisturbed(tasks: Tasks, n_blocks: int, work: Callable[[], Result]) -> Result:
    """Do work that uses chains, again from its beginning where a worker was lost on the way."""
    for _ in range(MOST_ATTEMPTS):
        try:
            return work()
        except DisplacedError:
            tasks.settle(n_blocks)
    raise RuntimeError(
        f"Workers were lost {MOST_ATTEMPTS} times during one step; the cluster is not stable enough to go on."
    )


def _begin(function: Callable[..., Any], chain: str, *arguments: Any) -> Any:
    state, export = function(*arguments)
    keep(chain, 0, state)
    return export


def _step(function: Callable[..., Any], number: int, chain: str, own: Any, *arguments: Any) -> Any:
    """One step; it waits for `own`, what the step before it exported."""
    state, export = function(take(chain, number - 1), *arguments)
    keep(chain, number, state)
    return export
