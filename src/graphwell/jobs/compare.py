"""Methods on the rows of one table, judged on labels that they were not shown."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphwell.comparison.compare import MethodComparison, Standing
from graphwell.comparison.compare import compare as compare_methods
from graphwell.encoders.report import Treatment
from graphwell.errors import Sentence, Words, counted, in_python
from graphwell.io.files import written_whole
from graphwell.jobs.report import Grid, Report, columns_grid, written
from graphwell.jobs.table import TableOptions, check_files, encoded_notes, notes_from_warnings, open_rows
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TableOptions):
    """How to compare methods on the rows of a table."""

    report: Path | None = None  # file for a page with pictures
    methods: tuple[str, ...] | None = None  # or ("all",); by default graphwell and four of scikit-learn
    splits: int = 5  # how often labels are hidden, each one once


@dataclass(frozen=True, kw_only=True)
class CompareReport(Report):
    """Methods side by side on a table."""

    table: Path
    columns: tuple[Treatment, ...]
    found: MethodComparison
    notes: tuple[Sentence, ...]
    seconds: Mapping[str, float]
    files: tuple[Path, ...]

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        made = super().to_json(words)
        made.pop("found")
        return {"table": made.pop("table"), "columns": made.pop("columns"), **self.found.to_json(), **made}

    def sentences(self, words: Words = in_python) -> list[str]:
        """How the methods were judged, and which were left out."""
        found = self.found
        classes = counted(len(found.classes), "class", "classes")
        runs = f"{found.n_splits} splits, each of which hides its share of the labels"
        runs = "One run with all labels" if found.n_splits == 1 else runs
        judged = (
            "the hidden labels" if found.judged_on == "hidden labels" else "the truth of all rows not shown"
        )
        return [
            f"{counted(found.n_rows, 'row')}, {counted(found.n_labels, 'label')} given, {classes}.",
            f"{runs}. Judged on {judged}: {found.n_judged:,} different rows.",
            *(f"Left out: {name} ({why})." for name, why in found.left_out),
            *written(self.files),
        ]

    def grids(self, words: Words = in_python) -> list[Grid]:
        """The methods, the best first."""
        titles = ("method", "what it does", ">correct", ">± error", ">seconds")
        lines = [(each.method, each.summary, *each.cells) for each in self.found.standings]
        return [Grid("Methods", titles, lines)]

    def more(self, words: Words = in_python) -> list[str | Grid]:
        """The columns."""
        return [columns_grid(self.columns, words)]


def compare(
    options: CompareOptions,
    *,
    words: Words = in_python,
    progress: Progress = silent,
    on_result: Callable[[Standing], None] | None = None,
) -> CompareReport:
    r"""Compare methods on a table that has some labels.

    `on_result` is called with the `Standing` of each method as soon as it is known; `words` names options on
    the page of ``options.report``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,label\n4,cat\n5,cat\n5.5,\n28,dog\n29,dog\n30,\n")
    ...     options = CompareOptions(table=path, methods=("nearest",), n_neighbors=1, splits=2)
    ...     report = compare(options)
    >>> [(standing.method, standing.accuracy) for standing in report.found.standings]
    [('nearest', 1.0)]
    """
    began = time.perf_counter()
    check_files(options.table, report=options.report)
    with limited_to(options.max_memory), notes_from_warnings() as warned:
        rows = open_rows(options, progress)
        encoder, X = rows.encoded()
        found = compare_methods(
            X, rows.given.codes, truth=None if rows.truth is None else rows.truth.codes,
            methods=options.methods, splits=options.splits, n_neighbors=options.n_neighbors,
            random_state=options.seed, n_jobs=options.n_jobs, progress=progress, on_result=on_result,
        )  # fmt: skip
    report = CompareReport(
        table=options.table,
        columns=rows.columns(encoder),
        found=replace(found, classes=tuple(rows.classes[code] for code in found.classes)),
        notes=(*warned(), *rows.notes, *encoded_notes(encoder, X)),
        seconds={"graph": found.seconds_graph, "in all": time.perf_counter() - began},
        files=() if options.report is None else (options.report,),
    )
    if options.report is not None:
        from graphwell.jobs.page import comparison_page

        with written_whole(options.report) as file:
            file.write(comparison_page(report, words))
    return report
