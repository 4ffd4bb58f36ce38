"""Reports of jobs: values that every face shows, as sentences, tables and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.encoders.report import Treatment, grouped, listed
from graphwell.errors import OptionError, Sentence, Words, counted, in_python

Z_95 = 1.959964
LOOK_AT_FIRST = 5
FROM_ONE = " (row 1 is the first below the header)"
LIKELY_WRONG = 0.1
"""Out-of-fold probability below which a given label is said to look wrong. With a tenth of the labels
flipped in two sets of digits, MNIST and six tables, 84 to 100 % of those below it were flipped (one table had
none), and on digits 95 to 99 % of the flipped lay below it; at 0.2 the lowest share was 62 %."""
ISSUES_SHOWN = 30


@dataclass(frozen=True)
class Grid:
    """A table in a report; titles of columns of numbers begin with >."""

    title: str
    titles: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Report:
    """Base of the reports, which are frozen dataclasses; their fields are the keys of JSON."""

    notes: tuple[Sentence, ...]

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        found: dict[str, Any] = as_json(self, words)
        return found

    def sentences(self, words: Words = in_python) -> list[str]:
        """The results in sentences, the most important first."""
        raise NotImplementedError

    def grids(self, words: Words = in_python) -> list[Grid]:
        """The results in tables."""
        return []

    def more(self, words: Words = in_python) -> list[str | Grid]:
        """How it was found: shown where somebody asks."""
        return []


def written(files: Sequence[Path]) -> list[str]:
    """A sentence that names the files, if there are any."""
    return [f"Written: {', '.join(map(str, files))}"] if files else []


def as_json(value: Any, words: Words = in_python) -> Any:
    """A value of a report in types of JSON, without what is not printed of it."""
    if isinstance(value, Treatment):
        return value.to_json(words)
    if isinstance(value, Sentence):
        return value.worded(words)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):  # seconds of the stages
        return {name: round(each, 3) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(each, words) for each in value]
    if is_dataclass(value):
        shown = (known.name for known in fields(value) if known.repr)
        return {name: as_json(getattr(value, name), words) for name in shown}
    return value


# ------------------------------------------------------------------------------------------------ accuracy


@dataclass(frozen=True)
class Found:
    """Of a class, the held-out labels that were found, of so many."""

    right: int
    of: int


@dataclass(frozen=True)
class Estimate:
    """The accuracy that a fit estimates by cross-validation, and for each class the held-out labels found."""

    accuracy: float
    interval_90: tuple[float, float]
    by_class: tuple[Found, ...]


@dataclass(frozen=True)
class Comparison:
    """Labels against the truth, on the rows whose label was not given."""

    accuracy: float
    right: int
    of: int
    interval_95: tuple[float, float]
    names: tuple[str, ...] = field(repr=False)  # all classes, those of the labels first
    confusion: IntArray = field(repr=False)  # by true and by assigned class; the last column: no label


def compare_with_truth(
    assigned: IntArray, given: IntArray, truth: IntArray, names: tuple[str, ...]
) -> Comparison:
    """Compare where the truth is known and the label was not given; -1 stands for none.

    Examples
    --------
    >>> assigned, given, truth = np.array([0, 1, -1]), np.array([0, -1, -1]), np.array([0, 1, 0])
    >>> found = compare_with_truth(assigned, given, truth, ("a", "b"))
    >>> found
    Comparison(accuracy=0.5, right=1, of=2, interval_95=(0.0945, 0.9055))
    >>> found.confusion
    array([[0, 0, 1],
           [0, 1, 0]])
    """
    asked = (truth >= 0) & (given < 0)
    if not asked.any():
        problem = "{field} says nothing on any row without a given label; there is nothing to compare."
        raise OptionError("truth", problem)
    k = len(names)
    found = np.where(assigned < 0, k, assigned)[asked]
    confusion = np.bincount(truth[asked] * (k + 1) + found, minlength=k * (k + 1)).reshape(k, k + 1)
    right, n, z = int(np.trace(confusion)), int(asked.sum()), Z_95
    p = right / n
    centre, scale = p + z * z / (2 * n), 1 + z * z / n  # Wilson's interval
    half = z * float(np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)))
    interval = max(0.0, round((centre - half) / scale, 4)), min(1.0, round((centre + half) / scale, 4))
    return Comparison(p, right, n, interval, names, confusion)


# ---------------------------------------------------------------------------------------------- classified


@dataclass(frozen=True)
class ClassCount:
    """How many rows, or pixels, have a class: given and assigned."""

    name: str
    given: int
    assigned: int


@dataclass(frozen=True)
class RowToLabel:
    """A row worth a label, and why; rows are numbered from 1, the first below the header."""

    row: int
    id: str | None
    reason: str


@dataclass(frozen=True)
class DoubtfulRow:
    """A row to look at: the two classes it lies between."""

    row: int
    id: str | None
    given: bool
    label: str
    score: float
    second: str
    second_score: float


@dataclass(frozen=True)
class LabelIssue:
    """A given label that looks wrong: out-of-fold probabilities of it and of the class that is suggested."""

    row: int
    id: str | None
    label: str
    probability: float
    suggested: str
    suggested_probability: float


@dataclass(frozen=True, eq=False)
class RowDetails:
    """Details of single rows: of all, or of some where no process holds them all."""

    given: IntArray  # class given and class found, as an index into the classes; -1 for none
    assigned: IntArray
    score: FloatArray  # of the class found; NaN for none
    reachable: BoolArray  # whether a label reached the row
    bridged: BoolArray  # whether only over a bridge between components of the graph
    ids: Any = None  # names of the rows
    files: Any = None  # of a folder, one for each row
    points: FloatArray | None = None  # features as they were compared, where a page is drawn
    graph: Any = None


@dataclass(frozen=True, kw_only=True)
class ClassifyReport(Report):
    """A labelled table."""

    table: Path
    rows: int
    rows_labelled: int  # those without a given label that got one
    features: tuple[str, ...]  # columns that rows were compared by
    columns: tuple[Treatment, ...]
    labels_given: int
    classes: tuple[ClassCount, ...]
    components: int
    components_without_labels: int
    unreachable_rows: int
    bridged_rows: int
    calibrated: bool  # whether the scores were calibrated on held-out labels
    sweeps: int
    status: str  # how the run ended, in a sentence
    compared_by: str | None  # how rows were compared, where the method or a rule chose it
    estimate: Estimate | None  # of the fit
    truth: Comparison | None
    doubtful: tuple[DoubtfulRow, ...]
    to_label: tuple[RowToLabel, ...]
    label_issues: tuple[LabelIssue, ...] | None  # worst first; None where labels were not checked
    notes: tuple[Sentence, ...]
    seconds: Mapping[str, float]
    output: Path | None
    files: tuple[Path, ...]
    details: RowDetails | None = field(default=None, repr=False)  # None where rows lie on a cluster

    def sentences(self, words: Words = in_python) -> list[str]:
        """How many rows were labelled, how well, where they are written, and which to look at first."""
        lost = self.rows - sum(each.assigned for each in self.classes)
        found = f"{counted(self.rows_labelled, 'row')} labelled from {counted(self.labels_given, 'label')}."
        if self.labels_given == self.rows:
            found = f"Every one of the {self.rows:,} rows has a label already."
        found += f" {counted(lost, 'row')} got none." if lost else ""
        lead = [f"{found} {self._accuracy(words)}"]
        if self.truth is not None:
            right, of = self.truth.right, self.truth.of
            agree = f"{100 * right / of:.2f} % of the {of:,} rows without a given label agree with the truth"
            lead.append(f"{agree} ({of - right:,} do not)." if right < of else f"{agree}.")
        lead.append(f"Classes: {listed([f'{each.name} ({each.assigned:,})' for each in self.classes])}.")
        lead += written(self.files)
        if self.label_issues is not None:
            wrong = counted(len(self.label_issues), "given label looks", "given labels look")
            least = f"{100 * LIKELY_WRONG:.0f} %"
            lead.append(f"{wrong} wrong: the rest of the data gives it a probability below {least}.")
        first = ", ".join(_row(each) for each in self.doubtful[:LOOK_AT_FIRST])
        lead += [f"Rows to look at first, as they are the least certain: {first}."] if first else []
        return [*lead, *([] if self.compared_by is None else [f"Compared by: {self.compared_by}."])]

    def _accuracy(self, words: Words) -> str:
        """How good the labels are, by labels that were held out."""
        if self.estimate is not None:
            low, high = (round(100 * each) for each in self.estimate.interval_90)
            share = f"{100 * self.estimate.accuracy:.1f} % (90 % confidence: {low} to {high} %)"
            of = counted(sum(each.of for each in self.estimate.by_class), "label")
            return f"Estimated accuracy: {share}, by cross-validation on {of}."
        if self.labels_given == self.rows:
            return f"{words('check_labels', '').strip()} lists those that look wrong."
        return (
            "Their accuracy was not estimated; the default method does that from two labels of each class "
            "on, and graphwell compare for every method."
        )

    def grids(self, words: Words = in_python) -> list[Grid]:
        """The given labels that look wrong and the rows to label next, where they were asked for."""
        issues = [
            (_row(each), each.label, f"{each.probability:.3f}", each.suggested)
            for each in (self.label_issues or ())[:ISSUES_SHOWN]
        ]
        titles = (">row", "given", ">score", "suggested")
        found = [Grid(f"Given labels that look wrong, worst first{FROM_ONE}", titles, issues)]
        return [*(found if issues else []), *([to_label_grid(self.to_label)] if self.to_label else [])]

    def more(self, words: Words = in_python) -> list[str | Grid]:
        """Columns, classes, the most uncertain rows, and how the run went."""
        counts = [
            counted(self.rows, "row"),
            f"{counted(self.labels_given, 'label')} given",
            counted(len(self.classes), "class", "classes"),
            f"{self.components_without_labels:,} of {self.components:,} components without a label",
            *([f"{counted(self.bridged_rows, 'row')} bridged"] if self.bridged_rows else []),
        ]
        found: list[str | Grid] = [f"{', '.join(counts)}."]
        found.append(f"{self.sweeps:,} sweeps. {self.status}" if self.sweeps else self.status)
        found += ["The scores are calibrated on held-out labels."] if self.calibrated else []
        return [*found, columns_grid(self.columns, words), self.sizes(), *self.uncertain()]

    def sizes(self) -> Grid:
        """Sizes of the classes, and how many held-out labels of each were found."""
        titles = ["class", ">given", ">assigned"]
        lines = [[each.name, f"{each.given:,}", f"{each.assigned:,}"] for each in self.classes]
        if self.estimate is not None:
            titles.append(">correct when held out")
            for line, found in zip(lines, self.estimate.by_class, strict=True):
                line.append(f"{found.right:,} of {found.of:,}" if found.of else "")
        return Grid("Classes", tuple(titles), [tuple(line) for line in lines])

    def uncertain(self) -> list[Grid]:
        """The most uncertain rows, if any were labelled."""
        titles = (">row", "label", ">score", "second choice", ">score", "given")
        lines = [
            (
                _row(each), each.label, f"{each.score:.3f}", each.second, f"{each.second_score:.3f}",
                "yes" if each.given else "",
            )
            for each in self.doubtful
        ]  # fmt: skip
        return [Grid(f"The most uncertain rows{FROM_ONE}", titles, lines)] if lines else []


def columns_grid(columns: Sequence[Treatment], words: Words = in_python) -> Grid:
    """The columns and how each is used; those used alike share a line."""
    groups = grouped(columns, words).items()
    lines = [(listed(names), kind, became) for (kind, became), names in groups]
    return Grid("Columns", ("column", "holds", "became"), lines)


def to_label_grid(rows: Sequence[RowToLabel]) -> Grid:
    """The rows that are worth a label."""
    lines = [(_row(each), each.reason) for each in rows]
    return Grid(f"The rows to label next, best first{FROM_ONE}", (">row", "why"), lines)


def _row(of: RowToLabel | DoubtfulRow | LabelIssue) -> str:
    return f"{of.row:,}" if of.id is None else f"{of.row:,} ({of.id})"


def count_classes(names: Sequence[str], given: IntArray, assigned: IntArray) -> tuple[ClassCount, ...]:
    """How many rows have each class, given and assigned; -1 stands for none.

    Examples
    --------
    >>> count_classes(["a", "b"], np.array([0, -1, -1]), np.array([0, 1, -1]))
    (ClassCount(name='a', given=1, assigned=1), ClassCount(name='b', given=0, assigned=1))
    """
    counts = [np.bincount(codes[codes >= 0], minlength=len(names)).tolist() for codes in (given, assigned)]
    return tuple(map(ClassCount, names, *counts))
