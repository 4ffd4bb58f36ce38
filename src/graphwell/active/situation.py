"""What is known when questions are chosen: the graph in small, the labels so far, and what may be asked.

Strategies look at units, small groups of vertices that `graphwell.solve.communities.groundwork` finds
wherever the graph lies. There are at most some thousands; of a graph with fewer vertices each is a unit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.active.parts import Parts, joined_further, parts_of
from graphwell.backends.base import Engine
from graphwell.solve.coarse import harmonic_shares
from graphwell.solve.communities import Groundwork
from graphwell.solve.multilevel import shares_of, spoken_for, units_with_voices

MOST_SMALL = 1_000


@dataclass(frozen=True, eq=False)
class Situation:
    """A graph in small, labels, and the rows that may be asked.

    Attributes
    ----------
    engine : Engine
        Of the graph with squared affinities.
    degrees : array of shape (n,)
        Sum of the affinities of each row.
    ground : Groundwork
        Its units.
    labels : array of shape (n,)
        Class of each row, -1 where it is unknown.
    names : sequence of str
        Names of the classes.
    open : array of shape (n,)
        Whether a row may be asked: it has no label, and nobody said that it cannot be told.
    scores : callable, optional
        Returns the scores of a fitted classifier, of shape (n, n_classes).
    random_state : int, Generator or RandomState, optional
    """

    engine: Engine
    degrees: FloatArray
    ground: Groundwork
    labels: IntArray
    names: Sequence[str]
    open: BoolArray
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
        """Number of rows in each unit."""
        return np.bincount(self.ground.members, minlength=self.ground.W.shape[0])

    @cached_property
    def open_units(self) -> BoolArray:
        """Whether a unit holds a row that may be asked."""
        found = np.zeros(len(self.sizes), dtype=bool)
        found[self.ground.members[self.open]] = True
        return found

    @cached_property
    def shares(self) -> FloatArray:
        """How much each row belongs to each class: by the classifier, else harmonic on the graph in small."""
        if self.scores is not None:
            return shares_of(self.scores())
        speaks_for = spoken_for(self.labels, self.small.W.shape[0])
        units = units_with_voices(self.engine, self.small, self.labels, self.n_classes, speaks_for)
        return shares_of(harmonic_shares(units))[self.small.members]

    @cached_property
    def small(self) -> Groundwork:
        """The graph in so few units that its matrices can be inverted."""
        return joined_further(self.ground, MOST_SMALL)

    def parts(self, wanted: int) -> Parts:
        """Communities of about a number."""
        return parts_of(self.ground, wanted, self.seed)
