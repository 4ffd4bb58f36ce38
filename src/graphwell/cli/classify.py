"""`graphwell classify`: label every row of a table from the labels that some rows have."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwell._interrupt import work_is_over
from graphwell.cli import _options
from graphwell.cli._declared import refuse_unknown
from graphwell.cli._files import refuse_missing
from graphwell.cli._help import completed
from graphwell.cli._job_options import job_options
from graphwell.cli._names import column_names
from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli._standard import stdout_is_taken
from graphwell.cli._words import in_flags
from graphwell.errors import OptionError

if TYPE_CHECKING:
    from graphwell.jobs.reports import ClassifyReport


@ends_cleanly
def classify(
    table: Annotated[
        Path,
        typer.Argument(
            help="File that ends in {tables}, or - for text on standard input; with --cluster a folder of "
            "Parquet files.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File for the labelled table; - for standard output.", show_default=False
        ),
    ],
    label: Annotated[str, typer.Option(help="Column of the known labels.")] = "label",
    features: _options.Features = None,
    drop: _options.Drop = None,
    as_number: _options.AsNumber = None,
    as_category: _options.AsCategory = None,
    id_: _options.Id = None,
    truth: _options.Truth = None,
    unknown: _options.Unknown = None,
    missing: _options.Missing = "fill",
    scale: _options.Scale = "auto",
    tune: Annotated[bool, typer.Option(help="Choose how rows are compared, on hidden labels.")] = True,
    evidence: Annotated[
        str,
        typer.Option(
            help="Also ask classifiers about each row: auto or none.",
            autocompletion=completed("auto", "none"),
        ),
    ] = "auto",
    pca: _options.Components = None,
    method: Annotated[
        str, typer.Option(help="How rows are labelled: {methods}.", autocompletion=completed(of="method"))
    ] = "diffuse interface",
    classes: Annotated[
        str | None, typer.Option(help="Classes there are, as a,b,c, if some have no label yet.")
    ] = None,
    class_prior: Annotated[
        str | None,
        typer.Option(help="Sizes of the classes: a=0.2,b=0.8, bounds as a=0.05:0.2, auto or labels."),
    ] = None,
    neighbors: Annotated[int | None, typer.Option(help="Neighbours of each row.", min=1)] = None,
    start: Annotated[
        str | None,
        typer.Option(help="Where the descent starts: {starts}.", autocompletion=completed(of="start")),
    ] = None,
    fidelity: Annotated[float | None, typer.Option(help="Weight of the known labels.")] = None,
    seed: _options.Seed = 0,
    jobs: _options.Jobs = None,
    device: _options.Device = "cpu",
    holdout: Annotated[
        float | None, typer.Option(help="Share of the known labels to hide and test on, 0.2 say.")
    ] = None,
    report: _options.Report = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File to save the run in; a killed run goes on from it.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Work on a Dask cluster: its address (tcp://host:8786), local for one here if the table "
            "does not fit into memory, local:4 for four processes here in any case."
        ),
    ] = None,
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    safe_csv: Annotated[
        bool, typer.Option("--safe-csv", help="Put an apostrophe before text that spreadsheets would run.")
    ] = False,
    max_memory: _options.MaxMemory = None,
    json_: _options.Json = False,
    quiet: _options.Quiet = False,
) -> Exit:
    """Label every row of a table from the labels that some rows have.

    Writes the table with the columns graphwell_label, graphwell_score, graphwell_reachable and
    graphwell_given. Exit codes: 0 done; 1 done, but some rows lie in a part of the graph without any label;
    2 bad input; 130 interrupted.
    """
    flags = locals()
    taken = stdout_is_taken(output, json_=json_)
    if cluster is None:
        refuse_missing(table)
    refuse_unknown("method", method)
    refuse_unknown("start", start)
    from graphwell.jobs.classify import classify as label_rows
    from graphwell.jobs.options import ClassifyOptions

    options = job_options(ClassifyOptions, flags, class_prior=_class_prior(class_prior))
    with bars(quiet=quiet) as progress:
        found = label_rows(options, draw=_page, progress=progress)
        work_is_over()
    if not quiet:
        from graphwell.cli._summary import print_classified

        print_classified(found, on_stderr=taken)
    if json_:
        typer.echo(json.dumps(found.to_json(in_flags), indent=2, ensure_ascii=False))
    return Exit.NEEDS_ATTENTION if found.unreachable_rows or found.bridged_rows else Exit.DONE


def _page(report: "ClassifyReport") -> str:
    """The page of a report; what draws it is not imported before it is needed."""
    from graphwell.view.report import report_page

    return report_page(report, words=in_flags)


def _class_prior(text: str | None) -> "str | dict[str, float | tuple[float, float]] | None":
    """Sizes of classes as a user writes them: auto, labels, or a=0.2,b=0.05:0.3."""
    if text is None or "=" not in text:
        return text
    sizes: dict[str, float | tuple[float, float]] = {}
    for item in column_names(text) or ():
        name, _, size = item.rpartition("=")
        if not name.strip() or name.strip() in sizes:
            problem = "{field}: {!r} must name a class, each one once; write a=0.2,b=0.8."
            raise OptionError("class_prior", problem, item)
        sizes[name.strip()] = _size(item, size)
    return sizes


def _size(item: str, size: str) -> float | tuple[float, float]:
    try:
        numbers = [float(number) for number in size.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise OptionError("class_prior", "{field}: {!r} is no size; write a=0.2 or a=0.05:0.2.", item)
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])
