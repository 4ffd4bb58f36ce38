"""The label nearest along a graph in blocks: each relaxes its own vertices, then tells of its boundary."""

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.blocks.block import GraphBlock
from graphwell.backends.blocks.programs import Program, Said
from graphwell.backends.blocks.rows import BlockRows, sharpened


def nearest(block: GraphBlock, rows: BlockRows, labels: IntArray, *, power: float) -> Program:
    """Label nearest along the graph for each vertex of a block; -1 where there is none.

    It goes on until no block has anything new.
    """
    from graphwell.backends.cpu.shortest_paths import relax

    lengths, n = 1.0 / sharpened(rows, power), rows.n_own
    distances, found = np.where(labels >= 0, 0.0, np.inf), labels.astype(np.int32)
    changed = True
    while True:
        both = block.rows.placed(np.column_stack([distances[:n], found[:n]]), np.float64)
        heard = yield Said(both, np.array([int(changed)]))
        if not heard.sums[0]:
            return found[:n]
        distances = np.concatenate([distances[:n], heard.halo[:, 0]])
        found = np.concatenate([found[:n], heard.halo[:, 1].astype(np.int32)])
        changed = relax(rows.W.indptr, rows.W.indices, lengths, distances, found)
