"""What is shown of the rows of a table that is labelled by hand."""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.active import Session
from graphwell.errors import OptionError
from graphwell.io.tables.base import NEW_NAMES
from graphwell.io.tables.cells import as_numbers, as_text
from graphwell.jobs.columns import find_column
from graphwell.jobs.label_options import LabelOptions
from graphwell.jobs.suggest import UnlabelledTable
from graphwell.progress import Progress, silent

LONGEST_CELL = 4_000
MOST_CELLS = 60
MOST_FOUND = 50
ROWS_LOOKED_AT = 100


@dataclass(eq=False)
class LabelledTable:
    """A table, its rows ready to be compared, and what is shown of them.

    Rows are counted from 0 among those that are compared.

    Attributes
    ----------
    options : LabelOptions
    read : UnlabelledTable
    names : list of str, optional
        Picture of each row, inside the folder of pictures.
    """

    options: LabelOptions
    read: UnlabelledTable
    names: list[str] | None = None
    _columns: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def rows(self) -> IntArray:
        """Row of the table of each row that is compared."""
        return np.flatnonzero(self.read.ready.kept)

    @property
    def given(self) -> IntArray:
        """Class of each row in the column of labels, -1 for none, -2 where it cannot be told."""
        return np.where(self.read.closed, -2, self.read.given.codes)[self.rows]

    @property
    def points(self) -> FloatArray:
        """Rows as they are compared."""
        return self.read.ready.X

    @cached_property
    def folder(self) -> Path:
        """Folder of the pictures."""
        return self.options.images or self.options.table.resolve().parent

    @cached_property
    def places(self) -> FloatArray | None:
        """Place of each row on the map, where the table has it."""
        if self.options.xy is None:
            return None
        found = []
        for name in self.options.xy:
            numbers = as_numbers(self.read.table.column(find_column(self.read.table, name, "xy")))
            if numbers is None or not np.isfinite(numbers).all():
                raise OptionError("xy", "{field} {}: the column must hold a number in every row.", name)
            found.append(numbers[self.rows])
        return np.stack(found, axis=1).astype(np.float32)

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What tells this table, read in this way, from others; values of JSON."""
        options, digest = self.options, blake2b(digest_size=16)
        with options.table.open("rb") as file:
            while block := file.read(2**22):
                digest.update(block)
        marks = {"label": self.read.roles.label, "unknown": list(options.unknown), "missing": options.missing}
        return {"table": options.table.name, "hash": digest.hexdigest(), **marks}

    def session(self, progress: Progress = silent) -> Session:
        """A session of questions about these rows; this builds their graph."""
        options = self.options
        progress("neighbours", None)

        return Session(
            self.points, strategy=options.strategy, random_state=options.seed, device=options.device,
            n_neighbors=options.n_neighbors, n_jobs=options.n_jobs,
        )  # fmt: skip

    def name(self, row: int) -> str:
        """What a row is called: its id, or its number in the table from 1."""
        at = int(self.rows[row])
        return str(at + 1) if self.read.ids is None else str(self.read.ids[at])

    def cells(self, row: int) -> list[tuple[str, str]]:
        """Names and cells of a row, without labels, pixels and its text."""
        return [(name, self._cell(name, row)) for name in self._shown[:MOST_CELLS]]

    def text(self, row: int) -> str | None:
        """The text of a row."""
        name = self.options.text_column
        return None if name is None else self._cell(name, row)

    def picture(self, row: int) -> str | None:
        """Name of a row's picture inside the folder."""
        if self.names is not None:
            return self.names[row]
        if self.options.image_column is None:
            return None
        cell = Path(self._cell(self.options.image_column, row))
        if cell.is_absolute() and cell.is_relative_to(self.folder.resolve()):
            cell = cell.relative_to(self.folder.resolve())
        return cell.as_posix()

    def pixels(self, row: int) -> dict[str, Any] | None:
        """A row's numbers as a picture, from 0 (lowest of the row) to 255 (highest)."""
        if self.options.pixels is None:
            return None
        at, point = int(self.rows[row]), self.options.decimal or "."
        cells = [as_numbers(self._column(name)[at : at + 1], point) for name in self.numbers]
        values = np.array([0.0 if cell is None or np.isnan(cell[0]) else cell[0] for cell in cells])
        low, high = float(values.min()), float(values.max())
        grey = np.rint(255 * (values - low) / ((high - low) or 1.0)).astype(int)
        width, height = self.options.pixels
        return {"width": width, "height": height, "grey": grey.tolist()}

    def search(self, wanted: str) -> list[int]:
        """Rows whose id, number or text holds some words, whatever their case; some of them if many do."""
        wanted = wanted.strip().lower()
        if not wanted:
            return []
        found = np.zeros(len(self.rows), dtype=bool)
        if wanted.isdecimal() and self.read.ids is None:
            found |= self.rows == int(wanted) - 1
        for column in self._searched():
            found |= np.strings.find(np.strings.lower(as_text(column)[self.rows]), wanted) >= 0
        return [int(row) for row in np.flatnonzero(found)[:MOST_FOUND]]

    def nearest(self, row: int, among: IntArray, n: int) -> list[int]:
        """The rows nearest to a row, among some."""
        others = among[among != row]
        distances = ((self.points[others] - self.points[row]) ** 2).sum(axis=1)
        return [int(other) for other in others[np.argsort(distances, kind="stable")[:n]]]

    @cached_property
    def numbers(self) -> list[str]:
        """Columns of the pixels."""
        table, roles = self.read.table, self.read.roles
        other = {roles.label, roles.row_id, *roles.drop, *(self.options.xy or ()), *NEW_NAMES}
        return [name for name in table.names if name not in other and self._holds_numbers(name)]

    @cached_property
    def _shown(self) -> list[str]:
        """Columns whose cells are shown."""
        hidden = {self.read.roles.label, self.options.text_column, *self.options.drop, *NEW_NAMES}
        hidden |= set(self.numbers) if self.options.pixels is not None else set()
        return [name for name in self.read.table.names if name not in hidden]

    def _searched(self) -> list[Any]:
        """Columns of text, names of the rows first."""
        ids = [] if self.read.ids is None else [self.read.ids]
        return [*ids, *(self._column(name) for name in self._shown_text)]

    @cached_property
    def _shown_text(self) -> list[str]:
        names = [*self._shown, *([self.options.text_column] if self.options.text_column else [])]
        return [name for name in names if not self._holds_numbers(name)]

    def _holds_numbers(self, name: str) -> bool:
        first = self._column(name)[:ROWS_LOOKED_AT]
        return as_numbers(first, self.options.decimal or ".") is not None

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = self.read.table.column(name)
        return self._columns[name]

    def _cell(self, name: str, row: int) -> str:
        at = int(self.rows[row])
        return str(as_text(self._column(name)[at : at + 1])[0])[:LONGEST_CELL]
