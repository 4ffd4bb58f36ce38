"""Reports of jobs as a terminal shows them; notes go to standard error."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from graphwell.cli._options import in_flags
from graphwell.encoders.report import grouped, listed
from graphwell.errors import Sentence, counted

if TYPE_CHECKING:
    from graphwell.encoders.report import Treatment
    from graphwell.jobs.compare import CompareReport
    from graphwell.jobs.reports import (
        ClassCount,
        ClassifyReport,
        DoubtfulRow,
        RowToLabel,
        SegmentClass,
        SegmentReport,
    )
    from graphwell.jobs.score import Accuracy
    from graphwell.jobs.suggest import MergeReport, SuggestReport

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
        say("The scores are calibrated on held-out labels.")
    if report.comparison is not None:
        say(_truth_sentence(report.comparison.accuracy), "bold")
    console.print(_class_grid(report.classes))
    if report.doubtful:
        say("The most uncertain rows; row 1 is the first below the header:")
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
    console.print(_class_grid(report.classes))
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
    titles = ("method", ">correct", ">± error", ">seconds", ">memory")
    console.print(_grid(titles, [(each.method, *each.cells) for each in found.standings]))
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
    aside = _sayer(console_for(on_stderr=True))
    for note in notes:
        aside(f"Note: {note.worded(in_flags)}", "yellow")
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


def _grid(titles: Sequence[str], rows: Iterable[Sequence[str]], cut: int = 40) -> Grid:
    """A table; columns whose title begins with > are numbers."""
    grid = Grid()
    for title in titles:
        grid.add_column(title.removeprefix(">"), justify="right" if title.startswith(">") else "left")
    for row in rows:
        grid.add_row(*(Text(printable(cell, cut)) for cell in row))
    return grid


def _column_grid(columns: "Sequence[Treatment]") -> Grid:
    """The columns and how each is used; those used alike share a line."""
    groups = grouped(columns, in_flags).items()
    rows = [(listed(names), kind, became) for (kind, became), names in groups]
    return _grid(("column", "holds", "became"), rows, 200)


def _class_grid(classes: "Sequence[ClassCount | SegmentClass]") -> Grid:
    rows = [
        (each.name, f"{each.given:,}", f"{each.assigned:,}", f"{100 * getattr(each, 'share', 0):.2f}")
        for each in classes[:CLASSES_SHOWN]
    ]
    if len(classes) > CLASSES_SHOWN:
        rows.append((f"and {len(classes) - CLASSES_SHOWN:,} more", "", "", ""))
    shares = any(hasattr(each, "share") for each in classes)
    titles = ("class", ">given", ">assigned", ">% of all")[: 4 if shares else 3]
    return _grid(titles, [row[: len(titles)] for row in rows])


def _to_label_grid(rows: "Sequence[RowToLabel]") -> Grid:
    return _row_grid(("why",), [(row, (row.reason,)) for row in rows], 70)


def _doubtful_grid(rows: "Sequence[DoubtfulRow]") -> Grid:
    cells = [(row, (row.label, f"{row.score:.3f}", row.second, f"{row.second_score:.3f}")) for row in rows]
    return _row_grid(("label", ">score", "second choice", ">score"), cells)


def _row_grid(titles: Sequence[str], rows: "Sequence[tuple[Any, Sequence[str]]]", cut: int = 40) -> Grid:
    """Rows by number, and by name where some have one."""
    named = any(row.id is not None for row, _ in rows)
    numbered = [(f"{row.row:,}", *([row.id or ""] if named else []), *cells) for row, cells in rows]
    return _grid((">row", *(["id"] if named else []), *titles), numbered, cut)
