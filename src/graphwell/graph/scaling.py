"""Rows in single precision, as fast searches take them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray


@dataclass(frozen=True)
class Scaling:
    """Centres rows and divides them by their spread, so that single precision neither rounds nor overflows.

    Attributes
    ----------
    center : array of shape (d,)
    spread : float
        Largest distance of a coordinate from its centre.
    """

    center: FloatArray
    spread: float

    @classmethod
    def of(cls, points: Any) -> "Scaling":
        """Scaling of some points, of the host or of a GPU.

        Examples
        --------
        >>> Scaling.of(np.array([[1000.0], [1004.0]]))(np.array([[1001.0]]))
        array([[-0.5]], dtype=float32)
        """
        center = points.mean(axis=0, dtype=np.float64)
        return cls.within(points.min(axis=0), points.max(axis=0), center)

    @classmethod
    def within(cls, low: Any, high: Any, center: Any) -> "Scaling":
        """Scaling of points in a box."""
        return cls(center, float(np.maximum(high - center, center - low).max()) or 1.0)

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Scale rows."""
        return ((rows - self.center) / self.spread).astype(np.float32)

    def restored(self, scaled: FloatArray) -> FloatArray:
        """Rows as they were."""
        return scaled * self.spread + self.center
