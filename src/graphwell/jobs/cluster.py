"""A folder of Parquet files labelled on a Dask cluster: workers read and write its parts.

Only columns of numbers are compared, since every worker encodes its parts alone.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._rows import fetched, narrow
from graphwell._threads import thread_count
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.dask.arrays import array_of, blocks_of, lazy
from graphwell.backends.dask.client import connected_client, open_client
from graphwell.backends.dask.rounds import Cluster
from graphwell.encoders.report import Treatment, left_out
from graphwell.errors import OptionError, Sentence
from graphwell.estimators.labels import Labels
from graphwell.estimators.registry import methods
from graphwell.io.cells import NewColumns, as_numbers, text_column
from graphwell.io.files import folder_written_whole, written_whole
from graphwell.io.parquet import (
    SUFFIXES,
    RowGroups,
    give_back_read,
    read_columns,
    read_part,
    row_groups,
    write_parquet,
)
from graphwell.jobs.classify import ClassifyOptions, class_sizes, fit, summarise
from graphwell.jobs.report import ClassifyReport, RowDetails
from graphwell.jobs.table import LabelColumn, TableRows, check_names, read_rows
from graphwell.memory import give_back
from graphwell.progress import Progress, silent

ROWS_SHOWN, LABELLED_ROWS_SHOWN = 20_000, 5_000
"""Rows of a cluster on a page: too few to fill a process, enough for pictures."""
NEEDS_THE_WHOLE_TABLE = (
    "scale", "pca", "missing", "delimiter", "encoding", "decimal", "as_number", "as_category",
)  # fmt: skip
"""Options that cannot be followed part by part."""


def classify_on_cluster(options: ClassifyOptions, classifier: Any, progress: Progress) -> ClassifyReport:
    """Label a table on the cluster that ``options.cluster`` names."""
    if not methods()[options.method].on_cluster:
        raise OptionError("method", "{field} {!r} cannot be used with {cluster}.", options.method)
    used = [
        name for name in NEEDS_THE_WHOLE_TABLE if getattr(options, name) != getattr(ClassifyOptions, name)
    ]
    if used:
        named = ", ".join("{" + name + "}" for name in used)
        problem = named + " cannot be used with {cluster}; prepare the features before, or leave it out."
        raise OptionError(used[0], problem)
    if options.table.suffix.lower() not in SUFFIXES and not options.table.is_dir():
        problem = "{field} {}: {cluster} takes a folder of Parquet files or one such file."
        raise OptionError("table", problem, options.table)
    output = options.output
    if output is None or output.suffix.lower() not in SUFFIXES:
        problem = "{field} {}: {cluster} writes Parquet; the name must end in .parquet."
        raise OptionError("output", problem if output else "{cluster} needs {field}.", output)
    if output.exists():
        raise OptionError(
            "output", "{field} {} exists; with {cluster}, give the name of a new folder.", output
        )
    with open_client(str(options.cluster), thread_count(options.n_jobs)):
        return label_folder(read_folder(options, progress), classifier, progress)


@dataclass(frozen=True)
class Folder:
    """A table in parts: its labels, and the columns of numbers that its first part shows."""

    parts: tuple[RowGroups, ...]
    rows: TableRows
    numbers: tuple[str, ...]
    columns: tuple[Treatment, ...]
    seconds: float


def read_folder(options: ClassifyOptions, progress: Progress = silent) -> Folder:
    """Read the labels of all parts, and the features that the first part shows."""
    began = time.perf_counter()
    progress("reading", None)
    parts = row_groups(options.table)
    first = read_columns(options.table, parts[:1])
    labels = read_columns(options.table, parts, check_names(first, options))
    rows = read_rows(labels, options)
    shown = read_rows(first, options, labelled=False)
    here = replace(rows.given.labels, codes=rows.given.codes[: first.n_rows])
    names = np.array([*map(str, here.classes.tolist()), ""], dtype=object)[here.codes]
    encoder = options.table_encoder()
    encoder.look_at(shown.frame, names)
    numbers = tuple(name for name in encoder.encoders_ if as_numbers(first.column(name)) is not None)
    others = [name for name in encoder.encoders_ if name not in numbers]
    if not numbers:
        problem = "{} has no column of numbers, and {cluster} compares rows by numbers only."
        raise OptionError("features", problem, options.table)
    if options.features is not None and others:
        problem = "{field} {}: the column holds no numbers, and {cluster} compares rows by numbers only."
        raise OptionError("features", problem, others[0])
    why = "no number; {cluster} compares rows by numbers only"
    columns = tuple(left_out(of.name, "", why) if of.name in others else of for of in shown.columns(encoder))
    give_back_read()
    return Folder(parts, rows, numbers, columns, time.perf_counter() - began)


def label_folder(folder: Folder, classifier: Any, progress: Progress = silent) -> ClassifyReport:
    """Label every row on the workers of the Dask client in use, which must see both folders."""
    parts, rows = folder.parts, folder.rows
    options, cluster = rows.options, Cluster(connected_client())
    given, truth = _in_few_bytes(rows.given), rows.truth and _in_few_bytes(rows.truth)
    options = replace(options, suggest=0)  # choosing rows would need the scores of all in one process
    rows = replace(rows, given=given, truth=truth, options=options)
    classifier.set_params(**class_sizes(options, rows))
    blocks = [lazy(part_features, part, folder.numbers) for part in parts]
    X = array_of(blocks, [part.n_rows for part in parts], len(folder.numbers), np.float64)
    fit(classifier, X, given.labels, progress)
    progress("writing", None)
    give_back()

    # Every worker writes the parts that it holds; the folder appears once all of them are there.
    answers = [classifier.transduction_, classifier.label_distributions_, classifier.reachable_]
    bridged = blocks_of(classifier.bridged_) if classifier.graph_.bridges is not None else [None] * len(parts)
    pieces = np.split(given.codes >= 0, np.cumsum([part.n_rows for part in parts])[:-1])
    with folder_written_whole(options.output) as whole:
        named = [(whole, options.label, rows.classes)] * len(parts)
        each = zip(named, parts, range(len(parts)), pieces, *map(blocks_of, answers), bridged, strict=True)
        cluster.results([lazy(_write_answers, *piece) for piece in each])
        missing = len(parts) - len(list(whole.glob("part-*.parquet")))
        if missing:
            problem = (
                "{field} {}: the workers wrote {} of {} files elsewhere; "
                "give a folder that all machines of the cluster share."
            )
            raise OptionError("output", problem, options.output, missing, len(parts))

    stages, graph = dict(classifier.timings_), classifier.graph_
    assigned = np.where(fetched(classifier.reachable_), fetched(classifier.transduction_), -1)
    where = "one block" if graph.n_blocks == 1 else f"{graph.n_blocks} blocks"
    note = Sentence("The graph lay in {}; the search found {:.1%} of the neighbours.", (where, graph.recall_))
    report = summarise(
        rows, classifier, assigned, columns=folder.columns, features=folder.numbers,
        seconds={"reading": folder.seconds, "neighbours": stages.pop("graph"), **stages},
        details=None if options.report is None else _some_rows(X, rows.given.codes, assigned, classifier),
    )  # fmt: skip
    return replace(report, notes=(*report.notes, note))


def _in_few_bytes(column: LabelColumn) -> LabelColumn:
    """Numbers in place of the classes, in as few bytes as they need: this process has them for every row."""
    n = len(column.names)
    return replace(column, labels=Labels(narrow(column.codes, n + 1), np.arange(n)))


def _some_rows(X: Any, given: IntArray, assigned: IntArray, classifier: Any) -> RowDetails:
    """Some rows for the pictures of a page, the same ones whatever the blocks."""
    rng, chosen = np.random.default_rng(0), []
    for among, most in ((given >= 0, LABELLED_ROWS_SHOWN), (given < 0, ROWS_SHOWN)):
        places = np.flatnonzero(among)
        chosen.append(places if len(places) <= most else rng.choice(places, most, replace=False))
    rows = np.sort(np.concatenate(chosen))
    score = fetched(classifier.label_distributions_[rows]).max(axis=1)
    reachable, bridged = (fetched(array[rows]) for array in (classifier.reachable_, classifier.bridged_))
    return RowDetails(
        given[rows].astype(np.int32), assigned[rows], np.where(reachable, score, np.nan), reachable, bridged,
        rows + 1, None, fetched(X[rows]),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------- parts


def part_features(part: RowGroups, names: tuple[str, ...]) -> FloatArray:
    """Features of the rows of a part, which must be numbers."""
    table = read_part(part, names)
    columns = []
    for name in names:
        column = table.column(name)
        numbers = as_numbers(column)
        if numbers is None:
            row = next(r for r in range(len(column)) if as_numbers(column[r : r + 1]) is None)
            cell = f"the feature {name!r} is {str(column[row])!r}, which is no number."
            raise ValueError(f"{table.path}, row {row + 1}: {cell}")
        columns.append(numbers)
    return np.column_stack(columns)


def _write_answers(
    named: tuple[Path, str, tuple[str, ...]],
    part: RowGroups,
    number: int,
    given: BoolArray,
    found: IntArray,
    scores: FloatArray,
    reachable: BoolArray,
    bridged: BoolArray | None,
) -> int:
    """Write a part with the answers that a worker holds."""
    folder, label, names = named
    assigned = text_column([*names, ""])[np.where(reachable, found, -1)]
    score = np.where(reachable, scores.max(axis=1), np.nan)
    new = NewColumns(label, assigned, score, reachable, given, bridged)
    path = folder / f"part-{number:05d}.parquet"
    with written_whole(path) as file:
        write_parquet(read_part(part), new, path, file)
    return part.n_rows
