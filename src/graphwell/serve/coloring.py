"""The colours of the map: how each row was painted last, and what a fit changes."""

import numpy as np

from graphwell._types import IntArray
from graphwell.jobs.labelling import FoundLabels
from graphwell.serve.refits import Glance
from graphwell.serve.told import NO_CLASS, byte_frame

STEPS_OF_DOUBT = 15


class Coloring:
    """Class and doubt of every row, as windows were told them.

    Parameters
    ----------
    n_rows : int

    Attributes
    ----------
    classes, doubt : arrays of shape (n_rows,)
        Bytes; `NO_CLASS` where a row has none, doubt in steps.

    Examples
    --------
    >>> coloring = Coloring(3)
    >>> coloring.classes
    array([255, 255, 255], dtype=uint8)
    >>> len(coloring.everything()), coloring.sizes()[255]
    (2, np.int64(3))
    """

    def __init__(self, n_rows: int) -> None:
        self.classes = np.full(n_rows, NO_CLASS, dtype=np.uint8)
        self.doubt = np.zeros(n_rows, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.classes)

    def sizes(self) -> IntArray:
        """How many rows have each class, by number."""
        return np.bincount(self.classes, minlength=NO_CLASS + 1)

    def everything(self) -> list[bytes]:
        """What a new window is told."""
        rows: IntArray = np.arange(len(self))
        return [byte_frame("labels", rows, self.classes), byte_frame("doubt", rows, self.doubt)]

    def take_glance(self, glance: Glance) -> bytes:
        """Paint what a first look says; returns what windows are told."""
        classes = _as_bytes(glance.labels)
        self.classes[glance.rows] = classes
        return byte_frame("labels", glance.rows, classes, number=glance.said.number, glance=True)

    def take_fit(self, found: FoundLabels | None, number: int) -> list[bytes]:
        """Paint what a fit found, None if nothing; returns what windows are told: that which changed.

        Parameters
        ----------
        found : FoundLabels, optional
        number : int
            Of the last answer that the fit knew.
        """
        classes, doubt = np.full_like(self.classes, NO_CLASS), np.zeros_like(self.doubt)
        if found is not None:
            classes, doubt = _as_bytes(found.labels), np.rint(STEPS_OF_DOUBT * found.doubt).astype(np.uint8)
        told = []
        for name, before, after in (("labels", self.classes, classes), ("doubt", self.doubt, doubt)):
            rows = np.flatnonzero(before != after)
            before[rows] = after[rows]
            told.append(byte_frame(name, rows, after[rows], number=number))
        return told


def _as_bytes(labels: IntArray) -> IntArray:
    return np.where(labels < 0, NO_CLASS, labels).astype(np.uint8)
