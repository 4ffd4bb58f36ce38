"""Tiles of rows, and the cells that they visit."""

import numpy as np

from graphwell.backends.cuda.row_tiles import RowTiles


def test_tiles_hold_rows_of_one_cell(library):
    near = library.asarray(np.random.default_rng(0).permuted(np.tile(np.arange(5), (700, 1)), axis=1)[:, :3])
    tiles = RowTiles.of(near, 5)
    order, host = library.asnumpy(tiles.order), library.asnumpy(near)
    assert sorted(order) == list(range(700))
    assert set(np.diff(tiles.starts)) <= set(range(1, 129))
    visits, begins = map(library.asnumpy, tiles.visits(near, 5))
    for tile, cell in enumerate(tiles.cells):
        rows = order[tiles.starts[tile] : tiles.starts[tile + 1]]
        assert (host[rows, 0] == cell).all()
        here = visits[begins[tile] : begins[tile + 1]]
        assert here[0] == cell
        assert sorted(here) == sorted(set(host[rows].ravel()))
