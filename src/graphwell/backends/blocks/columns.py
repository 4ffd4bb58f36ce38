"""What workers do with a block of columns, whose rows are in the order of the block's layout."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.arrays import ArrayEngine
from graphwell.backends.blocks.block import GraphBlock
from graphwell.backends.blocks.programs import Program, Said, rounded
from graphwell.backends.blocks.rows import BlockRows

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


def column(block: GraphBlock, vector: FloatArray) -> FloatArray:
    """A vector as a block of one column."""
    return np.asarray(block.placed(vector[:, None]))


def drawn(block: GraphBlock, rows: BlockRows, n: int) -> FloatArray:
    """A column of numbers between -1/2 and 1/2, the same ones for a vertex whatever the blocks of all `n`."""
    return column(block, (np.random.default_rng(0).random(n) - 0.5).astype(np.float32)[rows.vertices])


def outlets(block: GraphBlock, vectors: FloatArray) -> dict[int, FloatArray]:
    """What each other block needs of some columns."""
    return {receiver: vectors[at] for receiver, at in block.outlets.items()}


def product(
    block: GraphBlock, number: int, vectors: FloatArray, exports: Sequence[dict[int, FloatArray]]
) -> FloatArray:
    """``S`` times some columns, for the block of this number; `exports` are those of its sources."""
    return block.product(vectors, np.concatenate([vectors[:0], *(export[number] for export in exports)]))


def largest_eigenvalue(block: GraphBlock, vector: FloatArray, *, iterations: int) -> Program:
    """That of ``diag(S 1) - S``, by power iterations from a column with entries between -1/2 and 1/2."""
    row_sums = block.rows.row_sums
    heard = yield Said(vector, np.array([block.n_own]), np.array([row_sums.max(initial=0.0)]))
    bound, largest = float(2 * heard.peaks[0]) ** 2, 0.0
    length = heard.sums[0] / 4
    for _ in range(iterations):
        image = row_sums[:, None] * vector - block.product(vector, heard.halo)
        squares = rounded(image.astype(np.float64) ** 2, length * bound).sum(axis=0)
        heard = yield Said(image, squares)
        largest, length = float(np.sqrt(heard.sums[0])), 1.0
        scale = np.float32(largest if largest > 0 else 1.0)
        vector, heard = image / scale, heard._replace(halo=heard.halo / scale)
    return largest


def totals(block: GraphBlock, vectors: FloatArray, groups: IntArray, n_groups: int, unit: float) -> IntArray:
    """Sums of the rows of each group, in multiples of `unit`."""
    from graphwell.backends.aggregation import grouped_totals

    return np.asarray(grouped_totals(groups, block.rows.restored(vectors), n_groups, unit))


def spread(block: GraphBlock, groups: IntArray, values: FloatArray) -> FloatArray:
    """The row of its group for each vertex."""
    return np.asarray(block.placed(values[groups]))
