"""`graphwell suggest`: which rows of a table to label next, and the answers back into it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from graphwell._interrupt import work_is_over
from graphwell.cli import _options
from graphwell.cli._declared import refuse_unknown
from graphwell.cli._files import refuse_missing
from graphwell.cli._help import completed
from graphwell.cli._job_options import job_options
from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli._standard import stdout_is_taken
from graphwell.cli._words import in_flags


@ends_cleanly
def suggest(
    table: Annotated[
        Path,
        typer.Argument(
            help="File that ends in {tables}, or - for text on standard input.", show_default=False
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File for the questions (.csv); with --answers, for the table; - for standard output.",
            show_default=False,
        ),
    ],
    n: Annotated[int, typer.Option("-n", "--n", help="Number of rows to ask for.", min=1)] = 10,
    label: Annotated[
        str | None, typer.Option(help="Column of the labels so far; by default label, if there is one.")
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(help="File of questions with labels filled in (? = cannot tell), to merge into TABLE."),
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="What to ask for: {strategies}.", autocompletion=completed(of="strategy"))
    ] = "auto",
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
    device: _options.Device = "cpu",
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    json_: _options.Json = False,
    quiet: _options.Quiet = False,
) -> Exit:
    """Write down which rows of a table to label next, from no labels at all or from some.

    Each question is a row with its cells, a reason, and an empty cell for the label. Filled in, the file goes
    back into the table with --answers. Exit codes: 0 done; 2 bad input; 130 interrupted.
    """
    flags = locals()
    taken = stdout_is_taken(output, json_=json_)
    if answers is not None:
        return _merge(table, answers, output, label, delimiter, encoding, json_=json_, quiet=quiet)
    refuse_missing(table)
    refuse_unknown("strategy", strategy)
    from graphwell.jobs.suggest import SuggestOptions
    from graphwell.jobs.suggest import suggest as choose_rows

    del flags["answers"]
    options = job_options(SuggestOptions, flags)
    with bars(quiet=quiet) as progress:
        found = choose_rows(options, progress=progress)
        work_is_over()
    if not quiet:
        from graphwell.cli._summary import print_suggested

        print_suggested(found, on_stderr=taken)
    if json_:
        typer.echo(json.dumps(found.to_json(in_flags), indent=2, ensure_ascii=False))
    return Exit.DONE


def _merge(
    table: Path,
    answers: Path,
    output: Path,
    label: str | None,
    delimiter: str | None,
    encoding: str | None,
    *,
    json_: bool,
    quiet: bool,
) -> Exit:
    from graphwell.jobs.suggest import USUAL_LABEL, MergeOptions, merge_answers

    options = MergeOptions(
        table=table, answers=answers, output=output, label=label or USUAL_LABEL, delimiter=delimiter,
        encoding=encoding,
    )  # fmt: skip
    with bars(quiet=quiet) as progress:
        merged = merge_answers(options, progress=progress)
        work_is_over()
    if not quiet:
        from graphwell.cli._summary import print_merged

        print_merged(merged, on_stderr=stdout_is_taken(output, json_=json_))
    if json_:
        typer.echo(json.dumps(merged.to_json(in_flags), indent=2, ensure_ascii=False))
    return Exit.DONE
