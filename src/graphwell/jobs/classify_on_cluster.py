"""A folder of Parquet files labelled on a Dask cluster: no process ever holds all of it."""

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell._warnings import UnreachableWarning
from graphwell.backends.dask.tasks import Tasks, array_of, blocks_of, connected_client
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.io.files import folder_written_whole, written_whole
from graphwell.io.tables.base import Answers, Table, as_text, text_column
from graphwell.io.tables.parquet import Part, parquet_parts, read_columns, read_part, write_parquet
from graphwell.jobs.classify import Roles
from graphwell.jobs.columns import (
    Classes,
    check_given,
    choose_features,
    find_column,
    listed,
    match_classes,
    read_classes,
)
from graphwell.jobs.score import Comparison, compare
from graphwell.jobs.summary import MOST_DOUBTFUL, accuracy_summary, class_summary
from graphwell.progress import Progress, silent


@dataclass(frozen=True)
class Source:
    """A table in parts, and what its columns are for."""

    path: Path
    parts: tuple[Part, ...]
    features: tuple[str, ...]
    labels: Table
    given: Classes
    truth: Classes | None
    notes: tuple[str, ...]


def label_on_cluster(
    path: Path,
    roles: Roles,
    classifier: DiffuseInterfaceClassifier,
    output: Path,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Label every row of a folder of Parquet files and write a folder like it; return the summary.

    Workers read and write the files, so all of them must see both folders.

    Parameters
    ----------
    path : Path
        Folder, or a single file.
    roles : Roles
    classifier : DiffuseInterfaceClassifier
        It is fitted here, under the Dask client in use.
    output : Path
        Folder that appears when everything has been written; it must not exist.
    seed : int
        Of the classifier.
    checkpoint : Path, optional
        File for the descent to save itself in.
    progress : callable
        Told the stage and the share of it that is done.
    """
    if output.exists():
        raise ValueError(f"--output {output} exists; with --cluster, give the name of a new folder.")
    began = time.perf_counter()
    progress("reading", None)
    source = _read(path, roles)
    read = time.perf_counter() - began
    tasks = Tasks(connected_client())
    lengths = [part.n_rows for part in source.parts]
    rows = tasks.each("read", read_features, source.parts, [source.features] * len(lengths))
    X = array_of(rows, lengths, len(source.features), np.float64)
    classifier.set_params(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableWarning)  # said in the summary, in the words of a table
        classifier.fit(X, source.given.codes, checkpoint=checkpoint, progress=progress)
    progress("writing", None)
    _write(tasks, source, roles, classifier, output)
    stages = dict(classifier.timings_)
    seconds = {"reading": read, "neighbours": stages.pop("graph"), **stages}
    return _summary(source, roles, classifier, seconds, output)


def read_features(part: Part, names: tuple[str, ...]) -> FloatArray:
    """Features of the rows of a part."""
    return choose_features(read_part(part, names), names, ()).X


def write_part(
    part: Part,
    folder: str,
    number: int,
    roles: Roles,
    names: tuple[str, ...],
    given: BoolArray,
    assigned: IntArray,
    scores: FloatArray,
    reachable: BoolArray,
) -> int:
    """Write the rows of a part with their answers into a file of its own; return their number."""
    classes = text_column([*names, ""])
    score = np.where(reachable, scores.max(axis=1), np.nan)
    answers = Answers(roles.label, classes[np.where(reachable, assigned, -1)], score, reachable, given)
    with written_whole(Path(folder) / f"part-{number:05d}.parquet") as file:
        write_parquet(read_part(part), answers, file)
    return part.n_rows


def _read(path: Path, roles: Roles) -> Source:
    """Labels of all parts, and the features that the first part shows."""
    parts = parquet_parts(path)
    first = read_part(parts[0])
    named = {"--label": roles.label, "--id": roles.row_id, "--truth": roles.truth}
    taken = [find_column(first, name, option) for option, name in named.items() if name is not None]
    features = choose_features(
        first, roles.features, [*taken, *(find_column(first, name, "--drop") for name in roles.drop)]
    )
    labels = read_columns(path, parts, taken)
    given = read_classes(labels, roles.label, roles.unknown)
    check_given(labels, roles.label, given)
    truth = None
    if roles.truth is not None:
        truth = match_classes(read_classes(labels, roles.truth, roles.unknown), given.names)
    return Source(path, parts, features.names, labels, given, truth, (*features.notes, *given.notes))


def _write(tasks: Tasks, source: Source, roles: Roles, classifier: Any, output: Path) -> None:
    n = len(source.parts)
    stops = np.cumsum([part.n_rows for part in source.parts])
    given = np.split(source.given.codes >= 0, stops[:-1])
    fitted = (classifier.transduction_, classifier.label_distributions_, classifier.reachable_)
    with folder_written_whole(output) as folder:
        same = [[value] * n for value in (roles, source.given.names)]
        columns = (source.parts, [str(folder)] * n, range(n), *same, given, *map(blocks_of, fitted))
        tasks.results(tasks.each("write", write_part, *columns))
        written = len(list(folder.glob("part-*.parquet")))
        if written != n:
            raise ValueError(
                f"--output {output}: the workers wrote {n - written} of {n} files elsewhere; "
                "give a folder that all machines of the cluster share."
            )


def _summary(
    source: Source, roles: Roles, classifier: Any, seconds: dict[str, float], output: Path
) -> dict[str, Any]:
    """The summary of `graphwell.jobs.summary` from what lies on the workers."""
    reachable = classifier.reachable_.compute()
    assigned = np.where(reachable, classifier.transduction_.compute(), -1)
    compared = _compared(source, assigned)
    components = classifier.graph_.components
    lost = len(np.unique(components[~reachable]))
    notes = list(source.notes)
    if lost:
        notes.append(
            f"{(~reachable).sum():,} rows lie in {'one part' if lost == 1 else f'{lost:,} parts'} of the "
            "graph without any label and got none; label one of each, or link more rows with a larger "
            "--neighbors."
        )
    graph = classifier.graph_
    blocks = "one block" if graph.n_blocks == 1 else f"{graph.n_blocks} blocks"
    notes.append(f"The graph lay in {blocks}; the search found {graph.recall_:.1%} of the neighbours.")
    return {
        "table": str(source.path),
        "rows": len(assigned),
        "rows_left_out": 0,
        "features": list(source.features),
        "labels_given": int((source.given.codes >= 0).sum()),
        "classes": class_summary(source.given.names, source.given.codes, assigned),
        "components": classifier.graph_.n_components,
        "components_without_labels": lost,
        "unreachable_rows": int((~reachable).sum()),
        "sweeps": int(classifier.n_iter_),
        "status": classifier.result_.status.value,
        "holdout": None,
        "truth": None if compared is None else accuracy_summary(compared.accuracy),
        "doubtful": _doubtful(source, roles, classifier, reachable),
        "notes": notes,
        "seconds": {stage: round(value, 3) for stage, value in seconds.items()},
        "output": str(output),
        "files": [str(output)],
    }


def _compared(source: Source, assigned: IntArray) -> Comparison | None:
    if source.truth is None:
        return None
    return compare(assigned, source.given.codes, source.truth.codes, source.truth.names)


def _doubtful(source: Source, roles: Roles, classifier: Any, reachable: BoolArray) -> list[dict[str, Any]]:
    by_doubt = classifier.doubtful(int((~reachable).sum()) + MOST_DOUBTFUL)
    rows = by_doubt[reachable[by_doubt]][:MOST_DOUBTFUL]
    ids = None if roles.row_id is None else as_text(source.labels.column(roles.row_id))
    scores = classifier.label_distributions_[rows].compute()
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    names = source.given.names
    return [
        {
            "row": int(row) + 1,
            "id": None if ids is None else str(ids[row]),
            "given": bool(source.given.codes[row] >= 0),
            "label": names[first],
            "score": round(float(of_row[first]), 4),
            "second": names[second],
            "second_score": round(float(of_row[second]), 4),
        }
        for row, of_row, (first, second) in zip(rows, scores, ranked, strict=True)
    ]


def refuse_options(**options: Any) -> None:
    """Refuse options that need the whole table in one place."""
    used = [f"--{name}" for name, value in options.items() if value]
    if used:
        raise ValueError(
            f"{listed(used)} cannot be used with --cluster; prepare the features before, or leave it out."
        )
