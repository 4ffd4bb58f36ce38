"""What workers do with a block of columns, whose rows are in the order of the block's layout."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.arrays import ArrayEngine
from graphwell.backends.blocks.block import GraphBlock

HERE = ArrayEngine()
"""The verbs that need no graph, on arrays of this process."""


def by_row(block: GraphBlock, *vectors: FloatArray, verb: str, **same: Any) -> Any:
    """Do a verb on columns; its result is in the order of the layout too."""
    return getattr(HERE, verb)(*vectors, **same)


def by_vertex(block: GraphBlock, vectors: FloatArray, verb: str, **same: Any) -> Any:
    """Do a verb whose result is a value for each vertex of the block, in their order."""
    return getattr(HERE, verb)(block.rows.restored(vectors), **same)


def counts(block: GraphBlock, vectors: FloatArray, among: BoolArray, prices: FloatArray) -> IntArray:
    """How many of the rows `among` each column wins under the prices."""
    return HERE.counts(block.rows.restored(vectors), prices, among)


def scaled(block: GraphBlock, vectors: FloatArray, factors: FloatArray) -> FloatArray:
    """Each row times the factor of its vertex."""
    return np.asarray(HERE.scaled(vectors, block.placed(factors)))


def indicator(block: GraphBlock, labels: IntArray, values: FloatArray, n_classes: int) -> FloatArray:
    """One column per class, with the values of its vertices."""
    return np.asarray(block.placed(HERE.indicator(labels, values, n_classes)))


def outlets(block: GraphBlock, vectors: FloatArray) -> FloatArray:
    """What other blocks need of some columns."""
    return vectors[block.outlets]


def laplacian(block: GraphBlock, vectors: FloatArray, exports: Sequence[FloatArray]) -> FloatArray:
    """``(diag(S 1) - S)`` times some columns."""
    return block.rows.row_sums[:, None] * vectors - block.product(vectors, exports)


def squared(vectors: FloatArray) -> float:
    """Sum of the squares of all entries, in double precision."""
    return float(np.einsum("ij,ij->", vectors, vectors, dtype=np.float64))


def normalised(vectors: FloatArray, norms: Sequence[float]) -> FloatArray:
    """The columns divided by their norm over all blocks."""
    largest = np.sqrt(sum(norms))
    return vectors / np.float32(largest) if largest > 0 else vectors


def totals(block: GraphBlock, vectors: FloatArray, groups: IntArray, n_groups: int, unit: float) -> IntArray:
    """Sums of the rows of each group, in multiples of `unit`."""
    from graphwell.backends.cpu.group_kernels import grouped_totals

    return np.asarray(grouped_totals(groups, block.rows.restored(vectors), n_groups, unit))


def spread(block: GraphBlock, groups: IntArray, values: FloatArray) -> FloatArray:
    """The row of its group for each vertex."""
    return np.asarray(block.placed(values[groups]))
