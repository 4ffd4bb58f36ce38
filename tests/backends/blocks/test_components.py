"""Components of blocks, merged, are those of the whole graph."""

import numpy as np
import pytest
from scipy.sparse import csgraph

from graphwell.backends.blocks import block as on_block
from graphwell.backends.blocks.components import components_inside, merged_components, touching
from graphwell.backends.blocks.rows import renumbered
from tests.helpers import random_graph


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
@pytest.mark.parametrize("density", [0.0, 0.01, 0.03, 0.2])
def test_merged_components_are_those_of_one_machine(n_blocks, density):
    W = random_graph(np.random.default_rng(n_blocks), 60, density).W
    parts = np.array_split(np.arange(60), n_blocks)
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    rows = []
    for part, stop in zip(parts, starts[1:], strict=True):
        numbers = np.unique(W[part].indices)
        rows.append(renumbered(part, W[part], numbers, numbers, (stop - len(part), stop)))
    wants = [on_block.wanted(own, starts) for own in rows]
    boundaries = [on_block.boundary_of([want[p] for want in wants]) for p in range(n_blocks)]
    links = [on_block.link(want, boundaries) for want in wants]
    local = [components_inside(own) for own in rows]
    exports = [on_block.on_boundary(*pair) for pair in zip(local, boundaries, strict=True)]
    found = [
        touching(rows[p], local[p], links[p], [exports[q] for q in links[p].sources]) for p in range(n_blocks)
    ]
    numbers = merged_components(found, [link.sources for link in links])
    merged = np.concatenate([of_part[part] for part, of_part in zip(local, numbers, strict=True)])
    expected = csgraph.connected_components(W, directed=False)[1]
    np.testing.assert_array_equal(merged[:, None] == merged, expected[:, None] == expected)
