"""A folder of Parquet files labelled on a Dask cluster: no process ever holds all of it."""

import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._threads import thread_count
from graphwell.backends.dask.client import open_client
from graphwell.encoders.report import left_out
from graphwell.encoders.table import Scaling
from graphwell.errors import BridgedWarning, OptionError, Sentence, UnreachableWarning
from graphwell.io.cells import Table, as_numbers
from graphwell.io.files import folder_written_whole, written_whole
from graphwell.io.parquet import RowGroups, give_back_read, read_columns, row_groups
from graphwell.jobs.methods import find_method, make_classifier, told_of_classes
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.outputs import page_bytes
from graphwell.jobs.page_on_cluster import rows_shown
from graphwell.jobs.parts_of_a_folder import InThisProcess, OnWorkers, PartWriter, Place
from graphwell.jobs.reports import ClassifyReport, Draw
from graphwell.jobs.scale_on_cluster import scaled_columns
from graphwell.jobs.summary import in_memory, summarise
from graphwell.jobs.table import (
    FeatureColumns,
    LabelColumn,
    TableFacts,
    look_at_columns,
    named_columns,
    read_given,
    table_facts,
)
from graphwell.memory import allowed, fit_bytes, give_back
from graphwell.progress import Progress, silent

COPIES_OF_FEATURES = 3
"""In memory at once: the parts as they are read, the whole, and rows as they are compared."""


def classify_on_cluster(
    options: ClassifyOptions, *, draw: Draw | None = None, progress: Progress = silent
) -> ClassifyReport:
    """Label a table on the cluster that ``options.cluster`` names; in one process where that is faster.

    Parameters
    ----------
    options : ClassifyOptions
    draw : callable, optional
        Draws the page of ``options.report``.
    progress : callable
        Told the stage and the share of it that is done.
    """
    if not find_method(options.method).on_cluster:
        raise OptionError("method", "{field} {!r} cannot be used with {cluster}.", options.method)
    assert options.cluster is not None
    classifier = make_classifier(options)
    if options.cluster == "local":
        folder = read_folder(options, progress)
        if fits_here(folder, classifier.n_neighbors):
            return _labelled(folder, InThisProcess(), options, classifier, draw, progress)
    with open_client(options.cluster, thread_count(options.n_jobs)):
        return label_folder(options, classifier, draw=draw, progress=progress)


def label_folder(
    options: ClassifyOptions, classifier: Any, *, draw: Draw | None = None, progress: Progress = silent
) -> ClassifyReport:
    """Label every row of a folder of Parquet files and write a folder like it.

    Workers of the Dask client in use read and write the files, so all of them must see both folders.

    Parameters
    ----------
    options : ClassifyOptions
        `table` is a folder, or a single file; `output` a folder that does not exist yet.
    classifier : DiffuseInterfaceClassifier
        It is fitted here.
    draw, progress
        As in `classify_on_cluster`.
    """
    folder = _in_few_bytes(read_folder(options, progress))
    return _labelled(folder, OnWorkers(), options, classifier, draw, progress)


@dataclass(frozen=True)
class Folder:
    """A table in parts: what its labels and the features of its first part say.

    Attributes
    ----------
    parts : tuple of RowGroups
    facts : TableFacts
    kinds : tuple of str
        Kind of each feature, as in `graphwell.TableEncoder`.
    seconds : float
        That reading took.
    """

    parts: tuple[RowGroups, ...]
    facts: TableFacts
    kinds: tuple[str, ...]
    seconds: float


def read_folder(options: ClassifyOptions, progress: Progress = silent) -> Folder:
    """Read the labels of all parts, and the features that the first part shows."""
    output = options.output
    if output is None or output.exists():
        problem = "{field} {} exists; with {cluster}, give the name of a new folder."
        raise OptionError("output", problem if output else "{cluster} needs {field}.", output)
    began = time.perf_counter()
    progress("reading", None)
    parts = row_groups(options.table)
    first = read_columns(options.table, parts[:1])
    labels = read_columns(options.table, parts, named_columns(first, options))
    given = read_given(labels, options)
    here = replace(given, codes=given.codes[: first.n_rows])
    features = number_columns(first, options, here)
    facts = table_facts(labels, options, given, features, first.names)
    give_back_read()
    return Folder(parts, facts, features.kinds, time.perf_counter() - began)


def _in_few_bytes(folder: Folder) -> Folder:
    """The folder with labels and truth in few bytes: they, and what is found, are here for every row."""
    facts = folder.facts
    return replace(
        folder, facts=replace(facts, given=facts.given.narrow(), truth=facts.truth and facts.truth.narrow())
    )


def fits_here(folder: Folder, n_neighbors: int) -> bool:
    """Whether one process can label the table: on one machine it is faster than several.

    It may take half of the memory that is free, since what it will need is known roughly.
    """
    facts = folder.facts
    features = COPIES_OF_FEATURES * 8 * facts.n_rows * len(facts.features)
    return 2 * (features + fit_bytes(facts.n_rows, n_neighbors, len(facts.classes))) <= allowed()


def _labelled(
    folder: Folder,
    place: Place,
    options: ClassifyOptions,
    classifier: Any,
    draw: Draw | None,
    progress: Progress,
) -> ClassifyReport:
    """Fit, write, and tell of it."""
    facts, output = folder.facts, options.output
    assert output is not None
    classifier.set_params(**told_of_classes(options, facts.given))
    X = scaled_columns(place.features(folder.parts, facts.features), options.scale, folder.kinds)
    with warnings.catch_warnings():
        for told in (BridgedWarning, UnreachableWarning):  # the report says it in the words of a table
            warnings.simplefilter("ignore", told)
        classifier.fit(X, facts.given.codes, checkpoint=options.checkpoint, progress=progress)
    progress("writing", None)
    give_back()
    _write(place, folder, options.label, classifier, output)
    stages = dict(classifier.timings_)
    seconds = {"reading": folder.seconds, "neighbours": stages.pop("graph"), **stages}
    reachable = in_memory(classifier.reachable_)
    assigned = np.where(reachable, in_memory(classifier.transduction_), -1)
    everything = np.ones(facts.n_rows, dtype=bool)
    wanted = options.report is not None and draw is not None
    shown = None
    if wanted:
        found = (facts.given.codes, assigned, reachable, classifier)
        shown = rows_shown(X, *found, every=place.has_all_rows)
    report = summarise(
        facts, options.method, classifier, everything, assigned, seconds=seconds, output=output,
        report=options.report, notes=[_how_note(classifier, place)], details=shown,
        ask=options.suggest if place.has_all_rows else 0,
        scaled=None if options.scale in ("auto", "none") else Scaling(options.scale, "as asked"),
    )  # fmt: skip
    if draw is not None and options.report is not None:
        with written_whole(options.report) as file:
            file.write(page_bytes(draw(report)))
    return replace(report, details=None)


def number_columns(table: Table, options: ClassifyOptions, given: LabelColumn) -> FeatureColumns:
    """Those of the features that are numbers: all that workers can read block by block."""
    found = look_at_columns(table, options, given)
    numbers = [name for name in found.names if as_numbers(table.column(name)) is not None]
    others = [name for name in found.names if name not in numbers]
    if not numbers:
        problem = "{} has no column of numbers, and {cluster} compares rows by numbers only."
        raise OptionError("features", problem, table.path)
    if options.features is not None and others:
        problem = "{field} {}: the column holds no numbers, and {cluster} compares rows by numbers only."
        raise OptionError("features", problem, others[0])
    told = {name: left_out(name, "", "no number; {cluster} compares rows by numbers only") for name in others}
    treatments = tuple(told.get(treatment.name, treatment) for treatment in found.treatments)
    kind_of = dict(zip(found.outputs, found.kinds, strict=True))
    kinds = tuple(kind_of.get(name, "indicator") for name in numbers)
    return replace(found, names=tuple(numbers), kinds=kinds, treatments=treatments)


def _write(place: Place, folder: Folder, label: str, classifier: Any, output: Path) -> None:
    n, facts = len(folder.parts), folder.facts
    answers = ("transduction_", "label_distributions_", "reachable_", "bridged_")
    fitted = [getattr(classifier, answer) for answer in answers]
    bridges = classifier.graph_.bridges is not None
    with folder_written_whole(output) as whole:
        writer = PartWriter(str(whole), label, facts.classes, bridges)
        place.write(writer, folder.parts, facts.given.codes >= 0, fitted)
        written = len(list(whole.glob("part-*.parquet")))
        if written != n:
            problem = (
                "{field} {}: the workers wrote {} of {} files elsewhere; "
                "give a folder that all machines of the cluster share."
            )
            raise OptionError("output", problem, output, n - written, n)


def _how_note(classifier: Any, place: Place) -> Sentence:
    graph = classifier.graph_
    if isinstance(place, InThisProcess):
        return Sentence(
            "No cluster was started: one process is faster for a table that fits into memory; "
            "{cluster=local:2} would start two."
        )
    blocks = "one block" if graph.n_blocks == 1 else f"{graph.n_blocks} blocks"
    note = "The graph lay in {}; the search found {:.1%} of the neighbours."
    return Sentence(note, (blocks, graph.recall_))
