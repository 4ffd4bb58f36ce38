"""A table read for a job: its labels, and the columns that rows are compared by.

Labels are read by `read_labels` and columns by `TableEncoder`, as in a fit of the data frame.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from graphwell._checks import one_of
from graphwell._types import FloatArray, IntArray
from graphwell.active import Suggestions
from graphwell.encoders.encode import check_encoder
from graphwell.encoders.report import Treatment, hint, left_out
from graphwell.encoders.table import TableEncoder
from graphwell.errors import OptionError, Sentence
from graphwell.estimators.inputs import encoded_frame
from graphwell.estimators.labels import Labels, NoKnownLabelError, read_labels
from graphwell.estimators.tuning.metrics import by_the_data
from graphwell.graph.canonical import equal_rows
from graphwell.io.cells import NEW_NAMES, Table, as_text
from graphwell.io.files import STANDARD, check_distinct, check_output, check_standard_output
from graphwell.io.tables import format_of, open_table
from graphwell.io.text import Reading
from graphwell.progress import Progress, silent

SCALES = ("auto", "none", "standard", "robust")
MOST_CLASSES = 1000
"""From here on, a column in which most classes have one label is taken for another column by mistake."""
PAGE_SUFFIXES = (".html", ".htm")


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How a table is read, whatever is done with it then."""

    table: Path
    label: str = "label"  # column of the given labels; empty if there is none yet
    features: tuple[str, ...] | None = None  # columns to compare rows by; by default all that say something
    drop: tuple[str, ...] = ()  # columns that are no features
    row_id: str | None = None  # column that names the rows
    truth: str | None = None  # column of the true labels, to compare the result with
    unknown: tuple[str, ...] = ()  # labels that mean unknown, besides empty ones, in place of ? and the like
    as_number: tuple[str, ...] = ()  # features whose kind is known
    as_category: tuple[str, ...] = ()
    scale: str = "auto"  # of numbers: left to the method, or one of `SCALES`
    n_neighbors: int = 10  # that each row is linked to
    n_jobs: int | None = None  # threads; all cores by default
    seed: int = 0  # of everything random
    delimiter: str | None = None  # of a text table, as are the next two; all are found by default
    encoding: str | None = None
    decimal: str | None = None
    encoder: str = "auto"  # of the files of a folder, or of columns of text: see `graphwell.encode`
    cache: Path | None = None  # folder that keeps the vectors of files
    labels: Path | None = None  # of a folder, the table of its labels: columns path and label
    labels_from_folders: bool = (
        False  # files are labelled by the subfolder they lie in; unknown/ has no label
    )
    max_memory: str | None = None  # larger files are refused, "4GB" say; what is free by default

    def __post_init__(self) -> None:
        if self.features is not None and not any(name.strip() for name in self.features):
            raise OptionError("features", "{field} names no column; name at least one, or leave it out.")
        if self.decimal not in (None, ".", ","):
            raise OptionError("decimal", "{field} must be a point or a comma, got {!r}.", self.decimal)
        one_of("scale", self.scale, SCALES)

    def for_table(self, table: Table) -> Self:
        """The same options with what the table settles."""
        return self

    def table_encoder(self, scale: Any = True) -> TableEncoder:
        """The encoder that these options ask for; `scale` is that of the method where none is asked for."""
        scale = {"auto": scale, "none": False}.get(self.scale, self.scale)
        return TableEncoder(
            self.features, (), self.as_number, self.as_category, self.decimal, scale,
            "auto" if is_folder(self.table) else self.encoder,
        )  # fmt: skip

    @property
    def leaves_columns_to_the_fit(self) -> bool:
        """Whether a fit of the data frame encodes its columns as these options ask for."""
        return self.table_encoder().get_params() == TableEncoder(standardise=True).get_params()


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """Labels of a column, and the names of its classes as they are written in the file."""

    labels: Labels
    names: tuple[str, ...]

    @property
    def codes(self) -> IntArray:
        """Class numbers, -1 where unknown."""
        return self.labels.codes


@dataclass(frozen=True, eq=False)
class TableRows:
    """A table read for a job."""

    table: Table
    options: Any  # with what the table settles
    given: LabelColumn
    truth: LabelColumn | None  # numbered like the given labels
    ids: Any  # names of the rows, None if they have none
    frame: Any  # the columns that have no other role
    roles: Mapping[str, Treatment]  # of the other columns
    notes: tuple[Sentence, ...]

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.given.names

    @property
    def labels(self) -> Labels:
        """The given labels; near copies are held out together."""
        return replace(self.given.labels, groups=self.table.groups)

    def name_of(self, row: int) -> dict[str, Any]:
        """Number of a row as users count, from 1 below the header, and its name if rows have names."""
        return {"row": row + 1, "id": None if self.ids is None else str(self.ids[row])}

    def to_label(self, found: Suggestions) -> list[dict[str, Any]]:
        """Suggestions as rows of the table, each with its reason."""
        reasons = zip(found, found.reasons, strict=True)
        return [{**self.name_of(row), "reason": reason} for row, reason in reasons]

    def encoded(self, scale: Any = by_the_data) -> tuple[TableEncoder, FloatArray]:
        """The encoder that the options ask for and its matrix, with a warning for each column to look at."""
        encoder, X = encoded_frame(self.frame, self.labels, self.options.table_encoder(scale))
        return encoder, np.ascontiguousarray(X)

    def columns(self, encoder: TableEncoder) -> tuple[Treatment, ...]:
        """The treatments of all columns, in the order of the table."""
        known = {**self.roles, **{treatment.name: treatment for treatment in encoder.treatments_}}
        shown = [known[name] for name in self.table.names]
        return (*shown, *encoder.treatments_) if self.table.vectors is not None else tuple(shown)


def is_folder(path: Path) -> bool:
    """Whether a path is a folder of photographs or texts, and no store of Zarr."""
    return path.is_dir() and path.suffix.lower() != ".zarr"


def open_rows(options: TableOptions, progress: Progress = silent, *, labelled: bool = True) -> TableRows:
    """Read a table; unless `labelled` is false, it must have labels of two classes."""
    if is_folder(options.table):
        from graphwell.jobs.folder import PATH, open_folder

        table = open_folder(options, progress)
        options = replace(options, row_id=options.row_id or PATH)
    else:
        for name in ("labels", "labels_from_folders"):
            if getattr(options, name):
                problem = "{field} is for a folder of files; {} is none."
                raise OptionError(name, problem, options.table)
        check_encoder(options.encoder, "texts")
        how = Reading(options.delimiter, options.encoding, options.decimal, progress)
        table = open_table(options.table, how)
    options = options.for_table(table)
    check_names(table, options)
    return read_rows(table, options, labelled=labelled)


def read_rows(table: Table, options: TableOptions, *, labelled: bool = True) -> TableRows:
    """Read the labels and names of an opened table, and sort out its columns."""
    import pandas

    given, truth = LabelColumn(Labels(np.full(table.n_rows, -1), np.empty(0, dtype=object)), ()), None
    if options.label:
        given = read_label_column(table, options.label, "label", options.unknown)
    if labelled:
        _check_labels(table, options, given)
    if options.truth is not None:
        truth = _numbered_like(read_label_column(table, options.truth, "truth", options.unknown), given)
    # Columns that are no features whatever they hold.
    roles = {name: left_out(name, "", "as asked") for name in options.drop}
    roles |= {name: left_out(name, "", "of an earlier run") for name in NEW_NAMES if name in table.names}
    if options.features is None and table.usual_features is not None:
        beside = [name for name in table.names if name not in table.usual_features]
        roles |= {name: left_out(name, "", "beside what rows are compared by") for name in beside}
    asked = {
        options.truth: ("truth", "the truth"),
        options.row_id: ("name", "names of the rows"),
        options.label: ("label", "the given labels"),
    }
    for asked_name, (kind, words) in asked.items():
        if asked_name is not None and asked_name in table.names:
            roles[asked_name] = Treatment(asked_name, kind, Sentence(words), used=False)
    # Columns one by one: pandas copies those that it picks from a frame.
    others = {name: table.frame[name] for name in table.names if name not in roles}
    frame = pandas.DataFrame(others, index=table.frame.index, copy=False)
    if table.vectors is not None:
        roles |= {name: left_out(name, "", "the files are compared") for name in frame}
        frame = table.vectors
    ids = None if options.row_id is None else as_text(table.column(options.row_id))
    old = [name for name in NEW_NAMES if name in table.names]
    replaced = Sentence("Columns of an earlier run were not used and are replaced: {}.", (", ".join(old),))
    notes = (*table.notes, *([replaced] if old else []))
    return TableRows(table, options, given, truth, ids, frame, roles, notes)


def copies(X: Any) -> tuple[IntArray, list[Sentence]]:
    """Groups of equal rows, and a note of them where there are any."""
    groups = equal_rows(X)
    n = len(groups) - len(np.unique(groups))
    note = "{:,} of the {:,} rows {} of another row; copies are held out together."
    how = "is a copy" if n == 1 else "are copies"
    return groups, [Sentence(note, (n, len(groups), how))] if n else []


def encoded_notes(encoder: TableEncoder, X: Any) -> list[Sentence]:
    """Notes on rows that a job encodes: copies, what the encoder did, the scale that rules chose."""
    notes, found = copies(X)[1], encoder.scaling_
    if callable(encoder.standardise) and found is not None:
        notes.append(Sentence("The features were scaled ({}), as {}.", (found.name, found.why)))
    return notes


# ------------------------------------------------------------------------------------------------- columns


def check_names(table: Table, options: TableOptions) -> tuple[str, ...]:
    """Check every name of a column that the options hold; returns those of labels, names and truth."""
    asked = {"label": options.label or None, "row_id": options.row_id, "truth": options.truth}
    named = [find_column(table, name, role) for role, name in asked.items() if name is not None]
    for name in options.drop:
        find_column(table, name, "drop")
    for role in ("features", "as_number", "as_category"):
        for name in getattr(options, role) or ():
            if find_column(table, name, role) in (*named, *options.drop):
                raise OptionError(role, "{field} {}: the column has another role already.", name)
    return tuple(named)


def find_column(table: Table, name: str, role: str) -> str:
    """Return the name of a column that must be there; one that is close to it is suggested."""
    if name in table.names:
        return name
    problem = "{field} {}: {} has no such column; {}"
    raise OptionError(role, problem, name, table.path, hint(name, table.names))


# -------------------------------------------------------------------------------------------------- labels


def read_label_column(table: Table, name: str, role: str, unknown: Sequence[str] = ()) -> LabelColumn:
    """Read a column of labels as `fit` reads them; markers of unknown ones are numbers where labels are."""
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
    numbers = kind in "iuf" and all(isinstance(_key(word), float) for word in unknown)
    as_words = kind == "M" or (bool(unknown) and not numbers)
    markers = [_key(word) if numbers else word for word in unknown]
    try:
        labels = read_labels(table.text(name) if as_words else column, n, markers or None)
    except NoKnownLabelError:
        return LabelColumn(Labels(np.full(n, -1, dtype=np.int32), np.empty(0, dtype=object)), ())
    names = [str(found) for found in labels.classes.tolist()]
    if labels.classes.dtype.kind in "biuf":  # as they stand in the file: 1, or 1.0
        of_class = np.unique(labels.codes, return_index=True)
        written = table.text(name)[of_class[1]]
        names = [str(text).strip() for code, text in zip(of_class[0], written, strict=True) if code >= 0]
    return LabelColumn(labels, tuple(names))


def _check_labels(table: Table, options: TableOptions, given: LabelColumn) -> None:
    """Refuse labels that teach nothing."""
    name, names, known = options.label, given.names, int((given.codes >= 0).sum())
    if known == 0:
        problem = (
            "{} has no known label in column {!r}; label at least one row of every class. "
            "graphwell suggest names the rows to begin with."
        )
        if is_folder(table.path) and options.labels is None:
            problem += " {labels_from_folders} takes the names of its folders for labels."
        raise OptionError("label", problem, table.path, name)
    if len(names) == 1:
        problem = "Column {!r} of {} names a single class, {!r}; label rows of at least two classes."
        if names[0] == "1" and "-1" in table.text(name).tolist():
            problem += ' There -1 means unknown; if it is a class, give {unknown=""}.'
        raise OptionError("label", problem, name, table.path, names[0])
    if len(names) > MOST_CLASSES and 2 * len(names) > known:
        problem = "Column {!r} of {} names {:,} classes on {:,} rows; is it the column of labels?"
        raise OptionError("label", problem, name, table.path, len(names), known)


def class_number(name: str, names: Sequence[str]) -> int | None:
    """Number of a class by its name, 1 and 1.0 being one; None if there is none of the name."""
    return next((code for code, other in enumerate(names) if _key(other) == _key(name)), None)


def _key(name: str) -> object:
    try:
        return float(name)
    except ValueError:
        return name


def _numbered_like(truth: LabelColumn, given: LabelColumn) -> LabelColumn:
    """The classes of a second column numbered like those of the first; further classes come after."""
    known = {_key(name): code for code, name in enumerate(given.names)}
    every = list(given.names)
    for name in truth.names:
        if _key(name) not in known:
            known[_key(name)] = len(every)
            every.append(name)
    new = np.array([known[_key(name)] for name in truth.names] + [-1], dtype=np.int32)
    return LabelColumn(Labels(new[truth.codes], np.array(every)), tuple(every))


# --------------------------------------------------------------------------------------- files and warnings


def check_table(table: Path) -> None:
    """Refuse what is not there, before its name is judged, and formats that are not read."""
    if not is_folder(table):
        if table != STANDARD and not table.is_symlink():  # links are followed when it is opened
            table.stat()
        format_of(table, "table")


def check_files(table: Path, *, output: Path | None = None, **others: Path | None) -> None:
    """Refuse a table that is none, and outputs that could not be written, by their fields."""
    check_table(table)
    if output == STANDARD:
        check_standard_output("output")
    elif output is not None:
        format_of(output, "output")
        check_output(output, "output")
    for name, path in others.items():
        if path is not None:
            check_output(path, name)
    check_distinct([("table", table), ("output", output), *others.items()])
    report = others.get("report")
    if report is not None and report.suffix.lower() not in PAGE_SUFFIXES:
        raise OptionError("report", "{field} {}: the name must end in .html or .htm.", report)


@contextmanager
def notes_from_warnings() -> Iterator[Callable[[], list[Sentence]]]:
    """Collect the warnings of the library, each once; what is yielded returns those so far as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def notes() -> list[Sentence]:
            once = {str(warning.message): warning.message for warning in caught}
            named = [(text, getattr(message, "sentence", None)) for text, message in once.items()]
            return [s if isinstance(s, Sentence) else Sentence("{}", (text,)) for text, s in named]

        yield notes
