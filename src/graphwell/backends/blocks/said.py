"""What a function says of rows, brought from the blocks of the input to the blocks of the graph."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.block import GraphBlock
from graphwell.backends.blocks.rows import BlockRows


def ask(rows: Any, voice: Callable[[Any], FloatArray]) -> FloatArray:
    """What a voice says of some rows, in single precision."""
    return np.asarray(voice(rows), dtype=np.float32)


def of_own(said: FloatArray, first: int, rows: BlockRows) -> FloatArray:
    """What was said of those rows of an input block, the first of them being `first`, that a block owns."""
    places = rows.vertices - first
    return said[places[(places >= 0) & (places < len(said))]]


def assembled(
    pieces: Sequence[FloatArray], block: GraphBlock, rows: BlockRows, starts: IntArray
) -> FloatArray:
    """What was said of the rows of a block, from its pieces by input block, in the order of the layout."""
    owner = np.searchsorted(starts, rows.vertices, side="right") - 1
    whole = np.empty((rows.n_own, pieces[0].shape[1]), dtype=np.float32)
    for number, piece in enumerate(pieces):
        whole[owner == number] = piece
    return np.asarray(block.placed(whole))
