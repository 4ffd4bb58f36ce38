"""What a fit found, in numbers of classes, apart from the classifier that finds something else next."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.active.suggest import fetched


@dataclass(frozen=True, eq=False)
class FoundLabels:
    """What a fit found, kept as it was when later fits find something else.

    Attributes
    ----------
    labels : array of shape (n_rows,)
        Number of the class of each row; -1 where no label reaches.
    scores : array of shape (n_rows, n_classes)
    classes : array of shape (n_classes,)
        Number of the class of each column.
    reachable, bridged : arrays of shape (n_rows,)
    """

    labels: IntArray
    scores: FloatArray
    classes: IntArray
    reachable: BoolArray
    bridged: BoolArray

    @classmethod
    def of(cls, fitted: Any) -> "FoundLabels":
        """What a classifier found whose labels are numbers of classes."""
        labels, scores, reachable, bridged = (
            fetched(getattr(fitted, name))
            for name in ("transduction_", "label_distributions_", "reachable_", "bridged_")
        )
        classes = np.asarray(fitted.classes_, dtype=np.int64)
        return cls(np.where(reachable, labels, -1).astype(np.int64), scores, classes, reachable, bridged)

    @cached_property
    def doubt(self) -> FloatArray:
        """How doubtful each label is, from 0 to 1: how near the second highest score is to the highest."""
        if len(self.classes) == 1:
            return np.where(self.reachable, 0.0, 1.0)
        highest = np.partition(self.scores, -2, axis=1)[:, -2:]
        return np.where(self.reachable, 1.0 - (highest[:, 1] - highest[:, 0]), 1.0)

    def guesses(self, row: int, n: int) -> list[tuple[int, float]]:
        """The likeliest classes of a row, with their scores."""
        if not self.reachable[row]:
            return []
        order = np.argsort(-self.scores[row], kind="stable")[:n]
        return [(int(self.classes[at]), float(self.scores[row, at])) for at in order]
