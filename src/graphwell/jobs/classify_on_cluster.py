"""A folder of Parquet files labelled on a Dask cluster: no process ever holds all of it."""

import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._threads import thread_count
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell._warnings import BridgedWarning, UnreachableWarning
from graphwell.backends.dask.tasks import Tasks, array_of, blocks_of, connected_client, open_client
from graphwell.columns.fate import left_out
from graphwell.errors import OptionError, Sentence
from graphwell.io.files import folder_written_whole, written_whole
from graphwell.io.tables.base import NewColumns, Table
from graphwell.io.tables.cells import as_numbers, first_that_is_no_number, text_column
from graphwell.io.tables.parquet import FORMAT as PARQUET
from graphwell.io.tables.parquet import RowGroups, read_columns, read_part, row_groups, write_parquet
from graphwell.jobs.class_sizes import tell_of_classes
from graphwell.jobs.columns import FeatureColumns, Roles, named_columns, read_features
from graphwell.jobs.facts import TableFacts, read_given, table_facts
from graphwell.jobs.label_column import LabelColumn
from graphwell.jobs.methods import find_method, make_classifier
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.reports import ClassifyReport
from graphwell.jobs.summary import in_memory, summarise
from graphwell.progress import Progress, silent

NEEDS_THE_WHOLE_TABLE = (
    "scale", "pca", "missing", "holdout", "report", "delimiter", "encoding", "decimal",
    "as_number", "as_category",
)  # fmt: skip
"""Options that cannot be followed block by block."""


def classify_on_cluster(options: ClassifyOptions, *, progress: Progress = silent) -> ClassifyReport:
    """Label a table on the cluster that ``options.cluster`` names.

    Parameters
    ----------
    options : ClassifyOptions
    progress : callable
        Told the stage and the share of it that is done.
    """
    _check(options)
    assert options.cluster is not None
    classifier = make_classifier(options)
    with open_client(options.cluster, thread_count(options.n_jobs)):
        return label_folder(options, classifier, progress=progress)


def label_folder(options: ClassifyOptions, classifier: Any, *, progress: Progress = silent) -> ClassifyReport:
    """Label every row of a folder of Parquet files and write a folder like it.

    Workers of the Dask client in use read and write the files, so all of them must see both folders.

    Parameters
    ----------
    options : ClassifyOptions
        `table` is a folder, or a single file; `output` a folder that does not exist yet.
    classifier : DiffuseInterfaceClassifier
        It is fitted here.
    progress : callable
        Told the stage and the share of it that is done.
    """
    output = options.output
    if output is None or output.exists():
        problem = "{field} {} exists; with {cluster}, give the name of a new folder."
        raise OptionError("output", problem if output else "{cluster} needs {field}.", output)
    began = time.perf_counter()
    progress("reading", None)
    parts, facts = _read(options.table, options.roles, options.classes)
    tell_of_classes(classifier, options, facts.given)
    read = time.perf_counter() - began
    tasks = Tasks(connected_client())
    X = _features(tasks, parts, facts.features)
    with warnings.catch_warnings():
        for told in (BridgedWarning, UnreachableWarning):  # the report says it in the words of a table
            warnings.simplefilter("ignore", told)
        classifier.fit(X, facts.given.codes, checkpoint=options.checkpoint, progress=progress)
    progress("writing", None)
    _write(tasks, parts, facts, options.label, classifier, output)
    stages = dict(classifier.timings_)
    seconds = {"reading": read, "neighbours": stages.pop("graph"), **stages}
    reachable = in_memory(classifier.reachable_)
    assigned = np.where(reachable, in_memory(classifier.transduction_), -1)
    everything = np.ones(facts.n_rows, dtype=bool)
    return summarise(
        facts, options.method, classifier, everything, assigned,
        seconds=seconds, output=output, notes=[_blocks_note(classifier)],
    )  # fmt: skip


def part_features(part: RowGroups, names: tuple[str, ...]) -> FloatArray:
    """Features of the rows of a part, which must be numbers."""
    table = read_part(part, names)
    return np.column_stack([_numbers(table, name) for name in names])


def number_columns(table: Table, roles: Roles, given: LabelColumn) -> FeatureColumns:
    """Those of the features that are numbers: all that workers can read block by block."""
    found = read_features(table, roles, given, fill=False)
    numbers = [name for name in found.names if as_numbers(table.column(name)) is not None]
    others = [name for name in found.names if name not in numbers]
    if not numbers:
        problem = "{} has no column of numbers, and {cluster} compares rows by numbers only."
        raise OptionError("features", problem, table.path)
    if roles.features is not None and others:
        problem = "{field} {}: the column holds no numbers, and {cluster} compares rows by numbers only."
        raise OptionError("features", problem, others[0])
    told = {name: left_out(name, "", "no number; {cluster} compares rows by numbers only") for name in others}
    fates = tuple(told.get(fate.name, fate) for fate in found.fates)
    return replace(found, names=tuple(numbers), fates=fates)


def _numbers(table: Table, name: str) -> FloatArray:
    column = table.column(name)
    numbers = as_numbers(column)
    if numbers is None:
        row = first_that_is_no_number(column)
        raise ValueError(
            f"{table.path}, row {row + 1}: the feature {name!r} is {str(column[row])!r}, which is no number."
        )
    return numbers


@dataclass(frozen=True)
class PartWriter:
    """Writes the rows of one part after the other, each into a file of its own.

    Attributes
    ----------
    folder : str
    label : str
        Column of the given labels.
    classes : tuple of str
        Names of the classes.
    bridges : bool
        Whether there is a column of bridged rows.
    """

    folder: str
    label: str
    classes: tuple[str, ...]
    bridges: bool

    def __call__(
        self,
        part: RowGroups,
        number: int,
        given: BoolArray,
        assigned: IntArray,
        scores: FloatArray,
        reachable: BoolArray,
        bridged: BoolArray,
    ) -> int:
        """Write the rows of a part with their new columns; return their number."""
        names = text_column([*self.classes, ""])
        score = np.where(reachable, scores.max(axis=1), np.nan)
        label = names[np.where(reachable, assigned, -1)]
        new = NewColumns(self.label, label, score, reachable, given, bridged if self.bridges else None)
        path = Path(self.folder) / f"part-{number:05d}.parquet"
        with written_whole(path) as file:
            write_parquet(read_part(part), new, path, file)
        return part.n_rows


def _check(options: ClassifyOptions) -> None:
    """Refuse what a cluster cannot do, or other files than Parquet."""
    used = options.changed(*NEEDS_THE_WHOLE_TABLE)
    if used:
        named = ", ".join("{" + field + "}" for field in used)
        problem = named + " cannot be used with {cluster}; prepare the features before, or leave it out."
        raise OptionError(next(iter(used)), problem)
    if not find_method(options.method).on_cluster:
        raise OptionError("method", "{field} {!r} cannot be used with {cluster}.", options.method)
    if options.table.suffix.lower() not in PARQUET.suffixes and not options.table.is_dir():
        problem = "{field} {}: {cluster} takes a folder of Parquet files or one such file."
        raise OptionError("table", problem, options.table)
    if options.output is not None and options.output.suffix.lower() not in PARQUET.suffixes:
        problem = "{field} {}: {cluster} writes Parquet; the name must end in .parquet."
        raise OptionError("output", problem, options.output)


def _read(path: Path, roles: Roles, classes: tuple[str, ...]) -> tuple[tuple[RowGroups, ...], TableFacts]:
    """Labels of all parts, and the features that the first part shows."""
    parts = row_groups(path)
    first = read_part(parts[0])
    labels = read_columns(path, parts, named_columns(first, roles))
    given = read_given(labels, roles, classes)
    here = replace(given, codes=given.codes[: first.n_rows])
    return parts, table_facts(labels, roles, given, number_columns(first, roles, here), first.names)


def _features(tasks: Tasks, parts: tuple[RowGroups, ...], names: tuple[str, ...]) -> Any:
    lengths = [part.n_rows for part in parts]
    rows = tasks.each("read", part_features, parts, [names] * len(parts))
    return array_of(rows, lengths, len(names), np.float64)


def _write(
    tasks: Tasks, parts: tuple[RowGroups, ...], facts: TableFacts, label: str, classifier: Any, output: Path
) -> None:
    n = len(parts)
    stops = np.cumsum([part.n_rows for part in parts])
    given = np.split(facts.given.codes >= 0, stops[:-1])
    answers = ("transduction_", "label_distributions_", "reachable_", "bridged_")
    fitted = [getattr(classifier, answer) for answer in answers]
    bridges = classifier.graph_.bridges is not None
    with folder_written_whole(output) as folder:
        write = PartWriter(str(folder), label, facts.classes, bridges)
        tasks.results(tasks.each("write", write, parts, range(n), given, *map(blocks_of, fitted)))
        written = len(list(folder.glob("part-*.parquet")))
        if written != n:
            problem = (
                "{field} {}: the workers wrote {} of {} files elsewhere; "
                "give a folder that all machines of the cluster share."
            )
            raise OptionError("output", problem, output, n - written, n)


def _blocks_note(classifier: Any) -> Sentence:
    graph = classifier.graph_
    blocks = "one block" if graph.n_blocks == 1 else f"{graph.n_blocks} blocks"
    note = "The graph lay in {}; the search found {:.1%} of the neighbours."
    return Sentence(note, (blocks, graph.recall_))
