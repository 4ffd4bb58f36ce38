"""Which row inside, or outside, its group lies nearest to a row: every pair is compared."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.distances import distances_to
from graphwell.progress import heartbeat

DISTANCES_AT_ONCE = 1_000_000


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
    """The space of points in the memory of this machine."""

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
        from threadpoolctl import threadpool_limits

        found, apart = np.full(len(rows), -1), np.full(len(rows), np.inf)
        if len(self.points) == 0:
            return found, apart
        center = self.points.mean(axis=0, dtype=np.float64)
        points = self.points - center
        squares = np.einsum("ij,ij->i", points, points)
        few = max(1, DISTANCES_AT_ONCE // len(points))
        with threadpool_limits(1, user_api="blas"):
            for start in range(0, len(rows), few):
                heartbeat()
                part = slice(start, start + few)
                barred = (groups == of[part, None]) != inside
                around = (rows[part], rows[part] - center, points, squares, barred)
                found[part], apart[part] = self._nearest_of(*around)
        return found, apart

    def _nearest_of(
        self,
        rows: FloatArray,
        centred: FloatArray,
        points: FloatArray,
        squares: FloatArray,
        barred: BoolArray,
    ) -> tuple[IntArray, FloatArray]:
        """Candidates by a matrix product; what rounding cannot tell apart is measured one by one."""
        compared = centred @ points.T
        compared *= -2
        compared += squares
        compared[barred] = np.inf
        lowest = compared.min(axis=1)
        own = np.einsum("ij,ij->i", centred, centred)
        rounding = 1e-12 * (own + squares.max())
        limit = np.where(np.isinf(lowest), -np.inf, lowest + rounding)
        row, place = np.nonzero(compared <= limit[:, None])
        apart = distances_to(rows[row], self.points, place[:, None], 1)[:, 0]
        order = np.lexsort((place, apart, row))
        row, place, apart = row[order], place[order], apart[order]
        first = np.flatnonzero(np.diff(row, prepend=-1))
        found, distance = np.full(len(rows), -1), np.full(len(rows), np.inf)
        found[row[first]], distance[row[first]] = place[first], apart[first]
        return found, distance
