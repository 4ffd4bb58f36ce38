"""A table read for a job: its labels, the roles of its columns, and its rows ready to be compared.

Everything goes through what `fit` of a data frame goes through: `read_labels` and `TableEncoder`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._rows import by_columns, equal_rows, narrow
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.encoders.report import Treatment, column_note, hint, left_out
from graphwell.encoders.table import Scaling, TableEncoder, refuse_extreme
from graphwell.errors import OptionError, Sentence
from graphwell.estimators.labels import NoKnownLabelError, read_labels, with_classes
from graphwell.estimators.tuning.metrics import by_the_data
from graphwell.io.cells import NEW_NAMES, Table, as_text, text_column
from graphwell.jobs.options import TableOptions

MOST_CLASSES = 1000
DECIDES_ALONE = 0.99
"""Share of the variance from which on a note says that one feature decides the distances."""


@dataclass(frozen=True)
class LabelColumn:
    """Labels as class numbers, -1 where unknown, and the classes as they are written in the file."""

    names: tuple[str, ...]
    codes: IntArray = field(repr=False)
    notes: tuple[Sentence, ...] = ()

    def narrow(self) -> "LabelColumn":
        """The same labels with numbers of as few bytes as their names need."""
        return replace(self, codes=narrow(self.codes, len(self.names) + 1))


@dataclass(frozen=True, eq=False)
class TableFacts:
    """Labels, truth and names of all rows of a table.

    Attributes
    ----------
    path : Path
    features : tuple of str
        Columns that rows are compared by.
    treatments : tuple of Treatment
        What became of each column.
    given : LabelColumn
        The given labels.
    truth : LabelColumn, optional
        The true ones, numbered like the given labels.
    ids : array of text, optional
        Names of the rows.
    notes : tuple of Sentence
        What the user should know.
    """

    path: Path
    features: tuple[str, ...]
    treatments: tuple[Treatment, ...] = field(repr=False)
    given: LabelColumn
    truth: LabelColumn | None
    ids: Any = field(repr=False)
    notes: tuple[Sentence, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.given.codes)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.given.names


@dataclass(frozen=True, eq=False)
class ReadyRows:
    """Rows ready for a graph.

    Attributes
    ----------
    X : array
        The rows that are left.
    kept : array of bool
        Which rows those are.
    groups : array of int
        Equal numbers where the rows that are left are copies of each other.
    notes : tuple of Sentence
        What the user should know, but for the scale.
    scaled : Scaling, optional
        The scale of the rows, and why; None where they have their own.
    scale_notes : tuple of Sentence
        The same in a sentence, for those who do not say how rows are compared.
    """

    X: FloatArray = field(repr=False)
    kept: BoolArray = field(repr=False)
    groups: IntArray = field(repr=False)
    notes: tuple[Sentence, ...] = ()
    scaled: Scaling | None = None
    scale_notes: tuple[Sentence, ...] = ()


def read_rows(table: Table, options: TableOptions, *, tunes: bool = False) -> tuple[TableFacts, ReadyRows]:
    """Labels and rows of a table that has some labels; `tunes` says that the method scales numbers itself."""
    named_columns(table, options)
    given = read_given(table, options)
    features, ready = ready_rows(table, options, given, tunes=tunes)
    return table_facts(table, options, given, features, table.names), ready


def labels_left(facts: TableFacts, ready: ReadyRows) -> IntArray:
    """Given labels of the rows that are left; every class that had one must still have one."""
    y = facts.given.codes[ready.kept]
    lost = [facts.classes[code] for code in np.setdiff1d(facts.given.codes, np.append(y, -1))]
    if lost:
        problem = 'The class {!r} has labels on rows with missing features alone; use {missing="mean"}.'
        raise OptionError("missing", problem, lost[0])
    return y


# ------------------------------------------------------------------------------------------------- columns


def named_columns(table: Table, options: TableOptions) -> tuple[str, ...]:
    """The columns of labels, names and truth; every name that the options hold is checked."""
    asked = {"label": options.label or None, "row_id": options.row_id, "truth": options.truth}
    named = [find_column(table, name, field) for field, name in asked.items() if name is not None]
    for name in options.drop:
        find_column(table, name, "drop")
    for field_ in ("features", "as_number", "as_category"):
        for name in getattr(options, field_) or ():
            if find_column(table, name, field_) in (*named, *options.drop):
                raise OptionError(field_, "{field} {}: the column has another role already.", name)
    return tuple(named)


def find_column(table: Table, name: str, field: str) -> str:
    """Return the name of a column that must be there; one that is close to it is suggested."""
    if name in table.names:
        return name
    problem = "{field} {}: {} has no such column; {}"
    raise OptionError(field, problem, name, table.path, hint(name, table.names))


@dataclass(frozen=True)
class FeatureColumns:
    """The columns that rows are compared by, what they were made into, and what became of all columns."""

    names: tuple[str, ...]
    outputs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    treatments: tuple[Treatment, ...] = ()


def look_at_columns(table: Table, options: TableOptions, given: LabelColumn | None) -> FeatureColumns:
    """Say what becomes of each column, without making a matrix of them."""
    return _encoded(table, options, given, np.ones(table.n_rows, bool), "keep", matrix=False)[0]


def ready_rows(
    table: Table, options: TableOptions, given: LabelColumn | None, *, tunes: bool = False
) -> tuple[FeatureColumns, ReadyRows]:
    """Turn the columns into numbers, in the scale that is asked for.

    Left to itself, a method that tunes scales a table of numbers alone; other methods leave it to the rules.
    """
    kept, notes = np.ones(table.n_rows, dtype=bool), []
    if options.missing == "drop":
        X = _encoded(table, replace(options, scale="none", pca=None), given, kept, "keep")[2]
        kept = ~by_rows_with_gaps(X)
        left_out_ = "{:,} rows were left out, since a feature is missing there."
        notes += [] if kept.all() else [Sentence(left_out_, (int((~kept).sum()),))]
    if kept.sum() < 2:
        raise ValueError(f"At least two rows with features are needed to compare, got {kept.sum()}.")
    missing = "fill" if options.missing == "drop" else options.missing
    found, encoder, X = _encoded(table, options, given, kept, missing, tunes=tunes)
    groups = equal_rows([X])
    n_copies = len(X) - len(np.unique(groups))
    if n_copies:
        copies = "{:,} of the {:,} rows {} of another row; copies are held out together."
        notes.append(Sentence(copies, (n_copies, len(X), "is a copy" if n_copies == 1 else "are copies")))
    refuse_extreme(X, encoder.get_feature_names_out())
    scaled, scale_notes = encoder.scaling_, []
    if options.scale == "none":
        scale_notes = _uneven(X, encoder.get_feature_names_out())
    elif options.scale == "auto" and scaled is not None:
        scale_notes = [Sentence("The features were scaled ({}), as {}.", (scaled.name, scaled.why))]
    told = (*notes, *encoder.notes_)
    return found, ReadyRows(np.ascontiguousarray(X), kept, groups, told, scaled, tuple(scale_notes))


def by_rows_with_gaps(X: FloatArray) -> BoolArray:
    """Where a row has a missing value."""
    return np.asarray(np.isnan(X).any(axis=1))


def _encoded(
    table: Table,
    options: TableOptions,
    given: LabelColumn | None,
    kept: BoolArray,
    missing: str,
    *,
    tunes: bool = False,
    matrix: bool = True,
) -> tuple[FeatureColumns, TableEncoder, FloatArray]:
    """The encoder of the columns that have no other role, and its matrix of the rows that are kept."""
    roled = _treatments_of_roles(table, options)
    labels = None if given is None else text_column([*given.names, ""])[given.codes]
    scale: Any = {"auto": tunes or by_the_data, "none": False}.get(options.scale, options.scale)
    encoder = TableEncoder(
        options.features, options.drop, options.as_number, options.as_category, options.decimal,
        missing, scale, options.pca,
    )  # fmt: skip
    frame, every = table.frame, kept.all()
    columns = {n: frame[n] if every else frame[n][kept] for n in table.names if n not in roled}
    labels = labels if labels is None or every else labels[kept]
    try:
        X = encoder.fit_transform(columns, labels) if matrix else encoder.look_at(columns, labels)
    except OptionError as error:
        raise OptionError(
            error.field, f"{{}}: {error.sentence.template}", table.path, *error.sentence.values
        ) from None
    roled |= {treatment.name: treatment for treatment in encoder.treatments_}
    treatments = tuple(roled[name] for name in table.names)
    names = tuple(encoder.encoders_)
    return FeatureColumns(names, encoder.outputs_, encoder.kinds_, treatments), encoder, X


def _treatments_of_roles(table: Table, options: TableOptions) -> dict[str, Treatment]:
    """Columns that are no features whatever they hold."""
    treatments = {name: left_out(name, "", "of an earlier run") for name in NEW_NAMES if name in table.names}
    if options.features is None and table.usual_features is not None:
        beside = [name for name in table.names if name not in table.usual_features]
        treatments |= {name: left_out(name, "", "beside what rows are compared by") for name in beside}
    asked = {
        options.truth: ("truth", "the truth"),
        options.row_id: ("name", "names of the rows"),
        options.label: ("label", "the given labels"),
    }
    for name, (kind, words) in asked.items():
        if name is not None and name in table.names:
            treatments[name] = Treatment(name, kind, Sentence(words), used=False)
    return treatments


def _uneven(X: FloatArray, names: Sequence[str]) -> list[Sentence]:
    variance = by_columns(lambda columns: columns.var(axis=0), X)
    widest = int(variance.argmax())
    share = variance[widest] / (variance.sum() or 1.0)
    if len(names) < 2 or not share > DECIDES_ALONE:
        return []
    note = (
        "The feature {!r} holds {:.1f} % of the variance and decides the distances nearly alone; "
        '{scale="standard"} evens the features out.'
    )
    return [Sentence(note, (str(names[widest]), 100 * share))]


# -------------------------------------------------------------------------------------------------- labels


def read_given(table: Table, options: TableOptions) -> LabelColumn:
    """Read the given labels, of the named classes too; those that teach nothing are refused."""
    name = options.label
    given = read_label_column(table, name, "label", options.unknown, options.classes)
    known, n_classes = int((given.codes >= 0).sum()), len(given.names)
    if known == 0:
        problem = "{} has no known label in column {!r}; label at least one row of every class."
        raise OptionError("label", problem, table.path, name)
    if n_classes == 1:
        problem = "Column {!r} of {} names a single class, {!r}; label rows of at least two classes."
        if given.names[0] == "1" and "-1" in table.text(name).tolist():
            problem += ' There -1 means unknown; if it is a class, give {unknown=""}.'
        raise OptionError("label", problem, name, table.path, given.names[0])
    if n_classes > MOST_CLASSES and 2 * n_classes > known:
        problem = "Column {!r} of {} names {:,} classes on {:,} rows; is it the column of labels?"
        raise OptionError("label", problem, name, table.path, n_classes, known)
    return given


def read_label_column(
    table: Table, name: str, role: str, unknown: Sequence[str] = (), classes: Sequence[str] = ()
) -> LabelColumn:
    """Read a column of labels as `fit` reads them; markers that a user writes are compared as text."""
    column, n = table.frame[name], table.n_rows
    kind = getattr(column.dtype, "kind", "O")
    if kind == "f":
        values = column.to_numpy(float, na_value=np.nan)
        fractions = np.unique(values[np.isfinite(values) & (values != np.rint(values))])
        if len(fractions):
            problem = (
                "Column {!r} of {} holds {:,} different fractions, such as {:g}; classes are names or whole "
                "numbers, so cut them into classes first, or name the column of labels with {field}."
            )
            raise OptionError(role, problem, name, table.path, len(fractions), float(fractions[0]))
    as_words = bool(unknown) or kind == "M"
    try:
        labels = read_labels(table.text(name) if as_words else column, n, list(unknown) or None)
    except NoKnownLabelError:
        return LabelColumn((), np.full(n, -1, dtype=np.int32))
    names = [str(found) for found in labels.classes.tolist()]
    if labels.classes.dtype.kind in "biuf":  # as they stand in the file: 1, or 1.0
        of_class = np.unique(labels.codes, return_index=True)
        written = table.text(name)[of_class[1]]
        names = [str(text).strip() for code, text in zip(of_class[0], written, strict=True) if code >= 0]
    further = [new for new in dict.fromkeys(map(str.strip, classes)) if class_number(new, names) is None]
    if not further:
        return LabelColumn(tuple(names), labels.codes)
    every = replace(labels, classes=np.array(names))
    if labels.classes.dtype.kind in "iuf" and all(isinstance(_key(new), float) for new in further):
        every = with_classes(labels, [float(new) for new in further])
        spelled = {_key(new): new for new in (*names, *further)}
        ordered = [spelled[float(value)] for value in every.classes.tolist()]
    else:
        order = np.argsort(names)
        every = replace(labels, classes=np.array(names)[order], codes=_moved(labels.codes, order))
        every = with_classes(every, further)
        ordered = every.classes.tolist()
    note = "No row has the label {} yet; rows get it only if {class_prior} gives its size."
    return LabelColumn(tuple(ordered), every.codes, (Sentence(note, (", ".join(further),)),))


def _moved(codes: IntArray, order: IntArray) -> IntArray:
    """Class numbers after the classes were put in another order."""
    return np.append(np.argsort(order), -1).astype(np.int32)[codes]


def class_number(name: str, names: Sequence[str]) -> int | None:
    """Number of a class by its name, 1 and 1.0 being one; None if there is none of the name."""
    return next((code for code, other in enumerate(names) if _key(other) == _key(name)), None)


def _key(name: str) -> object:
    try:
        return float(name)
    except ValueError:
        return name


def table_facts(
    table: Table, options: TableOptions, given: LabelColumn, features: FeatureColumns, names: tuple[str, ...]
) -> TableFacts:
    """Put together what is known of a table with these columns in its file."""
    truth = None
    if options.truth is not None:
        truth = _numbered_like(read_label_column(table, options.truth, "truth", options.unknown), given.names)
    ids = None if options.row_id is None else as_text(table.column(options.row_id))
    old = [name for name in NEW_NAMES if name in names]
    replaced = "Columns of an earlier run were not used and are replaced: {}."
    notes = (
        *(column_note(treatment) for treatment in features.treatments if treatment.warns),
        *given.notes,
        *([] if truth is None else _other_names(given, truth)),
        *([Sentence(replaced, (", ".join(old),))] if old else []),
    )
    return TableFacts(table.path, features.names, features.treatments, given, truth, ids, notes)


def _numbered_like(truth: LabelColumn, names: Sequence[str]) -> LabelColumn:
    """The classes of a second column numbered like those of the first; further classes come after."""
    known = {_key(name): code for code, name in enumerate(names)}
    every = list(names)
    for name in truth.names:
        if _key(name) not in known:
            known[_key(name)] = len(every)
            every.append(name)
    new = np.array([known[_key(name)] for name in truth.names] + [-1], dtype=np.int32)
    return LabelColumn(tuple(every), new[truth.codes], truth.notes)


def _other_names(given: LabelColumn, truth: LabelColumn) -> list[Sentence]:
    """A hint where the truth never says what a given label says: it may be written in other names."""
    both = (given.codes >= 0) & (truth.codes >= 0)
    shared = set(truth.codes[truth.codes >= 0].tolist()) & set(range(len(given.names)))
    if (truth.codes < 0).all() or (given.codes[both] == truth.codes[both]).any():
        return []
    if not both.any() and shared:
        return []
    first = truth.names[int(truth.codes[truth.codes >= 0][0])]
    note = "{truth} never agrees with a given label: it says {!r} and labels say {!r}; are its names others?"
    return [Sentence(note, (first, given.names[0]))]
