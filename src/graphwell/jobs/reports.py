"""What a job found: frozen values that every face shows in its own way."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.encoders.report import Treatment
from graphwell.errors import Sentence, Words, in_python
from graphwell.jobs.score import Comparison, Holdout

if TYPE_CHECKING:
    from graphwell.segmentation.segmenter import DoubtfulSquare
    from graphwell.solve.descent import Result


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
    """A row to look at: the two classes it lies between.

    Rows are numbered from 1, the first below the header.
    """

    row: int
    id: str | None
    given: bool
    label: str
    score: float
    second: str
    second_score: float


@dataclass(frozen=True, eq=False)
class RowDetails:
    """What is known of single rows: of all, or of some where no process holds them all.

    Attributes
    ----------
    given, assigned : arrays of shape (n_rows,)
        Class given and class found, as an index into the classes; -1 for none.
    score : array of shape (n_rows,)
        Score of the class found; NaN for none.
    reachable, bridged, kept : arrays of shape (n_rows,)
        Whether a label reached the row; whether only over a bridge between parts of the graph; whether its
        features were complete enough to take part.
    points : array
        Features of the kept rows as they were compared.
    result : Result, optional
        Of the descent, where the method has one.
    graph : Graph, optional
        Of the kept rows.
    """

    given: IntArray = field(repr=False)
    assigned: IntArray = field(repr=False)
    score: FloatArray = field(repr=False)
    reachable: BoolArray = field(repr=False)
    bridged: BoolArray = field(repr=False)
    kept: BoolArray = field(repr=False)
    points: FloatArray = field(repr=False)
    result: "Result | None" = None
    graph: Any = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class ClassifyReport:
    """A labelled table: counts, accuracy, doubtful rows, notes and times.

    Attributes
    ----------
    calibrated : bool
        Whether the scores were held against hidden labels.
    features : tuple of str
        The columns that rows were compared by.
    columns : tuple of Treatment
        What became of each column.
    status : str
        How the run ended, in a sentence.
    compared_by : str, optional
        How rows were compared, and what else was heard, where the method chose it.
    holdout : Holdout, optional
        On given labels that were hidden.
    comparison : Comparison, optional
        With the truth.
    to_label : tuple of RowToLabel
        The rows to label next, best first.
    notes : tuple of Sentence
        What the user should know.
    seconds : mapping
        Time of each stage.
    output : Path, optional
        The labelled table.
    files : tuple of Path
        Everything that was written.
    details : RowDetails, optional
        None where the rows lie on a cluster.
    """

    table: Path
    rows: int
    rows_left_out: int
    features: tuple[str, ...]
    columns: tuple[Treatment, ...]
    labels_given: int
    classes: tuple[ClassCount, ...]
    components: int
    components_without_labels: int
    unreachable_rows: int
    bridged_rows: int
    calibrated: bool
    sweeps: int
    status: str
    holdout: Holdout | None
    comparison: Comparison | None
    doubtful: tuple[DoubtfulRow, ...]
    notes: tuple[Sentence, ...]
    seconds: Mapping[str, float]
    output: Path | None
    files: tuple[Path, ...]
    compared_by: str | None = None
    details: RowDetails | None = field(default=None, repr=False)
    to_label: tuple[RowToLabel, ...] = ()

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        return {
            "table": str(self.table),
            "rows": self.rows,
            "rows_left_out": self.rows_left_out,
            "features": list(self.features),
            "columns": [treatment.to_json(words) for treatment in self.columns],
            "labels_given": self.labels_given,
            "classes": [asdict(count) for count in self.classes],
            "components": self.components,
            "components_without_labels": self.components_without_labels,
            "unreachable_rows": self.unreachable_rows,
            "bridged_rows": self.bridged_rows,
            "calibrated": self.calibrated,
            "sweeps": self.sweeps,
            "status": self.status,
            "compared_by": self.compared_by,
            "holdout": None if self.holdout is None else self.holdout.to_json(),
            "truth": None if self.comparison is None else self.comparison.accuracy.to_json(),
            "doubtful": [asdict(row) for row in self.doubtful],
            "to_label": [asdict(row) for row in self.to_label],
            "notes": [note.worded(words) for note in self.notes],
            "seconds": _rounded(self.seconds),
            "output": None if self.output is None else str(self.output),
            "files": [str(path) for path in self.files],
        }


@dataclass(frozen=True)
class SegmentClass(ClassCount):
    """A class of a segmented picture: its number, its share of all pixels, and its colour as #rrggbb."""

    number: int
    share: float
    color: str

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {
            "class": self.number,
            "name": self.name,
            "color": self.color,
            "given": self.given,
            "assigned": self.assigned,
            "share": round(self.share, 6),
        }


@dataclass(frozen=True, kw_only=True)
class SegmentReport:
    """A segmented picture: counts, notes and times.

    Attributes
    ----------
    size : tuple of int
        Height and width in pixels, and the depth of a volume.
    seeds : int
        Number of marked pixels.
    status : str
        How the run ended, in a sentence.
    mark_next : tuple of DoubtfulSquare
        Parts of the picture where further marks would help most.
    notes : tuple of Sentence
        What the user should know.
    files : tuple of Path
        Everything that was written.
    """

    image: Path
    size: tuple[int, ...]
    seeds: int
    classes: tuple[SegmentClass, ...]
    unreachable_pixels: int
    mark_next: tuple["DoubtfulSquare", ...]
    sweeps: int
    status: str
    output: Path
    notes: tuple[Sentence, ...]
    files: tuple[Path, ...]
    seconds: Mapping[str, float]

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        return {
            "image": str(self.image),
            "size": list(self.size),
            "seeds": self.seeds,
            "classes": [found.to_json() for found in self.classes],
            "unreachable_pixels": self.unreachable_pixels,
            "mark_next": [asdict(square) for square in self.mark_next],
            "sweeps": self.sweeps,
            "status": self.status,
            "output": str(self.output),
            "notes": [note.worded(words) for note in self.notes],
            "files": [str(path) for path in self.files],
            "seconds": _rounded(self.seconds),
        }


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: round(value, 3) for stage, value in seconds.items()}


Draw: TypeAlias = Callable[[ClassifyReport], str]
"""Turns a report into a page."""
