"""Rows to label next, each with a reason; usable as an array of row numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from graphwell._types import IntArray


@dataclass(frozen=True)
class Question:
    """A row to label, counted from 0, and why."""

    row: int
    reason: str


@dataclass(frozen=True)
class Suggestions(Sequence[int]):
    """Rows to label next, best first.

    A sequence of row numbers: it can be looped over, cut, and used as an index of an array.

    Attributes
    ----------
    questions : tuple of Question
        Rows with their reasons.
    strategy : str
        Name of the strategy that chose them.

    Examples
    --------
    >>> found = Suggestions((Question(4, "largest group"), Question(1, "border")), "communities")
    >>> list(found), found[0], found.reasons
    ([4, 1], 4, ('largest group', 'border'))
    >>> np.arange(10, 20)[found]
    array([14, 11])
    """

    questions: tuple[Question, ...]
    strategy: str

    @property
    def rows(self) -> IntArray:
        """Row numbers, counted from 0."""
        return np.array([question.row for question in self.questions], dtype=np.int64)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each row is worth a label, in a few words."""
        return tuple(question.reason for question in self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[int]:
        return (question.row for question in self.questions)

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> "Suggestions": ...

    def __getitem__(self, place: int | slice) -> "int | Suggestions":
        if isinstance(place, slice):
            return Suggestions(self.questions[place], self.strategy)
        return self.questions[place].row

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.rows.astype(np.int64 if dtype is None else dtype)

    def __str__(self) -> str:
        return "\n".join(f"row {question.row}: {question.reason}" for question in self.questions)
