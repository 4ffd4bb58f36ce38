"""`graphwell compare`: methods on a table, judged on labels that it was not shown."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwell.cli import _options
from graphwell.cli._files import refuse_missing
from graphwell.cli._job_options import job_options
from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli._words import in_flags

if TYPE_CHECKING:
    from graphwell.comparison.compare import Standing
    from graphwell.jobs.compare import CompareReport


@ends_cleanly
def compare(
    table: Annotated[Path, typer.Argument(help="File that ends in {tables}.", show_default=False)],
    label: Annotated[str, typer.Option(help="Column of the known labels.")] = "label",
    truth: _options.Truth = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods, as a,b,c, or all: {competitors}. By default graphwell and the last 4."),
    ] = None,
    splits: Annotated[int, typer.Option(help="How often labels are hidden, each of them once.", min=2)] = 5,
    report: _options.Report = None,
    features: _options.Features = None,
    drop: _options.Drop = None,
    as_number: _options.AsNumber = None,
    as_category: _options.AsCategory = None,
    id_: _options.Id = None,
    unknown: _options.Unknown = None,
    missing: _options.Missing = "fill",
    scale: _options.Scale = "auto",
    pca: _options.Components = None,
    neighbors: Annotated[int, typer.Option(help="Neighbours of each row.", min=1)] = 10,
    seed: _options.Seed = 0,
    jobs: _options.Jobs = None,
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    max_memory: _options.MaxMemory = None,
    json_: _options.Json = False,
    quiet: _options.Quiet = False,
) -> Exit:
    """Compare graphwell with other methods on a table that has some labels.

    Labels are hidden in turn, and methods are judged on them, or on the column of the truth. Prints a line
    for each method as soon as it is known, then the table: the share of correct labels with its standard
    error, seconds and memory. Exit codes: 0 done; 2 bad input; 130 interrupted.
    """
    flags = locals()
    refuse_missing(table)
    from graphwell.jobs.compare import compare as compare_methods
    from graphwell.jobs.options import CompareOptions

    options = job_options(CompareOptions, flags)
    out = sys.stdout  # bars on a terminal take its place

    def say(standing: "Standing") -> None:
        correct, error, seconds, _ = standing.cells
        line = f"{standing.method}: {correct} correct ± {error}, {seconds} s"
        print(line, file=sys.stdout if out.isatty() else out, flush=True)

    with bars(quiet=quiet) as progress:
        on_result = None if quiet or json_ else say
        found = compare_methods(options, draw=_page, progress=progress, on_result=on_result)
    if not quiet:
        from graphwell.cli._summary import print_compared

        print_compared(found, on_stderr=json_)
    if json_:
        typer.echo(json.dumps(found.to_json(in_flags), indent=2, ensure_ascii=False))
    return Exit.DONE


def _page(report: "CompareReport") -> str:
    """The page of a report; what draws it is not imported before it is needed."""
    from graphwell.view.comparison import comparison_page

    return comparison_page(report, words=in_flags)
