"""Which row inside, or outside, its group lies nearest to a row: every pair is compared."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from graphwell._threads import one_blas_thread
from graphwell._types import FloatArray, IntArray
from graphwell.graph.distances import nearest_outside
from graphwell.progress import heartbeat

DISTANCES_AT_ONCE = 50_000_000
"""Distances between two moments at which a fit can be cancelled."""
NO_GROUP = -1


class Space(Protocol):
    """Rows that can be compared, wherever they lie."""

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the rows."""
        ...

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest row inside, or outside, the group of each row."""
        ...


@dataclass(frozen=True)
class Points:
    """The space of points in the memory of this machine; groups are numbered from 0."""

    points: FloatArray

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the points."""
        return self.points[places]

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest point inside, or outside, the group of each row.

        Of several at the same distance the first is taken; -1 and infinity where there is none.

        Examples
        --------
        >>> space = Points(np.array([[0.0], [1.0], [5.0]]))
        >>> space.nearest(np.array([[0.0]]), np.array([7]), np.array([7, 7, 8]), inside=False)
        (array([2]), array([5.]))
        """
        if not inside:
            return self._nearest_of(rows, of, np.arange(len(self.points)), groups)
        found, apart = np.full(len(rows), -1), np.full(len(rows), np.inf)
        members = np.argsort(groups, kind="stable")
        sorted_groups = groups[members]
        for group in np.unique(of):  # a row is compared with its own group alone
            here = np.flatnonzero(of == group)
            first, last = np.searchsorted(sorted_groups, [group, group + 1])
            anyone = np.full(len(here), NO_GROUP)
            found[here], apart[here] = self._nearest_of(rows[here], anyone, members[first:last], groups)
        return found, apart

    def _nearest_of(
        self, rows: FloatArray, barred: IntArray, places: IntArray, groups: IntArray
    ) -> tuple[IntArray, FloatArray]:
        """The nearest of the points at these places, without those of the group that is barred to a row."""
        found, apart = np.full(len(rows), -1), np.full(len(rows), np.inf)
        if len(places) == 0:
            return found, apart
        center, few = self._middle, max(1, DISTANCES_AT_ONCE // len(places))
        with one_blas_thread():
            for start in range(0, len(rows), few):
                heartbeat()
                part = slice(start, start + few)
                around = (self.points, places, groups, center)
                nearest_outside(rows[part], barred[part], *around, found[part], apart[part])
        return found, apart

    @property
    def _middle(self) -> FloatArray:
        """A point amid the others: differences from it lose little to rounding."""
        return np.asarray(self.points[:: max(1, len(self.points) // 1000)].mean(axis=0, dtype=np.float64))
