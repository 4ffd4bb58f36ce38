"""The page of `graphwell label`: a table and its journal, what is shown of rows, and which is asked next."""

from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from graphwell.active import Question
from graphwell.errors import OptionError
from graphwell.io.cells import NEW_NAMES
from graphwell.io.files import held_alone
from graphwell.jobs.labelling import LabelOptions, open_table, write_answers, write_labels
from graphwell.progress import Progress, silent
from graphwell.serve.answers import LONGEST_NAME, NOTHING, PALETTE, SKIPPED, clean_name
from graphwell.serve.channel import Event
from graphwell.serve.fits import MOST, NO_CLASS, FittedPage
from graphwell.serve.journal import Journal

# Of those asked last: another window may show them, so a window is asked others first.
ROWS_HELD_BACK = 5
MOST_LISTED = 100
MOST_COLUMNS = 60
# Beyond these quantiles of a column, all rows have the colour of its end.
OUTLIERS = (0.01, 0.99)
NEIGHBOURS_SHOWN, MOST_LIKE = 6, 24
GUESSES_SHOWN = 3


class LabelPage(FittedPage):
    """The page of `graphwell label`: a table, and the journal beside it, whose actions are done again.

    Answers are on disc before they are answered. Fits follow in the background; what changed is sent to all
    windows. Each window shows a row of its own until it asks for the next: no event replaces it.
    """

    name = "label"
    beside = frozenset({"export"})

    def __init__(self, options: LabelOptions, *, progress: Progress = silent) -> None:
        path = journal_of(options.table)
        with ExitStack() as held:
            held.enter_context(held_alone(path, "table"))
            table = open_table(options, progress=progress)
            super().__init__(table, held.enter_context(Journal(path, table.fingerprint)))
            guessed = () if table.guesses is None else table.guesses.names
            self._add_named_classes((*options.classes, *guessed))
            self._held = held.pop_all()
        self.folders: Mapping[str, Path] = {"pictures": table.folder}
        hidden = {table.read.options.label, *NEW_NAMES}
        self._columns = [name for name in table.read.table.names if name not in hidden][:MOST_COLUMNS]
        self._asked: deque[int] = deque(maxlen=ROWS_HELD_BACK)
        self.commands = {
            **self.commands,
            "next": self._next,
            "row": lambda message: self._whole(self._row(message["row"])),
            "like": lambda message: self._like(self._row(message["row"])),
            "rows": lambda message: [self.in_brief(self._row(row)) for row in message["rows"][:MOST_LISTED]],
            "search": lambda message: [self.in_brief(row) for row in table.search(str(message["text"]))],
            "column": lambda message: self._column(message["name"]),
            "export": lambda _: self._export(),
        }

    def _add_named_classes(self, names: Iterable[str]) -> None:
        """Add the classes of the option as a user would; a name that was ever added is left alone."""
        before = [*self.journal.done, *self.journal.undone]
        known = [done.get("name") for done in before if done["do"] == "add class"]
        known += [*self.table.read.given.names, *self.answers.classes.names]
        for name in dict.fromkeys(map(clean_name, names)):
            if name not in known:
                self.do({"do": "add class", "name": name})

    def greeting(self) -> Iterable[Event]:
        """Everything, for a new window."""
        with self.lock:
            about = {
                "event": "about",
                "table": self.table.options.table.name,
                "output": self.table.options.labelled.name,
                "rows": len(self.answers.codes),
                "columns": self._columns,
            }
            answers = self.answers_event(self.answers.labelled)
            return [about, *self.colors_events(), answers, *self.last.values()]

    def end(self) -> None:
        """End the fits, and close the journal."""
        super().end()
        self._held.close()

    def _export(self) -> str:
        with self.lock:
            found, given, names = self.fit.found, self.answers.firm, self.answers.classes.names
        if found is None:
            raise OptionError("export", "There is nothing to write yet; label a row first.")
        write_labels(self.table, names, given, found)  # answers go on meanwhile
        write_answers(self.table, names, given)
        return str(self.table.options.labelled)

    def _row(self, row: Any) -> int:
        if type(row) is not int or not 0 <= row < len(self.answers.codes):
            raise OptionError("row", "{field} must lie between 0 and {:,}.", len(self.answers.codes) - 1)
        return row

    def _next(self, message: dict[str, Any]) -> dict[str, Any]:
        """The next row to ask a window for: one of those that it wants first, or the best that is open."""
        with self.lock:
            first = [Question(self._row(row), "not answered yet") for row in message.get("first", [])]
            left = bool((self.answers.codes == NOTHING).any())
            is_open = self.answers.codes == (NOTHING if left else SKIPPED)
            fresh = [question for question in self.queue if question.row not in self._asked]
            for question in (*first, *fresh, *self.queue):
                if is_open[question.row]:
                    self._asked.append(question.row)
                    return {"question": {**self._whole(question.row), "reason": question.reason}}
            return {"question": None, "left": bool(is_open.any())}

    def _like(self, row: int) -> list[int]:
        """The rows nearest to a row that nobody answered."""
        with self.lock:
            is_open = np.flatnonzero(np.isin(self.answers.codes, (NOTHING, SKIPPED)))
        return self.table.nearest(row, is_open, MOST_LIKE)

    def _column(self, name: Any) -> dict[str, Any]:
        """A byte for each row by a column, and what the bytes mean: a range, or names and colours."""
        if name not in self._columns:
            raise OptionError("name", "{field}: there is no column {!r} to show.", name)
        table = self.table.read.table
        cells, mark = table.text(name), getattr(table.stored, "decimal", ".")
        values = pandas.to_numeric(np.strings.replace(cells, mark, ".").astype(object), errors="coerce")
        if np.isfinite(values).sum() > (cells != "").sum() / 2:  # a few may be words: "n/a"
            low, high = np.nanquantile(np.where(np.isfinite(values), values, np.nan), OUTLIERS)
            share = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
            found = np.where(np.isfinite(share), np.rint(MOST * share), NO_CLASS)
            meaning: dict[str, Any] = {"low": f"{low:.4g}", "high": f"{high:.4g}"}
        else:
            known, codes, counts = np.unique(cells, return_inverse=True, return_counts=True)
            often = [at for at in np.argsort(-counts, kind="stable") if known[at] and counts[at] > 1]
            if not often:
                raise OptionError("name", "{!r} has another value in every row; choose another column.", name)
            best = often[: len(PALETTE)]
            place = np.full(len(known), NO_CLASS)
            place[best] = np.arange(len(best))
            found = place[codes]
            meaning = {
                "names": [str(known[at])[:LONGEST_NAME] for at in best],
                "colors": PALETTE[: len(best)],
            }
        return {**meaning, "values": b64encode(found.astype(np.uint8).tobytes()).decode()}

    def _whole(self, row: int) -> dict[str, Any]:
        """All that is shown of a row."""
        with self.lock:
            codes = self.answers.codes
            near = self.table.nearest(row, self.answers.labelled, NEIGHBOURS_SHOWN)
            return {
                **self.in_brief(row),
                "cells": self.table.cells(row),
                "text": self.table.text(row),
                "given": int(codes[row]),
                "guesses": [] if (found := self.fit.found) is None else found.guesses(row, GUESSES_SHOWN),
                "near": [{**self.in_brief(other), "class": int(codes[other])} for other in near],
            }


def journal_of(table: Path) -> Path:
    """The file beside a table in which its answers are kept."""
    return table.with_name(f"{table.name}.journal")
