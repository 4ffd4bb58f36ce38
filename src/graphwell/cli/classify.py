"""`graphwell classify`: label every row of a table from the labels that some rows have."""

import csv
import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly, notes_from_warnings
from graphwell.cli._summary import print_summary
from graphwell.io.files import check_distinct, check_output, written_whole


@ends_cleanly
def classify(
    table: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, Parquet, .npy or .npz file; with --cluster a folder of Parquet files.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File for the labelled table.", show_default=False)
    ],
    label: Annotated[str, typer.Option(help="Column of the known labels.")] = "label",
    features: Annotated[
        str | None, typer.Option(help="Columns to compare rows by, as a,b,c; by default all numeric ones.")
    ] = None,
    drop: Annotated[str | None, typer.Option(help="Columns that are no features, as a,b,c.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="Column that names the rows.")] = None,
    truth: Annotated[str | None, typer.Option(help="Column of the true labels, to compare with.")] = None,
    unknown: Annotated[
        list[str] | None, typer.Option(help="Label that means unknown, besides empty and NA cells.")
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing feature values: error, drop or mean.")] = "error",
    scale: Annotated[str, typer.Option(help="Scale of the features: none, standard or robust.")] = "none",
    pca: Annotated[
        int | None,
        typer.Option(help="Principal components, 0 for none; 50 by default above 100 features.", min=0),
    ] = None,
    neighbors: Annotated[int | None, typer.Option(help="Neighbours of each row.", min=1)] = None,
    start: Annotated[str | None, typer.Option(help="Where the descent starts.")] = None,
    fidelity: Annotated[float | None, typer.Option(help="Weight of the known labels.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads; all cores by default.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    holdout: Annotated[
        float | None, typer.Option(help="Share of the known labels to hide and test on, 0.2 say.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="File for a page with pictures (.html).")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File to save the run in; a killed run goes on from it.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Work on a Dask cluster: its address (tcp://host:8786), or local for one here."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Delimiter of a text table, or tab; found by default.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of a text table; found by default.")] = None,
    decimal: Annotated[str, typer.Option(help="Decimal point of a text table.")] = ".",
    json_: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> Exit:
    """Label every row of a table from the labels that some rows have.

    Writes the table with the columns graphwell_label, graphwell_score, graphwell_reachable and
    graphwell_given. Exit codes: 0 done; 1 done, but no label reaches some rows; 2 bad input; 130 interrupted.
    """
    from graphwell.io.tables import read_table, write_table
    from graphwell.io.tables.registry import check_suffix
    from graphwell.jobs.classify import Roles, label_table
    from graphwell.jobs.preprocess import Preparation
    from graphwell.jobs.summary import summarise
    from graphwell.view.report import report_page

    check_suffix(output, "--output")
    for option, path in (("--output", output), ("--report", report), ("--checkpoint", checkpoint)):
        if path is not None:
            check_output(path, option)
    check_distinct({"TABLE": table, "--output": output, "--report": report, "--checkpoint": checkpoint})
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--report {report}: the name must end in .html or .htm.")
    roles = Roles(
        label, _names(features), _names(drop) or (), id_, truth, tuple(unknown or ()), _decimal(decimal)
    )
    preparation = Preparation(scale, pca, missing)
    classifier = _classifier(
        n_neighbors=neighbors, start=start, fidelity=fidelity, n_jobs=jobs, device=device
    )
    began = time.perf_counter()
    if cluster is not None:
        from graphwell.jobs.classify_on_cluster import refuse_options

        refuse_options(
            scale=scale != "none", pca=pca, missing=missing != "error", holdout=holdout, report=report,
            delimiter=delimiter, encoding=encoding, decimal=decimal != ".",
        )  # fmt: skip
        summary = _on_cluster(cluster, jobs, table, roles, classifier, output, seed, checkpoint, quiet)
        return _told(summary, began, quiet=quiet, as_json=json_)
    with notes_from_warnings() as notes, bars(quiet=quiet) as progress:
        source = read_table(table, delimiter=delimiter, encoding=encoding, progress=progress)
        read = time.perf_counter() - began
        labelled = label_table(
            source, roles, preparation, classifier,
            seed=seed, holdout=holdout, checkpoint=checkpoint, progress=progress,
        )  # fmt: skip
        summary = {**summarise(labelled), "output": str(output)}
        summary["files"] = [str(path) for path in (output, report) if path is not None]
        summary["seconds"] = {"reading": round(read, 3), **summary["seconds"]}
        progress("writing", None)
        with ExitStack() as held:
            write_table(source, labelled.answers(), output, held.enter_context(written_whole(output)))
            if report is not None:
                page = report_page(labelled, summary)
                held.enter_context(written_whole(report)).write(page.encode("utf-8"))
    summary["notes"] += notes
    return _told(summary, began, quiet=quiet, as_json=json_)


def _on_cluster(
    cluster: str,
    jobs: int | None,
    table: Path,
    roles: Any,
    classifier: Any,
    output: Path,
    seed: int,
    checkpoint: Path | None,
    quiet: bool,
) -> dict[str, Any]:
    """Label a folder of Parquet files on a Dask cluster; return the summary."""
    from graphwell._threads import thread_count
    from graphwell.backends.dask.tasks import open_client
    from graphwell.io.tables.registry import PARQUET_SUFFIXES
    from graphwell.jobs.classify_on_cluster import label_on_cluster

    if table.suffix.lower() not in PARQUET_SUFFIXES and not table.is_dir():
        raise ValueError(f"TABLE {table}: --cluster takes a folder of Parquet files or one such file.")
    if output.suffix.lower() not in PARQUET_SUFFIXES:
        raise ValueError(f"--output {output}: --cluster writes Parquet; the name must end in .parquet.")
    with (
        open_client(cluster, thread_count(jobs)),
        notes_from_warnings() as notes,
        bars(quiet=quiet) as progress,
    ):
        summary = label_on_cluster(
            table, roles, classifier, output, seed=seed, checkpoint=checkpoint, progress=progress
        )
    summary["notes"] += notes
    return summary


def _told(summary: dict[str, Any], began: float, *, quiet: bool, as_json: bool) -> Exit:
    """Show the summary and say how the command ends."""
    summary["seconds"]["in all"] = round(time.perf_counter() - began, 3)
    if not quiet:
        print_summary(summary, on_stderr=as_json)
    if as_json:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    return Exit.NEEDS_ATTENTION if summary["unreachable_rows"] else Exit.DONE


def _names(text: str | None) -> tuple[str, ...] | None:
    """Column names as a user lists them; a name with a comma in it goes into double quotes."""
    if text is None:
        return None
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))


def _decimal(text: str) -> str:
    if text not in (".", ","):
        raise ValueError(f"--decimal must be a point or a comma, got {text!r}.")
    return text


def _classifier(**parameters: Any) -> Any:
    """The classifier with the options that were given; its own defaults for the others."""
    from graphwell.estimators.diffuse import DiffuseInterfaceClassifier

    given = {name: value for name, value in parameters.items() if value is not None}
    return DiffuseInterfaceClassifier(**given)
