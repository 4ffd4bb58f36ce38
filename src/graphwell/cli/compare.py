"""`graphwell compare`: methods on a table, judged on labels that it was not shown."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from graphwell.cli import _options as opt
from graphwell.cli._options import in_flags, job_options, option
from graphwell.cli._run import Exit, bars, ends_cleanly, show

if TYPE_CHECKING:
    from graphwell.comparison.compare import Standing


@ends_cleanly
def compare(
    table: Annotated[Path, opt.argument("TABLE", f"{opt.TABLE}.")],
    label: opt.Label = "label",
    truth: opt.Truth = None,
    methods: Annotated[
        str | None,
        option(
            "Methods by name, or all: those of classify, logistic regression, random forest, boosting, "
            "sklearn LabelSpreading. By default graphwell and the last 4.",
            panel=opt.METHOD,
            metavar="A,B,C",
        ),
    ] = None,
    report: opt.Report = None,
    features: opt.Features = None,
    drop: opt.Drop = None,
    id_: opt.Id = None,
    unknown: opt.Unknown = None,
    seed: opt.Seed = 0,
    set_: Annotated[list[str] | None, opt.settings(f"splits (5), classes, {opt.OF_TABLES}")] = None,
    jobs: opt.Jobs = None,
    verbose: opt.Verbose = False,
    json_: opt.Json = False,
    quiet: opt.Quiet = False,
) -> Exit:
    """Compare graphwell with other methods on a table that has some labels.

    Labels are hidden in turn, and methods are judged on them, or on the column of the truth. Prints a line
    for each method as soon as it is known, then the table: the share of correct labels with its standard
    error, and seconds. Exit codes: 0 done; 2 bad input; 130 interrupted.
    """
    flags = locals()
    from graphwell.jobs.compare import CompareOptions
    from graphwell.jobs.compare import compare as compare_methods
    from graphwell.view.report import comparison_page

    options = job_options(CompareOptions, flags)
    out = sys.stdout  # bars on a terminal take its place

    def print_line(standing: "Standing") -> None:
        correct, error, seconds = standing.cells
        line = f"{standing.method}: {correct} correct ± {error}, {seconds} s"
        print(line, file=sys.stdout if out.isatty() else out, flush=True)

    with bars(quiet=quiet) as progress:
        found = compare_methods(
            options,
            draw=lambda made: comparison_page(made, words=in_flags),
            progress=progress,
            on_result=None if quiet or json_ else print_line,
        )
    show(found, taken=json_, json_=json_, quiet=quiet, verbose=verbose)
    return Exit.DONE
