"""Arithmetic of vectors, written down to be worked out for one block after the other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.blocks.programs import rounded


class Slot(NamedTuple):
    """What was given, or what an earlier step of a formula came to, by number."""

    number: int


class Step(NamedTuple):
    """One call; slots among its arguments stand for what has been found before."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: dict[str, Any]


@dataclass(frozen=True)
class Formula:
    """Calls that follow from each other; the last one is the result.

    Attributes
    ----------
    n_given : int
        Number of arrays that it is worked out from.
    steps : tuple of Step

    Examples
    --------
    >>> twice = Step(np.add, (Slot(0), Slot(0)), {})
    >>> Formula(1, (twice, Step(np.sqrt, (Slot(1),), {}))).of(np.array([8.0, 2.0]))
    array([4., 2.])
    """

    n_given: int
    steps: tuple[Step, ...]

    def of(self, *given: Any) -> Any:
        """Work it out; what no later step needs is forgotten on the way."""
        last = {slot: i for i, step in enumerate(self.steps) for slot in slots_of(step)}
        found = {Slot(number): value for number, value in enumerate(given)}
        for i, step in enumerate(self.steps):
            values = [found[each] if isinstance(each, Slot) else each for each in step.arguments]
            found[Slot(self.n_given + i)] = step.function(*values, **step.options)
            for slot in slots_of(step):
                if last[slot] == i:
                    found.pop(slot, None)
        return found[Slot(self.n_given + len(self.steps) - 1)]


def slots_of(step: Step) -> list[Slot]:
    """The slots that a step takes from."""
    return [each for each in step.arguments if isinstance(each, Slot)]


class Table:
    """Looks numbers up in a small array, which goes to the workers as it is."""

    def __init__(self, entries: Any) -> None:
        self.entries = np.asarray(entries)

    def __call__(self, numbers: IntArray) -> Any:
        """The entries of these numbers."""
        return self.entries[numbers]


class Members(Table):
    """Says which numbers are among a few."""

    def __call__(self, numbers: IntArray) -> Any:
        """Whether each number is."""
        return np.isin(numbers, self.entries)


def of_type(values: Any, dtype: Any) -> Any:
    """The values in another type."""
    return values.astype(dtype, copy=False)


def marked(values: Any, mask: BoolArray) -> tuple[IntArray, Any]:
    """Places of the marked vertices of a block, and their values."""
    places = np.flatnonzero(mask)
    return places, values[places]


def highest(values: Any) -> Any:
    """The largest value of a block, in an array; nothing if the block is empty."""
    return values[values.argmax() :][:1] if len(values) else values


def counted(numbers: IntArray, n_groups: int) -> IntArray:
    """How many vertices of a block have each number; at least so many numbers."""
    return np.bincount(numbers, minlength=n_groups)


def group_peaks(groups: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Largest absolute value of each group in a block."""
    peaks = np.zeros(n_groups)
    np.maximum.at(peaks, groups, np.abs(values))
    return peaks


def group_sums(groups: IntArray, values: FloatArray, bounds: FloatArray) -> FloatArray:
    """Sums of each group in a block, rounded so that those of all blocks add up without an error.

    Examples
    --------
    >>> group_sums(np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), bounds=np.array([9.0, 9.0]))
    array([4., 2.])
    """
    return np.bincount(groups, rounded(values.astype(np.float64), bounds[groups]), minlength=len(bounds))


def group_minima(groups: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Smallest value of each group in a block; infinite where it has none there."""
    lowest = np.full(n_groups, np.inf)
    np.minimum.at(lowest, groups, values)
    return lowest
