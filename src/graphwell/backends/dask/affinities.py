"""A graph from a Dask array of affinities: each block holds whole rows of the matrix."""

from itertools import pairwise
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.blocks import affinities
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.handles import Handle, blocks_of
from graphwell.backends.dask.inputs import RowBlocks, check_chunks
from graphwell.backends.dask.tasks import Tasks
from graphwell.graph.checks import check_square, check_symmetric

COPIES = 4
"""Of the entries, on the workers at once: as they came, by columns, symmetric, and laid out for sweeps."""
BYTES_PER_ENTRY = 12


def read_affinities(tasks: Tasks, X: Any) -> tuple[RowBlocks, DaskGraph]:
    """Take a symmetric matrix of affinities as the graph itself; the workers check it, block by block."""
    lengths = check_chunks(X)
    check_square(X.shape)
    raw = [block for block, length in zip(blocks_of(X), lengths, strict=True) if length]
    source = RowBlocks(raw, tuple(length for length in lengths if length))
    checked = tasks.each("check", affinities.checked_rows, raw, _ranges(source.starts), n=source.n)
    groups = _neighbouring(source.starts, len(tasks.workers()))
    tasks.settle(len(groups))
    stacks = [[checked[number] for number in group] for group in groups]
    rows = tasks.keep(tasks.each("stack", affinities.stacked, stacks))
    firsts = [source.starts[group[0]] for group in groups]
    starts = np.array([*firsts, source.n])
    return source, _graph_of(tasks, rows, starts)


def _graph_of(tasks: Tasks, rows: list[Handle], starts: IntArray) -> DaskGraph:
    """The graph of checked rows; each block is sent the columns that have the numbers of its rows."""
    n, own = int(starts[-1]), _ranges(starts)
    largest, entries = zip(*tasks.results(tasks.each("extent", affinities.extent_of, rows)), strict=True)
    tasks.check_memory(f"A graph of {n:,} rows", COPIES * BYTES_PER_ENTRY * sum(entries))
    pieces = tasks.each("turn", affinities.turned, rows, starts=starts)
    mirror = tasks.keep(tasks.exchange("mirror", pieces, len(rows), affinities.mirrored))
    apart = tasks.results(tasks.each("asymmetry", affinities.asymmetry_of, rows, mirror))
    check_symmetric(max(apart), max(largest))
    symmetric = tasks.each("symmetric", affinities.symmetric_rows, rows, mirror, own, n=n)
    kept = tasks.wait(tasks.doubled(symmetric))
    return DaskGraph(tasks, [affinities.own_vertices(each, n) for each in own], kept)


def _ranges(starts: IntArray) -> list[tuple[int, int]]:
    return list(pairwise(starts.tolist()))


def _neighbouring(starts: IntArray, most: int) -> list[list[int]]:
    """Blocks that follow each other in groups of about equal size, no more of them than so many.

    Examples
    --------
    >>> _neighbouring(np.array([0, 2, 4, 6, 12]), 2)
    [[0, 1, 2], [3]]
    """
    middles = (starts[:-1] + starts[1:]) / 2
    group_of = np.floor(middles * most / starts[-1]).astype(int)
    return [np.flatnonzero(group_of == group).tolist() for group in np.unique(group_of)]
