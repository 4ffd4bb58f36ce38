"""From blocks of features to the rows of the affinity matrix, block by block on the workers.

No process ever holds all rows: each row is sent to the partition of its cell, asks the partitions that hold
the cells nearest to it, and the candidates are merged where the row lives.
"""

from dataclasses import dataclass, replace
from functools import partial
from operator import getitem

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.blocks import partition as on_partition
from graphwell.backends.blocks import rows as on_rows
from graphwell.backends.blocks.cells import (
    FIRST_PROBES,
    CellMap,
    centres_of,
    count_cells,
    grouped,
    split_rows,
    visits_needed,
)
from graphwell.backends.blocks.partition import Partition, own_vertices
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.handles import Handle
from graphwell.backends.dask.inputs import Input
from graphwell.backends.dask.tasks import Tasks
from graphwell.backends.registry import find_cell_search
from graphwell.graph.cells import RECALL_SAMPLE, enough_visits
from graphwell.graph.knn import EXACT_UP_TO, FeatureMap, Scaling
from graphwell.memory import give_back
from graphwell.progress import Progress, silent

POINTS_PER_CELL = 64
"""Points that the cells are found from: more move them little."""
MOST_GROUPS = 1024
"""Of the coarse level of linear systems: its matrix is dense."""
REBUILDING = -10
"""Priority of the search: where a lost worker's part of it must be done again, the descent goes first."""
SHARE_OF_MEMORY = 0.2
"""Of a worker's memory that one partition and its candidates may take."""


@dataclass(frozen=True)
class Search:
    """The partitions on their workers, and what new rows need to ask them.

    Attributes
    ----------
    cells : CellMap
    partitions : list of handles
    scales : list of handles
        Local scales of the rows of each partition.
    chosen : list of handles
        Neighbours of the rows of each partition; kept so that a lost worker costs its own search alone.
    floor : float
        Smallest local scale.
    n_neighbors, scale_neighbor, n_features : int
    features : FeatureMap
    """

    cells: CellMap
    partitions: list[Handle]
    scales: list[Handle]
    chosen: list[Handle]
    floor: float
    n_neighbors: int
    scale_neighbor: int
    n_features: int
    features: FeatureMap


def build_graph(
    tasks: Tasks,
    source: Input,
    n_neighbors: int,
    scale_neighbor: int,
    n_blocks: int | None = None,
    progress: Progress = silent,
    device: str = "cpu",
) -> DaskGraph:
    """Link each row to its nearest rows, with locally scaled weights; workers search with such a device."""
    k = max(n_neighbors, scale_neighbor)
    progress("neighbours", None)
    tasks.priority = REBUILDING
    cells, sizes = _find_cells(tasks, source, n_blocks or blocks_for(tasks, source, k))
    tasks.settle(len(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    partitions = _shuffle(tasks, source, cells, starts, device)
    vertices = tasks.results(tasks.each("vertices", own_vertices, partitions, n=source.n))
    cells, recall = _measured(tasks, source, cells, partitions, k)
    progress("neighbours", 0.1)
    found = _search(tasks, cells, partitions, sizes, k, progress)
    search = Search(
        cells, partitions, [], [], 0.0, n_neighbors, scale_neighbor, source.n_features, source.features
    )
    return _weigh(tasks, search, vertices, found, starts, recall)


def blocks_for(tasks: Tasks, source: Input, k: int) -> int:
    """One block per worker, or more where its rows would take too much of the worker's memory."""
    workers = tasks.workers().values()
    memory = min((w["memory_limit"] or 2**62) for w in workers)
    bytes_per_row = 24 * len(source.center) + 60 * k + 400
    fits = max(1.0, SHARE_OF_MEMORY * memory / bytes_per_row)
    return min(max(len(workers), int(np.ceil(source.n / fits))), max(1, source.n // 2))


def _find_cells(tasks: Tasks, source: Input, n_blocks: int) -> tuple[CellMap, IntArray]:
    """Cells from a sample, grouped into partitions; and the number of rows of each partition."""
    scaling = Scaling.within(source.low, source.high, source.center)
    sample = _sample(tasks, source, _sample_size(source.n), seed=0)
    (centres,) = tasks.results([tasks.lazy("centres", centres_of, sample, scaling, source.n)])
    plain = CellMap(scaling, centres, np.zeros(len(centres), int), np.zeros(len(centres), int))
    sizes = np.sum(tasks.results(tasks.each("count-cells", count_cells, source.blocks, cells=plain)), axis=0)
    owner = grouped(centres, sizes, n_blocks)
    rows_of = np.bincount(owner, sizes, minlength=n_blocks).astype(np.int64)
    used = np.flatnonzero(rows_of)
    owner = np.searchsorted(used, owner).clip(max=len(used) - 1)
    return replace(plain, owner=owner, sizes=sizes), rows_of[used]


def _sample_size(n: int) -> int:
    return min(n, POINTS_PER_CELL * max(1, 2 ** round(np.log2(np.sqrt(n)))))


def _sample(tasks: Tasks, source: Input, size: int, seed: int) -> list[Handle]:
    """Some rows in pieces, the same ones however the rows are cut into blocks."""
    chosen = np.sort(np.random.default_rng(seed).choice(source.n, size, replace=False))
    cuts = np.searchsorted(chosen, source.starts)
    inside = [chosen[a:b] - s for a, b, s in zip(cuts[:-1], cuts[1:], source.starts[:-1], strict=True)]
    return tasks.each("sample", getitem, source.blocks, inside)


def _shuffle(tasks: Tasks, source: Input, cells: CellMap, starts: IntArray, device: str) -> list[Handle]:
    """Send each row to the partition of its cell."""
    n = len(starts) - 1
    pieces = tasks.each("split", split_rows, source.blocks, source.starts[:-1], cells=cells, n_partitions=n)
    columns = (range(n), starts[:-1])
    ways = {"n_threads": tasks.n_threads(), "nearest_in_cells": find_cell_search(device)}
    return tasks.keep(
        tasks.exchange("partition", pieces, n, on_partition.make_partition, *columns, cells=cells, **ways)
    )


def _measured(
    tasks: Tasks, source: Input, cells: CellMap, partitions: list[Handle], k: int
) -> tuple[CellMap, float]:
    """Set how many cells a row asks so that a sample finds its true neighbours, and say what it finds."""
    if source.n <= EXACT_UP_TO:
        return replace(cells, probes=len(cells.centres)), 1.0
    sample = _sample(tasks, source, min(RECALL_SAMPLE, source.n), seed=1)
    rows = tasks.lazy("sample", np.concatenate, sample)
    columns = (partitions, [rows] * len(partitions))
    true = tasks.each("true-neighbours", on_partition.true_neighbors, *columns, k=k + 1)
    (needed,) = tasks.results([tasks.lazy("visits", visits_needed, cells, rows, true, k + 1)])
    probes = min(max(enough_visits(needed), FIRST_PROBES), len(cells.centres))
    return replace(cells, probes=probes), float((needed <= probes).mean())


def _search(
    tasks: Tasks, cells: CellMap, partitions: list[Handle], sizes: IntArray, k: int, progress: Progress
) -> list[list[Handle]]:
    """Neighbours of the rows of each partition, some rows at a time."""
    n = len(partitions)
    found: list[list[Handle]] = []
    for p, partition in enumerate(partitions):
        of_partition = []
        for start in range(0, int(sizes[p]), on_partition.ROWS_AT_ONCE):
            part = slice(start, start + on_partition.ROWS_AT_ONCE)
            asked = tasks.lazy("ask", on_partition.own_queries, partition, part, cells, n, k + 1)
            pieces = [tasks.lazy("ask-piece", getitem, asked, q) for q in range(n)]
            answers = [
                tasks.lazy("search", Partition.answer, other, piece, k + 1)
                for other, piece in zip(partitions, pieces, strict=True)
            ]
            of_partition.append(tasks.lazy("merge", on_partition.others, answers, partition, part, k))
        found.append(of_partition)
        tasks.keep(of_partition)
    done = 0
    for of_partition in found:
        tasks.wait(of_partition)
        done += len(of_partition)
        progress("neighbours", 0.1 + 0.9 * done / sum(map(len, found)))
    return found


def _weigh(
    tasks: Tasks,
    search: Search,
    vertices: list[IntArray],
    found: list[list[Handle]],
    starts: IntArray,
    recall: float,
) -> DaskGraph:
    """Local scales, weights, and both directions of every edge, by exchange between the blocks."""
    n = len(vertices)
    raw_scales = partial(on_partition.raw_scales, scale_neighbor=search.scale_neighbor)
    raw = tasks.each("scales", raw_scales, found)
    (everywhere,) = tasks.keep([tasks.lazy("all-scales", on_partition.floored_scales, raw)])
    columns = (found, search.partitions, [everywhere] * n)
    chosen = tasks.keep(tasks.each("choose", on_partition.chosen, *columns, n_neighbors=search.n_neighbors))
    sent = tasks.each("edges", on_rows.edges_by_owner, chosen, range(n), starts=starts)
    own = list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    rows = tasks.exchange("rows", sent, n, on_rows.joined_rows, chosen, own, n=int(starts[-1]))
    of_partition = tasks.keep(tasks.each("scales", getitem, [everywhere] * n, [slice(*ends) for ends in own]))
    (floor,) = tasks.results([tasks.lazy("floor", np.min, everywhere)])
    search = replace(search, scales=of_partition, chosen=chosen, floor=float(floor))
    kept, group_of = tasks.doubled(rows), search.cells.groups(MOST_GROUPS)
    groups = tasks.each("groups", on_partition.own_groups, search.partitions, group_of=group_of)
    cells = tasks.doubled(groups), int(group_of.max()) + 1
    tasks.wait([*kept, *cells[0]])
    tasks.priority = 0
    give_back()
    return DaskGraph(tasks, vertices, kept, recall_=recall, search=search, cells=cells)
