"""Every method on the rows of one table, judged on labels that it was not shown."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwell._types import FloatArray
from graphwell.encoders.report import Treatment
from graphwell.errors import OptionError, Sentence, Words, in_python
from graphwell.io.files import written_whole
from graphwell.io.tables import open_table
from graphwell.jobs.options import CompareOptions
from graphwell.jobs.outputs import check_compare_files, notes_from_warnings
from graphwell.jobs.table import labels_left, read_rows
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.comparison.compare import MethodComparison, Standing


@dataclass(frozen=True, kw_only=True)
class CompareReport:
    """Methods side by side on a table.

    Attributes
    ----------
    table : Path
    found : MethodComparison
    columns : tuple of Treatment
        What became of each column.
    points : array
        Features of the rows as they were compared.
    notes : tuple of Sentence
        What the user should know.
    seconds : mapping
        Time of each stage.
    files : tuple of Path
        Everything that was written.
    """

    table: Path
    found: "MethodComparison"
    columns: tuple[Treatment, ...]
    points: FloatArray = field(repr=False)
    notes: tuple[Sentence, ...]
    seconds: Mapping[str, float]
    files: tuple[Path, ...]

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        return {
            "table": str(self.table),
            "columns": [treatment.to_json(words) for treatment in self.columns],
            **self.found.to_json(),
            "notes": [note.worded(words) for note in self.notes],
            "seconds": {stage: round(value, 3) for stage, value in self.seconds.items()},
            "files": [str(path) for path in self.files],
        }


Draw: TypeAlias = Callable[[CompareReport], str]
"""Turns a report into a page."""


def compare(
    options: CompareOptions,
    *,
    draw: Draw | None = None,
    progress: Progress = silent,
    on_result: "Callable[[Standing], None] | None" = None,
) -> CompareReport:
    r"""Compare methods on a table that has some labels.

    Parameters
    ----------
    options : CompareOptions
    draw : callable, optional
        Draws the page of ``options.report``: `graphwell.view.comparison.comparison_page`, say.
    progress : callable
        Called with the stage, and the share of it that is done.
    on_result : callable, optional
        Called with the `Standing` of each method as soon as it is known.

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
    if options.report is not None and draw is None:
        raise OptionError("report", "{field} needs a function that draws it; give draw=comparison_page.")
    check_compare_files(options)
    with limited_to(options.max_memory), notes_from_warnings() as warned:
        report = _compared(options, progress, on_result)
    seconds = {**report.seconds, "in all": time.perf_counter() - began}
    report = replace(report, notes=(*report.notes, *warned), seconds=seconds)
    if options.report is not None and draw is not None:
        with written_whole(options.report) as file:
            file.write(draw(report).encode("utf-8", "backslashreplace"))
    return report


def _compared(
    options: CompareOptions, progress: Progress, on_result: "Callable[[Standing], None] | None"
) -> CompareReport:
    """Read the table and compare; nothing is written."""
    table = open_table(
        options.table, delimiter=options.delimiter, encoding=options.encoding, decimal=options.decimal,
        progress=progress,
    )  # fmt: skip
    facts, ready = read_rows(table, options)
    y = labels_left(facts, ready)
    truth = None if facts.truth is None else facts.truth.codes[ready.kept]
    from graphwell.comparison.compare import compare as compare_methods  # takes long to import

    found = compare_methods(
        ready.X, y, truth=truth, methods=options.methods, splits=options.splits,
        n_neighbors=options.n_neighbors, random_state=options.seed, n_jobs=options.n_jobs,
        progress=progress, on_result=on_result,
    )  # fmt: skip
    return CompareReport(
        table=options.table,
        found=replace(found, classes=tuple(facts.classes[code] for code in found.classes)),
        columns=facts.treatments,
        points=ready.X,
        notes=(*facts.notes, *ready.notes, *ready.scale_notes),
        seconds={"graph": found.seconds_graph},
        files=() if options.report is None else (options.report,),
    )
