"""Methods on the rows of one table, judged on labels that they were not shown."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from graphwell.comparison.compare import Standing
from graphwell.comparison.compare import compare as compare_methods
from graphwell.errors import counted
from graphwell.jobs.report import Grid, Report
from graphwell.jobs.table import TableOptions, check_files, encoded_notes, notes_from_warnings, open_rows
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TableOptions):
    """How to compare methods on the rows of a table."""

    methods: tuple[str, ...] | None = None  # or ("all",); by default graphwell and four of scikit-learn
    splits: int = 5  # how often labels are hidden, each one once


def compare(
    options: CompareOptions,
    *,
    progress: Progress = silent,
    on_result: Callable[[Standing], None] | None = None,
) -> Report:
    """Compare methods on a table that has some labels.

    `on_result` is called with the `Standing` of each method as soon as it is known.
    """
    began = time.perf_counter()
    check_files(options.table)
    with limited_to(options.max_memory), notes_from_warnings() as warned:
        rows = open_rows(options, progress)
        encoder, X = rows.encoded()
        found = compare_methods(
            X, rows.given.codes, truth=None if rows.truth is None else rows.truth.codes,
            methods=options.methods, splits=options.splits, n_neighbors=options.n_neighbors,
            random_state=options.seed, n_jobs=options.n_jobs, progress=progress, on_result=on_result,
        )  # fmt: skip
    classes = tuple(rows.classes[code] for code in found.classes)
    named = replace(found, classes=classes)
    runs = f"{found.n_splits} splits, each of which hides its share of the labels"
    runs = "One run with all labels" if found.n_splits == 1 else runs
    judged = "the hidden labels" if found.judged_on == "hidden labels" else "the truth of all rows not shown"
    given = f"{counted(found.n_labels, 'label')} given, {counted(len(classes), 'class', 'classes')}"
    lines = [(each.method, each.summary, *each.cells) for each in found.standings]
    return Report(
        facts={"table": str(options.table), **named.to_json()},
        lead=[
            f"{counted(found.n_rows, 'row')}, {given}.",
            f"{runs}. Judged on {judged}: {found.n_judged:,} different rows.",
            *(f"Left out: {name} ({why})." for name, why in found.left_out),
        ],
        notes=(*warned(), *rows.notes, *encoded_notes(encoder, X)),
        grids=[Grid("Methods", ("method", "what it does", ">correct", ">± error", ">seconds"), lines)],
        columns=rows.columns(encoder),
        seconds={"graph": found.seconds_graph, "in all": time.perf_counter() - began},
    )
