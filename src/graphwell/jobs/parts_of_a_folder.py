"""The parts of a folder of Parquet files: how one is read and written, and by whom.

A `Place` reads features and writes answers part by part: this process, or the workers of a Dask cluster.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.dask.arrays import array_of, blocks_of, lazy
from graphwell.backends.dask.client import connected_client
from graphwell.backends.dask.rounds import Cluster
from graphwell.io.cells import NewColumns, Table, as_numbers, text_column
from graphwell.io.files import written_whole
from graphwell.io.parquet import RowGroups, read_part, write_parquet

Parts = Sequence[RowGroups]


class Place(Protocol):
    """Where the parts are read, fitted and written.

    Attributes
    ----------
    has_all_rows : bool
        Whether this process holds what a fit says of every row.
    """

    has_all_rows: bool

    def features(self, parts: Parts, names: tuple[str, ...]) -> Any:
        """Return the features of all parts, as a classifier takes them."""
        ...

    def write(self, writer: "PartWriter", parts: Parts, given: BoolArray, answers: Sequence[Any]) -> None:
        """Have every part written with its piece of each answer."""
        ...


class InThisProcess:
    """One part after the other, in the memory of this process."""

    has_all_rows = True

    def features(self, parts: Parts, names: tuple[str, ...]) -> FloatArray:
        """Return one array."""
        return np.concatenate([part_features(part, names) for part in parts])

    def write(self, writer: "PartWriter", parts: Parts, given: BoolArray, answers: Sequence[Any]) -> None:
        """Write one file after the other."""
        for number, (part, *pieces) in enumerate(zip(parts, *_cut(parts, given, *answers), strict=True)):
            writer(part, number, *pieces)


class OnWorkers:
    """Each part on a worker of the Dask client in use."""

    has_all_rows = False

    def __init__(self) -> None:
        self.cluster = Cluster(connected_client())

    def features(self, parts: Parts, names: tuple[str, ...]) -> Any:
        """Return a Dask array with a chunk for each part."""
        rows = [lazy(part_features, part, names) for part in parts]
        return array_of(rows, [part.n_rows for part in parts], len(names), np.float64)

    def write(self, writer: "PartWriter", parts: Parts, given: BoolArray, answers: Sequence[Any]) -> None:
        """Have the workers write, each the parts that it holds the answers of."""
        pieces = zip(parts, range(len(parts)), *_cut(parts, given), *map(blocks_of, answers), strict=True)
        self.cluster.results([lazy(writer, *piece) for piece in pieces])


def _cut(parts: Parts, *columns: Any) -> list[list[Any]]:
    """Each column as one piece per part."""
    stops = np.cumsum([part.n_rows for part in parts])[:-1]
    return [np.split(column, stops) for column in columns]


def part_features(part: RowGroups, names: tuple[str, ...]) -> FloatArray:
    """Features of the rows of a part, which must be numbers."""
    table = read_part(part, names)
    return np.column_stack([_numbers(table, name) for name in names])


def _numbers(table: Table, name: str) -> FloatArray:
    column = table.column(name)
    numbers = as_numbers(column)
    if numbers is None:
        row = next(r for r in range(len(column)) if as_numbers(column[r : r + 1]) is None)
        raise ValueError(
            f"{table.path}, row {row + 1}: the feature {name!r} is {str(column[row])!r}, which is no number."
        )
    return numbers


@dataclass(frozen=True)
class PartWriter:
    """Writes the rows of one part after the other, each into a file of its own.

    Attributes
    ----------
    folder : str
    label : str
        Column of the given labels.
    classes : tuple of str
        Names of the classes.
    bridges : bool
        Whether there is a column of bridged rows.
    """

    folder: str
    label: str
    classes: tuple[str, ...]
    bridges: bool

    def __call__(
        self,
        part: RowGroups,
        number: int,
        given: BoolArray,
        assigned: IntArray,
        scores: FloatArray,
        reachable: BoolArray,
        bridged: BoolArray,
    ) -> int:
        """Write the rows of a part with their new columns; return their number."""
        names = text_column([*self.classes, ""])
        score = np.where(reachable, scores.max(axis=1), np.nan)
        label = names[np.where(reachable, assigned, -1)]
        new = NewColumns(self.label, label, score, reachable, given, bridged if self.bridges else None)
        path = Path(self.folder) / f"part-{number:05d}.parquet"
        with written_whole(path) as file:
            write_parquet(read_part(part), new, path, file)
        return part.n_rows
