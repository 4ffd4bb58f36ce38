"""What there is to say about a labelled table, as plain values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.io.tables.base import as_text
from graphwell.jobs.classify import Labelled
from graphwell.jobs.score import Accuracy

MOST_DOUBTFUL = 10


def summarise(labelled: Labelled) -> dict[str, Any]:
    """Return the summary as values that JSON can hold.

    Rows are numbered from 1, the first below the header.
    """
    classifier = labelled.classifier
    lost = ~classifier.reachable_
    return {
        "table": str(labelled.table.path),
        "rows": labelled.table.n_rows,
        "rows_left_out": int((~labelled.kept).sum()),
        "features": list(labelled.features),
        "labels_given": int((labelled.given >= 0).sum()),
        "classes": class_summary(labelled.classes, labelled.given, labelled.assigned),
        "components": classifier.graph_.n_components,
        "components_without_labels": len(np.unique(classifier.graph_.components[lost])),
        "unreachable_rows": int(lost.sum()),
        "sweeps": int(classifier.n_iter_),
        "status": classifier.result_.status.value,
        "holdout": None if labelled.holdout is None else accuracy_summary(labelled.holdout),
        "truth": None if labelled.comparison is None else accuracy_summary(labelled.comparison.accuracy),
        "doubtful": _doubtful(labelled),
        "notes": list(labelled.notes),
        "seconds": {stage: round(seconds, 3) for stage, seconds in labelled.seconds.items()},
    }


def class_summary(names: Sequence[str], given: IntArray, assigned: IntArray) -> list[dict[str, Any]]:
    """How many rows have each class, given and assigned; -1 stands for none."""
    counts = (np.bincount(codes[codes >= 0], minlength=len(names)) for codes in (given, assigned))
    return [
        {"name": name, "given": int(g), "assigned": int(a)} for name, g, a in zip(names, *counts, strict=True)
    ]


def accuracy_summary(accuracy: Accuracy) -> dict[str, Any]:
    """A share of right answers, as values that JSON can hold."""
    low, high = accuracy.interval
    return {
        "accuracy": accuracy.share,
        "right": accuracy.right,
        "of": accuracy.of,
        "interval_95": [round(low, 4), round(high, 4)],
    }


def _doubtful(labelled: Labelled) -> list[dict[str, Any]]:
    """The labelled rows to look at first, with the two classes they lie between."""
    by_doubt = labelled.classifier.doubtful(int(labelled.kept.sum()))
    fitted = by_doubt[labelled.classifier.reachable_[by_doubt]][:MOST_DOUBTFUL]
    rows = np.flatnonzero(labelled.kept)[fitted]
    scores = labelled.classifier.label_distributions_[fitted]
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    ids = None if labelled.roles.row_id is None else as_text(labelled.table.column(labelled.roles.row_id))
    return [
        {
            "row": int(row) + 1,
            "id": None if ids is None else str(ids[row]),
            "given": bool(labelled.given[row] >= 0),
            "label": labelled.classes[first],
            "score": round(float(of_row[first]), 4),
            "second": labelled.classes[second],
            "second_score": round(float(of_row[second]), 4),
        }
        for row, of_row, (first, second) in zip(rows, scores, ranked, strict=True)
    ]
