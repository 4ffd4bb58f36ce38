"""The report on a labelled table, or on a segmented picture, printed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from graphwell._counted import counted
from graphwell.cli._words import in_flags
from graphwell.columns.fate import grouped
from graphwell.errors import Sentence

if TYPE_CHECKING:
    from graphwell.columns.fate import Fate
    from graphwell.jobs.answers import MergeReport
    from graphwell.jobs.compare import CompareReport
    from graphwell.jobs.questions import RowToLabel
    from graphwell.jobs.reports import (
        ClassCount,
        ClassifyReport,
        DoubtfulRow,
        SegmentClass,
        SegmentReport,
    )
    from graphwell.jobs.score import Accuracy
    from graphwell.jobs.suggest import SuggestReport

WIDTH_WITHOUT_TERMINAL = 110
CLASSES_SHOWN = 40
Say = Callable[..., None]


def print_classified(report: "ClassifyReport", *, on_stderr: bool) -> None:
    """Print the report on a labelled table."""
    console = console_for(on_stderr=on_stderr)
    say = _sayer(console)
    if report.holdout is not None:
        say(report.holdout.in_words, "bold")
    say(_counts(report))
    console.print(_column_grid(report.columns))
    if report.compared_by is not None:
        say(f"Compared by: {report.compared_by}.")
    say(_ending(report.sweeps, report.status))
    if report.calibrated:
        say("The scores are calibrated: they were held against labels that were hidden.")
    if report.comparison is not None:
        say(_truth_sentence(report.comparison.accuracy), "bold")
    console.print(_class_grid(report.classes))
    say("The most doubtful rows; row 1 is the first below the header:")
    console.print(_doubtful_grid(report.doubtful))
    if report.to_label:
        say("The rows to label next, best first:")
        console.print(_to_label_grid(report.to_label))
    _say_the_rest(say, report.notes, report.seconds, report.files)


def print_early(sentence: Sentence) -> None:
    """Print, on standard error, what should be known before a long computation ends."""
    _sayer(console_for(on_stderr=True))(sentence.worded(in_flags))


def print_segmented(report: "SegmentReport", *, on_stderr: bool) -> None:
    """Print the report on a segmented picture."""
    console = console_for(on_stderr=on_stderr)
    say = _sayer(console)
    size = " x ".join(f"{side:,}" for side in report.size)
    counts = f"{size} pixels, {report.seeds:,} marked, {len(report.classes):,} classes."
    say(f"{counts} {_ending(report.sweeps, report.status)}")
    console.print(_area_grid(report.classes))
    if report.mark_next:
        places = [f"row {s.row:,}, column {s.column:,}" for s in report.mark_next]
        side = report.mark_next[0].side
        say(f"Further marks would help most in the squares of {side} pixels around {'; '.join(places)}.")
    _say_the_rest(say, report.notes, report.seconds, report.files)


def print_suggested(report: "SuggestReport", *, on_stderr: bool) -> None:
    """Print the rows to label next."""
    console = console_for(on_stderr=on_stderr)
    say = _sayer(console)
    classes = counted(len(report.classes), "class", "classes")
    known = f"{counted(report.labels_given, 'label')} of {classes} so far"
    say(f"{counted(report.rows, 'row')}, {known if report.labels_given else 'no label yet'}.")
    console.print(_column_grid(report.columns))
    say(f"The rows to label next by {report.strategy}, best first; row 1 is the first below the header:")
    console.print(_to_label_grid(report.to_label))
    _say_the_rest(say, report.notes, report.seconds, report.files)


def print_compared(report: "CompareReport", *, on_stderr: bool) -> None:
    """Print methods side by side."""
    from graphwell.view.comparison import how_judged

    console, found = console_for(on_stderr=on_stderr), report.found
    say = _sayer(console)
    classes = counted(found.n_classes, "class", "classes")
    say(f"{counted(found.n_rows, 'row')}, {counted(found.n_labels, 'label')} given, {classes}.")
    say(how_judged(found))
    grid = Grid()
    grid.add_column("method")
    for title in ("correct", "± error", "seconds", "memory"):
        grid.add_column(title, justify="right")
    for each in found.standings:
        grid.add_row(each.method, *each.cells)
    console.print(grid)
    for name, why in found.left_out:
        say(f"Left out: {name} ({why}).")
    _say_the_rest(say, report.notes, report.seconds, report.files)


def print_merged(report: "MergeReport", *, on_stderr: bool) -> None:
    """Print what answers brought."""
    say = _sayer(console_for(on_stderr=on_stderr))
    parts = [f"{report.answered:,} answers merged"]
    if report.corrected:
        parts.append(f"{report.corrected:,} of them corrections")
    if report.cannot_tell:
        parts.append(f"{report.cannot_tell:,} cannot be told")
    if report.unanswered:
        parts.append(f"{report.unanswered:,} left open")
    say(f"{', '.join(parts)}; the table has {report.labels:,} labels now.")
    _say_the_rest(say, report.notes, {}, report.files)


def _say_the_rest(
    say: Say, notes: Sequence[Sentence], seconds: Mapping[str, float], files: Sequence[Path]
) -> None:
    for note in notes:
        say(f"Note: {note.worded(in_flags)}", "yellow")
    if seconds:
        say("Seconds: " + ", ".join(f"{stage} {value:.2f}" for stage, value in seconds.items()))
    if files:
        say(f"Written: {', '.join(map(str, files))}")


def _sayer(console: Console) -> Say:
    return lambda text, style="": console.print(Text(printable(text, 1000), style=style))


def _ending(sweeps: int, status: str) -> str:
    return f"{sweeps:,} sweeps. {status}" if sweeps else status


def console_for(*, on_stderr: bool) -> Console:
    """The terminal, or lines of one width where there is none."""
    console = Console(stderr=on_stderr, highlight=False)
    return (
        console
        if console.is_terminal
        else Console(stderr=on_stderr, highlight=False, width=WIDTH_WITHOUT_TERMINAL)
    )


def printable(text: str, limit: int = 40) -> str:
    r"""Text from a file as a terminal may show it: short, and without control characters.

    Examples
    --------
    >>> printable("a\x1b[31mb")
    'a?[31mb'
    """
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return "".join(character if character.isprintable() else "?" for character in text)


def _counts(report: "ClassifyReport") -> str:
    parts = [
        counted(report.rows, "row"),
        f"{counted(report.labels_given, 'label')} given",
        counted(len(report.classes), "class", "classes"),
        f"{report.components_without_labels:,} of {report.components:,} components without a label",
    ]
    if report.bridged_rows:
        parts.append(f"{counted(report.bridged_rows, 'row')} bridged")
    if report.rows_left_out:
        parts.append(f"{counted(report.rows_left_out, 'row')} left out")
    return ", ".join(parts) + "."


def _truth_sentence(truth: "Accuracy") -> str:
    return (
        f"{100 * truth.share:.2f} % of the {truth.of:,} rows without a given label agree with the "
        f"truth ({truth.of - truth.right:,} do not)."
    )


def _column_grid(columns: "Sequence[Fate]") -> Grid:
    """What became of the columns; those with the same fate share a line."""
    from graphwell.columns.names import listed

    grid = Grid()
    for title in ("column", "holds", "became"):
        grid.add_column(title)
    for (kind, became), names in grouped(columns, in_flags).items():
        grid.add_row(Text(printable(listed(names), 200)), kind, Text(printable(became, 200)))
    return grid


def _class_grid(classes: "Sequence[ClassCount]") -> Grid:
    grid = Grid()
    grid.add_column("class")
    grid.add_column("given", justify="right")
    grid.add_column("assigned", justify="right")
    for count in classes[:CLASSES_SHOWN]:
        grid.add_row(Text(printable(count.name)), f"{count.given:,}", f"{count.assigned:,}")
    if len(classes) > CLASSES_SHOWN:
        grid.add_row(f"and {len(classes) - CLASSES_SHOWN:,} more", "", "")
    return grid


def _area_grid(classes: "Sequence[SegmentClass]") -> Grid:
    grid = Grid()
    grid.add_column("class")
    for title in ("given", "assigned", "% of all"):
        grid.add_column(title, justify="right")
    for found in classes[:CLASSES_SHOWN]:
        share = f"{100 * found.share:.2f}"
        grid.add_row(Text(printable(found.name)), f"{found.given:,}", f"{found.assigned:,}", share)
    if len(classes) > CLASSES_SHOWN:
        grid.add_row(f"and {len(classes) - CLASSES_SHOWN:,} more", "", "", "")
    return grid


def _to_label_grid(rows: "Sequence[RowToLabel]") -> Grid:
    grid = Grid()
    named = any(row.id is not None for row in rows)
    grid.add_column("row", justify="right")
    if named:
        grid.add_column("id")
    grid.add_column("why")
    for row in rows:
        name = [Text(printable(row.id or ""))] if named else []
        grid.add_row(f"{row.row:,}", *name, Text(printable(row.reason, 70)))
    return grid


def _doubtful_grid(rows: "Sequence[DoubtfulRow]") -> Grid:
    grid = Grid()
    named = any(row.id is not None for row in rows)
    grid.add_column("row", justify="right")
    if named:
        grid.add_column("id")
    for column in ("label", "second choice"):
        grid.add_column(column)
        grid.add_column("score", justify="right")
    for row in rows:
        name = [Text(printable(row.id or ""))] if named else []
        label, second = Text(printable(row.label)), Text(printable(row.second))
        grid.add_row(f"{row.row:,}", *name, label, f"{row.score:.3f}", second, f"{row.second_score:.3f}")
    return grid
