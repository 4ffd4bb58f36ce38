"""A query, the questions that answer it, and batches whose rows lie apart.

Strategies look at aggregates, small groups of rows that every backend finds in the same way. There are at
most some thousands; of a graph with fewer rows each row is one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, overload

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.active.communities import Communities, coarsened, find_communities
from graphwell.backends.base import Engine
from graphwell.solve.coarse import aggregate_graph, harmonic_shares, shares_of
from graphwell.solve.communities import Aggregates

MOST_DENSE = 1_000
"""Aggregates of which dense matrices are inverted or decomposed."""
COMMUNITIES_PER_QUESTION = 4


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


@dataclass(frozen=True, eq=False)
class Query:
    """The graph, the labels so far, and the rows that may be asked: all that a query strategy is given.

    Attributes
    ----------
    engine : Engine
        Of the graph with squared affinities.
    degrees : array of shape (n,)
        Sum of the affinities of each row.
    aggregates : Aggregates
        The graph in small: `members` has the aggregate of each row, `W` the weights between aggregates.
    labels : array of shape (n,)
        Class of each row, -1 where it is unknown.
    names : sequence of str
        Names of the classes.
    open : array of shape (n,)
        Whether a row may be asked: it has no label, and nobody said that it cannot be told.
    rows : array of shape (n,)
        Number that the user knows each row by. Here rows are in the order of their content, questions too.
    scores : callable, optional
        Returns the scores of a fitted classifier, of shape (n, n_classes).
    random_state : int, Generator or RandomState, optional
    """

    engine: Engine
    degrees: FloatArray
    aggregates: Aggregates
    labels: IntArray
    names: Sequence[str]
    open: BoolArray
    rows: IntArray
    scores: Callable[[], FloatArray] | None = None
    random_state: Seed = 0

    @property
    def n_classes(self) -> int:
        """Number of classes that have a label."""
        return len(self.names)

    @property
    def n_asked(self) -> int:
        """Number of rows that were asked, with or without an answer."""
        return int((~self.open).sum())

    @cached_property
    def seed(self) -> int:
        """Seed of the order in which communities are found."""
        return int(stream(self.random_state, "communities").integers(2**31))

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows in each aggregate."""
        return np.bincount(self.aggregates.members, minlength=self.aggregates.W.shape[0])

    @cached_property
    def coarse(self) -> Aggregates:
        """The graph in so few aggregates that dense matrices of them are cheap."""
        return coarsened(self.aggregates, MOST_DENSE)

    @cached_property
    def shares(self) -> FloatArray:
        """How much each row belongs to each class: by the classifier, else harmonic on the coarse graph."""
        if self.scores is not None:
            return shares_of(self.scores())
        n_groups = self.coarse.W.shape[0]
        graph = aggregate_graph(self.engine, self.coarse, self.labels, self.n_classes, n_groups)
        return shares_of(harmonic_shares(graph))[self.coarse.members]

    def communities(self, wanted: int) -> Communities:
        """Communities of about a number."""
        return find_communities(self.aggregates, wanted, self.seed)

    def near(self, row: int) -> BoolArray:
        """Rows in the aggregate of a row, and in those next to it."""
        W, aggregate = self.aggregates.W, self.aggregates.members[row]
        near = np.zeros(W.shape[0], dtype=bool)
        near[W.indices[W.indptr[aggregate] : W.indptr[aggregate + 1]]] = True
        near[aggregate] = True
        return near[self.aggregates.members]

    def batch(self, values: FloatArray, n: int, among: BoolArray | None = None) -> IntArray:
        """Open rows of the highest values, at most one of each small community and none beside another.

        Further rows of the same communities follow only when nothing else is left. Of rows with equal values
        the one of the highest degree comes first.
        """
        left = self.open.copy() if among is None else self.open & among
        ranks = np.empty(len(values), dtype=np.int64)
        ranks[np.lexsort((-self.degrees, -values))] = np.arange(len(values))
        community = self.communities(COMMUNITIES_PER_QUESTION * n).of_rows
        chosen: list[int] = []
        free = left.copy()
        while len(chosen) < n and left.any():
            if not free.any():
                free = left.copy()
            row = int(np.argmin(np.where(free, ranks, len(ranks))))
            chosen.append(row)
            left[row] = free[row] = False
            free &= (community != community[row]) & ~self.near(row)
        return np.array(chosen, dtype=np.int64)

    def in_turn(self, lists: Sequence[list[Question]], n: int) -> list[Question]:
        """Questions of several lists in turn, none beside another as long as there are others."""
        left: dict[int, Question] = {}
        for question in (q for several in zip_longest(*lists) for q in several if q is not None):
            left.setdefault(question.row, question)
        chosen: list[Question] = []
        near = np.zeros(len(self.open), dtype=bool)
        for question in left.values():
            if len(chosen) < n and not near[question.row]:
                chosen.append(question)
                near |= self.near(question.row)
        return [*chosen, *(question for question in left.values() if question not in chosen)][:n]
