"""Connected components of one block, and which of other blocks' they touch."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._types import IntArray
from graphwell.backends.blocks.block import Links, from_exports
from graphwell.backends.blocks.rows import BlockRows


def components_inside(rows: BlockRows) -> IntArray:
    """Connected components of a block by itself."""
    inside = rows.W[:, : rows.n_own]
    return csgraph.connected_components(inside, directed=False)[1]


def touching(
    rows: BlockRows, local: IntArray, links: Links, exports: Sequence[IntArray]
) -> tuple[int, IntArray, list[IntArray]]:
    """Number of components of a block, and the pairs of its own and other blocks' that an edge joins."""
    sizes = np.cumsum([len(index) for index in links.indices])
    remote = rows.W[:, rows.n_own :].tocoo()
    far = from_exports(links, exports, np.zeros(0, dtype=np.int64))
    source = np.searchsorted(sizes, remote.col, side="right")
    triples = np.unique(np.column_stack([source, local[remote.row], far[remote.col]]), axis=0)
    others = [triples[triples[:, 0] == s, 2] for s in range(len(links.sources))]
    return int(local.max(initial=-1)) + 1, triples[:, 1], others


def merged_components(
    found: Sequence[tuple[int, IntArray, list[IntArray]]], sources: Sequence[Sequence[int]]
) -> list[IntArray]:
    """For each block, the number in the whole graph of each of its own components.

    Parameters
    ----------
    found : sequence
        What `touching` says of each block.
    sources : sequence
        The blocks that the halo of each block comes from.
    """
    firsts = np.concatenate([[0], np.cumsum([count for count, _, _ in found])])
    ends = [np.zeros((2, 0), dtype=np.int64)]
    for p, (_, own, others) in enumerate(found):
        far = [o + firsts[q] for q, o in zip(sources[p], others, strict=True)]
        ends.append(np.stack([own + firsts[p], np.concatenate([*far, own[:0]])]))
    near, far_ends = np.concatenate(ends, axis=1)
    joints = sparse.coo_array((np.ones(len(near)), (near, far_ends)), shape=(firsts[-1], firsts[-1]))
    merged = csgraph.connected_components(joints, directed=False)[1].astype(np.int32)
    return np.split(merged, firsts[1:-1])
