"""Reports as JSON: the keys are a contract with scripts."""

import json
from pathlib import Path

import numpy as np

from graphwell.encoders.report import Treatment
from graphwell.errors import Sentence
from graphwell.jobs.reports import (
    ClassCount,
    ClassifyReport,
    DoubtfulRow,
    RowToLabel,
    SegmentClass,
    SegmentReport,
)
from graphwell.jobs.score import Accuracy, Comparison, Holdout

CLASSIFY_KEYS = [
    "table",
    "rows",
    "rows_left_out",
    "features",
    "columns",
    "labels_given",
    "classes",
    "components",
    "components_without_labels",
    "unreachable_rows",
    "bridged_rows",
    "calibrated",
    "sweeps",
    "status",
    "compared_by",
    "holdout",
    "truth",
    "doubtful",
    "to_label",
    "notes",
    "seconds",
    "output",
    "files",
]
SEGMENT_KEYS = [
    "image",
    "size",
    "seeds",
    "classes",
    "unreachable_pixels",
    "mark_next",
    "sweeps",
    "status",
    "output",
    "notes",
    "files",
    "seconds",
]


def classified(**changed):
    values = {
        "table": Path("t.csv"), "rows": 3, "rows_left_out": 0, "features": ("x",), "labels_given": 2,
        "columns": (Treatment("x", "number", Sentence("as it is")),),
        "classes": (ClassCount("a", 1, 2), ClassCount("b", 1, 1)), "components": 1,
        "components_without_labels": 0, "unreachable_rows": 0, "bridged_rows": 0, "calibrated": True,
        "sweeps": 5, "status": "Done.", "holdout": Holdout(1, 2, 1, 2),
        "comparison": Comparison(Accuracy(1, 1), ("a", "b"), np.zeros((2, 3))),
        "doubtful": (DoubtfulRow(2, "r", False, "a", 0.6, "b", 0.4),),
        "to_label": (RowToLabel(3, None, "border"),),
        "notes": (Sentence("Give {n_neighbors}.", ()),), "seconds": {"reading": 0.12345},
        "output": Path("o.csv"), "files": (Path("o.csv"),),
    }  # fmt: skip
    return ClassifyReport(**{**values, **changed})


def test_the_report_on_a_table():
    found = classified().to_json()
    assert list(found) == CLASSIFY_KEYS
    assert json.loads(json.dumps(found)) == found
    assert found["classes"][0] == {"name": "a", "given": 1, "assigned": 2}
    assert found["truth"] == {"accuracy": 1.0, "right": 1, "of": 1, "interval_95": [0.2065, 1.0]}
    assert found["doubtful"] == [
        {"row": 2, "id": "r", "given": False, "label": "a", "score": 0.6, "second": "b", "second_score": 0.4}
    ]
    assert found["to_label"] == [{"row": 3, "id": None, "reason": "border"}]
    assert found["columns"] == [{"name": "x", "kind": "number", "became": "as it is", "used": True}]
    assert found["seconds"] == {"reading": 0.123}
    assert (found["output"], found["files"]) == ("o.csv", ["o.csv"])


def test_notes_are_worded_by_whoever_asks():
    assert classified().to_json()["notes"] == ["Give n_neighbors."]
    assert classified().to_json(lambda field, value: f"<{field}>")["notes"] == ["Give <n_neighbors>."]


def test_what_was_not_measured_is_null():
    found = classified(holdout=None, comparison=None, output=None, files=()).to_json()
    assert (found["holdout"], found["truth"], found["output"], found["files"]) == (None, None, None, [])


def test_the_report_on_a_picture():
    report = SegmentReport(
        image=Path("i.png"), size=(2, 3), seeds=2,
        classes=(SegmentClass("#ff0000", 1, 4, 0, 0.5, "#ff0000"),),
        unreachable_pixels=2, mark_next=(), sweeps=7, status="Done.", output=Path("o.png"), notes=(),
        files=(Path("o.png"),), seconds={"reading": 0.1},
    )  # fmt: skip
    found = report.to_json()
    assert list(found) == SEGMENT_KEYS
    assert found["size"] == [2, 3]
    assert list(found["classes"][0].items()) == [
        ("class", 0), ("name", "#ff0000"), ("color", "#ff0000"), ("given", 1), ("assigned", 4),
        ("share", 0.5),
    ]  # fmt: skip
