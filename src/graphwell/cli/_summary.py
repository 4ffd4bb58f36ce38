"""The summary of a labelled table, or of a segmented picture, printed."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_WITHOUT_TERMINAL = 110
CLASSES_SHOWN = 40


def print_summary(summary: dict[str, Any], *, on_stderr: bool) -> None:
    """Print what `graphwell.jobs.summary` found."""
    from graphwell.jobs.columns import listed
    from graphwell.view.report import holdout_sentence

    console = _console(on_stderr=on_stderr)

    def say(text: str, style: str = "") -> None:
        console.print(Text(printable(text, 1000), style=style))

    say(_counts(summary))
    say(f"Features ({len(summary['features']):,}): {listed(summary['features'])}.")
    say(f"{summary['sweeps']:,} sweeps. {summary['status']}")
    if summary["holdout"]:
        say(holdout_sentence(summary["holdout"]), "bold")
    if summary["truth"]:
        say(_truth_sentence(summary["truth"]), "bold")
    console.print(_class_table(summary))
    say("The most doubtful rows; row 1 is the first below the header:")
    console.print(_doubtful_table(summary))
    for note in summary["notes"]:
        say(f"Note: {note}", "yellow")
    say("Seconds: " + ", ".join(f"{stage} {value:.2f}" for stage, value in summary["seconds"].items()))
    say(f"Written: {', '.join(summary['files'])}")


def print_segments(summary: dict[str, Any], *, on_stderr: bool) -> None:
    """Print the summary of a segmented picture."""
    console = _console(on_stderr=on_stderr)
    height, width = summary["size"]
    console.print(
        f"{height:,} x {width:,} pixels, {summary['seeds']:,} marked, {len(summary['classes']):,} classes. "
        f"{summary['sweeps']:,} sweeps. {summary['status']}"
    )
    console.print(_class_table(summary))
    for note in summary["notes"]:
        console.print(Text(printable(f"Note: {note}", 1000), style="yellow"))
    times = ", ".join(f"{stage} {value:.2f}" for stage, value in summary["seconds"].items())
    console.print(f"Seconds: {times}")
    console.print(Text(printable(f"Written: {', '.join(summary['files'])}", 1000)))


def _console(*, on_stderr: bool) -> Console:
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


def _counts(summary: dict[str, Any]) -> str:
    parts = [
        f"{summary['rows']:,} rows",
        f"{summary['labels_given']:,} labels given",
        f"{len(summary['classes']):,} classes",
        f"{summary['components_without_labels']:,} of {summary['components']:,} components without a label",
    ]
    if summary["rows_left_out"]:
        parts.append(f"{summary['rows_left_out']:,} rows left out")
    return ", ".join(parts) + "."


def _truth_sentence(truth: dict[str, Any]) -> str:
    return (
        f"{100 * truth['accuracy']:.2f} % of the {truth['of']:,} rows without a given label agree with the "
        f"truth ({truth['of'] - truth['right']:,} do not)."
    )


def _class_table(summary: dict[str, Any]) -> Table:
    table = Table()
    table.add_column("class")
    table.add_column("given", justify="right")
    table.add_column("assigned", justify="right")
    for row in summary["classes"][:CLASSES_SHOWN]:
        table.add_row(Text(printable(row["name"])), f"{row['given']:,}", f"{row['assigned']:,}")
    if len(summary["classes"]) > CLASSES_SHOWN:
        table.add_row(f"and {len(summary['classes']) - CLASSES_SHOWN:,} more", "", "")
    return table


def _doubtful_table(summary: dict[str, Any]) -> Table:
    table = Table()
    named = any(row["id"] is not None for row in summary["doubtful"])
    table.add_column("row", justify="right")
    if named:
        table.add_column("id")
    table.add_column("label")
    table.add_column("score", justify="right")
    table.add_column("second choice")
    table.add_column("score", justify="right")
    for row in summary["doubtful"]:
        cells = [f"{row['row']:,}"] + ([Text(printable(row["id"]))] if named else [])
        for name, score in ((row["label"], row["score"]), (row["second"], row["second_score"])):
            cells += [Text(printable(name)), f"{score:.3f}"]
        table.add_row(*cells)
    return table
