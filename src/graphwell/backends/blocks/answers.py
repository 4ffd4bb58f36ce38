"""The answers of a fit for the rows of a block, and their way to the blocks of the input."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.blocks.block import GraphBlock
from graphwell.backends.blocks.rows import BlockRows
from graphwell.backends.induction import distributions, modest, wide_as


@dataclass(frozen=True)
class Told:
    """Answers for some rows."""

    assigned: IntArray
    distributions: FloatArray
    reachable: BoolArray
    bridged: BoolArray

    def at(self, places: IntArray) -> "Told":
        """Answers for some of these rows."""
        return Told(*(getattr(self, column.name)[places] for column in fields(self)))


def answers_of(
    block: GraphBlock,
    scores: FloatArray,
    assigned: IntArray,
    reachable: BoolArray,
    bridged: BoolArray,
    columns: IntArray,
    prior: FloatArray,
) -> Told:
    """Answers for the rows of a block; `columns` are the classes that its scores are of."""
    wide = wide_as(np, block.rows.restored(scores), columns, len(prior))
    found = modest(np, distributions(np, assigned, wide), bridged)
    found[~reachable] = prior
    return Told(assigned, found, reachable, bridged)


def by_input_block(told: Told, rows: BlockRows, starts: IntArray) -> list[tuple[IntArray, Told]]:
    """The answers for the rows of a block by block of the input, with their places in it."""
    owner = np.searchsorted(starts, rows.vertices, side="right") - 1
    places = [np.flatnonzero(owner == b) for b in range(len(starts) - 1)]
    return [(rows.vertices[at] - starts[b], told.at(at)) for b, at in enumerate(places)]


def in_input_order(received: Sequence[tuple[IntArray, Told]]) -> Told:
    """The answers for a block of the input, from what the blocks of the graph have of it."""
    order = np.argsort(np.concatenate([at for at, _ in received]), kind="stable")
    return Told(
        *(np.concatenate([getattr(told, c.name) for _, told in received])[order] for c in fields(Told))
    )


def named_labels(told: Told, classes: Any) -> Any:
    """The classes themselves, in place of their numbers."""
    return classes[told.assigned]
