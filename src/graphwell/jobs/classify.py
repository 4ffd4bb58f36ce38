"""The whole job on one table: columns chosen, features prepared, every row labelled, the result checked."""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._random import stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell._warnings import UnreachableWarning
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.io.tables.base import NEW_COLUMNS, Answers, Table, text_column
from graphwell.jobs.columns import (
    Classes,
    Features,
    check_given,
    choose_features,
    find_column,
    listed,
    match_classes,
    read_classes,
)
from graphwell.jobs.preprocess import Preparation, prepare
from graphwell.jobs.score import Accuracy, Comparison, compare, hide
from graphwell.progress import Progress, silent


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are for.

    Attributes
    ----------
    label : str
        Column of the given labels.
    features : tuple of str, optional
        Columns to compare rows by; all numeric ones without another role by default.
    drop : tuple of str
        Columns that are no features.
    row_id : str, optional
        Column that names the rows.
    truth : str, optional
        Column of the true labels, to compare the result with.
    unknown : tuple of str
        Cells of `label` and `truth` that mean unknown, besides empty ones and NA.
    decimal : str
        The decimal point of the features.
    """

    label: str
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    row_id: str | None = None
    truth: str | None = None
    unknown: tuple[str, ...] = ()
    decimal: str = "."


@dataclass(frozen=True)
class Labelled:
    """A table whose rows have labels, and how they came about.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes.
    given, assigned : arrays of shape (n_rows,)
        Class given and class found for each row, as an index into `classes`; -1 for none.
    score : array of shape (n_rows,)
        Score of the class found; NaN for none.
    reachable, kept : arrays of shape (n_rows,)
        Whether a label reached the row; whether its features were complete enough to take part.
    points : array
        Prepared features of the kept rows.
    classifier : DiffuseInterfaceClassifier
        Fitted on the kept rows.
    holdout : Accuracy, optional
        On given labels that were hidden.
    comparison : Comparison, optional
        With the truth.
    notes : tuple of str
        What the user should know.
    """

    table: Table
    roles: Roles
    features: tuple[str, ...]
    classes: tuple[str, ...]
    given: IntArray = field(repr=False)
    assigned: IntArray = field(repr=False)
    score: FloatArray = field(repr=False)
    reachable: BoolArray = field(repr=False)
    kept: BoolArray = field(repr=False)
    points: FloatArray = field(repr=False)
    classifier: DiffuseInterfaceClassifier = field(repr=False)
    holdout: Accuracy | None
    comparison: Comparison | None
    notes: tuple[str, ...]
    seconds: Mapping[str, float]

    def answers(self) -> Answers:
        """Return what is added to each row of the table."""
        names = text_column([*self.classes, ""])
        return Answers(self.roles.label, names[self.assigned], self.score, self.reachable, self.given >= 0)


def label_table(
    table: Table,
    roles: Roles,
    preparation: Preparation,
    classifier: DiffuseInterfaceClassifier,
    *,
    seed: int = 0,
    holdout: float | None = None,
    checkpoint: Path | None = None,
    progress: Progress = silent,
) -> Labelled:
    """Label every row of a table.

    Parameters
    ----------
    table : Table
    roles : Roles
    preparation : Preparation
    classifier : DiffuseInterfaceClassifier
        It is fitted here.
    seed : int
        Of the projection, the hidden labels and the classifier.
    holdout : float, optional
        Share of the given labels that is hidden in a first run, to measure the accuracy on them.
    checkpoint : Path, optional
        File for the descent to save itself in.
    progress : callable
        Told the stage and the share of it that is done.
    """
    given, truth, features = _read(table, roles)
    classifier.set_params(random_state=seed)
    ready = prepare(features.X, features.names, preparation, seed)
    y = given.codes[ready.kept]
    if len(np.unique(y[y >= 0])) < len(given.names):
        lost = given.names[next(c for c in range(len(given.names)) if c not in y)]
        raise ValueError(
            f"The class {lost!r} has labels on rows with missing features alone; use --missing mean."
        )
    X: Any = ready.X
    held, neighbours, seconds = None, 0.0, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableWarning)  # said below in the words of a table
        if holdout is not None:
            began = time.perf_counter()
            held, trial = _hold_out(classifier, X, y, holdout, seed, progress)
            X, neighbours = trial.graph_, trial.timings_["graph"]
            seconds["holdout"] = time.perf_counter() - began - neighbours
        classifier.fit(X, y, checkpoint=checkpoint, progress=progress)
    stages = dict(classifier.timings_)
    seconds = {"neighbours": neighbours + stages.pop("graph"), **seconds, **stages}
    assigned, score, reachable = _spread(classifier, ready.kept)
    return Labelled(
        table=table,
        roles=roles,
        features=features.names,
        classes=given.names,
        given=given.codes,
        assigned=assigned,
        score=score,
        reachable=reachable,
        kept=ready.kept,
        points=ready.X,
        classifier=classifier,
        holdout=held,
        comparison=None if truth is None else compare(assigned, given.codes, truth.codes, truth.names),
        notes=(
            *features.notes,
            *given.notes,
            *ready.notes,
            *_replaced(table),
            *_unreached(classifier, ready.kept),
        ),
        seconds=seconds,
    )


def _read(table: Table, roles: Roles) -> tuple[Classes, Classes | None, Features]:
    """Labels, truth and features of a table, every name checked."""
    taken = [find_column(table, roles.label, "--label")]
    for name, option in ((roles.row_id, "--id"), (roles.truth, "--truth")):
        if name is not None:
            taken.append(find_column(table, name, option))
    taken += [find_column(table, name, "--drop") for name in roles.drop]
    for name in roles.features or ():
        if name in taken:
            raise ValueError(f"--features {name}: the column has another role already.")
    given = read_classes(table, roles.label, roles.unknown)
    check_given(table, roles.label, given)
    truth = None
    if roles.truth is not None:
        truth = match_classes(read_classes(table, roles.truth, roles.unknown), given.names)
    return given, truth, choose_features(table, roles.features, taken, roles.decimal)


def _hold_out(
    classifier: DiffuseInterfaceClassifier, X: Any, y: IntArray, share: float, seed: int, progress: Progress
) -> tuple[Accuracy, DiffuseInterfaceClassifier]:
    """Accuracy on hidden labels, and the classifier that knew the others."""
    from sklearn.base import clone

    hidden = hide(y, share, stream(seed, "holdout"))
    trial = clone(classifier).fit(
        X, np.where(hidden, -1, y), progress=lambda stage, done: progress(f"{stage} (holdout)", done)
    )
    right = (trial.transduction_ == y) & trial.reachable_
    return Accuracy(int(right[hidden].sum()), int(hidden.sum())), trial


def _spread(
    classifier: DiffuseInterfaceClassifier, kept: BoolArray
) -> tuple[IntArray, FloatArray, BoolArray]:
    """Class, score and reachability of every row; rows that were left out or not reached have none."""
    n = len(kept)
    assigned, score, reachable = np.full(n, -1), np.full(n, np.nan), np.zeros(n, dtype=bool)
    reachable[kept] = classifier.reachable_
    assigned[reachable] = classifier.transduction_[classifier.reachable_]
    score[reachable] = classifier.label_distributions_.max(axis=1)[classifier.reachable_]
    return assigned, score, reachable


def _replaced(table: Table) -> list[str]:
    old = [name for name in NEW_COLUMNS if name in table.names]
    return [f"Columns of an earlier run were not used and are replaced: {', '.join(old)}."] if old else []


def _unreached(classifier: DiffuseInterfaceClassifier, kept: BoolArray) -> list[str]:
    lost = np.flatnonzero(~classifier.reachable_)
    if len(lost) == 0:
        return []
    firsts = lost[np.unique(classifier.graph_.components[lost], return_index=True)[1]]
    rows = sorted(np.flatnonzero(kept)[firsts] + 1)
    where = "one part" if len(rows) == 1 else f"{len(rows):,} parts"
    return [
        f"{len(lost):,} rows lie in {where} of the graph without any label and got none; label one of each "
        f"(row {listed([str(row) for row in rows])}), or link more rows with a larger --neighbors."
    ]
