"""One report, wherever the rows lie."""

from pathlib import Path

import numpy as np
import pytest

from graphwell import BridgedWarning, DiffuseInterfaceClassifier, Graph, UnreachableWarning
from graphwell.estimators.registry import DEFAULT
from graphwell.io.cells import text_column
from graphwell.jobs.summary import MOST_DOUBTFUL, count_classes, doubtful_rows, in_memory, summarise
from graphwell.jobs.table import LabelColumn, TableFacts


@pytest.fixture(params=["features", "affinities"])
def island(request):
    """Two groups on a line with one label each, and an island without any; the first row was left out."""
    X = np.concatenate([np.arange(20) * 0.01, 0.4 + np.arange(20) * 0.01, 1000 + np.arange(15)])[:, None]
    given = np.full(56, -1)
    given[1], given[40] = 0, 1
    ids = text_column([f"r{i}" for i in range(56)])
    facts = TableFacts(Path("t.csv"), ("x",), (), LabelColumn(("a", "b"), given), None, ids, ())
    classifier = DiffuseInterfaceClassifier(n_neighbors=5, n_jobs=1, random_state=0)
    features = request.param == "features"
    with pytest.warns(BridgedWarning if features else UnreachableWarning):
        classifier.fit(X if features else Graph.from_affinity(Graph.from_features(X, 5).W), given[1:])
    kept = np.arange(56) > 0
    return facts, classifier, kept


@pytest.mark.parametrize("island", ["features"], indirect=True)
def test_counts_and_notes_of_bridged_rows(island):
    facts, classifier, kept = island
    assigned = np.full(56, -1)
    assigned[kept] = classifier.transduction_
    report = summarise(facts, DEFAULT, classifier, kept, assigned, seconds={}, output=None)
    assert (report.rows, report.unreachable_rows, report.bridged_rows) == (56, 0, 15)
    assert sum(count.assigned for count in report.classes) == 55
    (note,) = report.notes
    assert str(note).startswith("15 rows lie in one part of the graph without any label; they were joined")
    assert "Label some of them (row 42, 43, 44)." in str(note)
    assert {row.row for row in report.doubtful} <= set(range(42, 57))


@pytest.mark.parametrize("island", ["affinities"], indirect=True)
def test_counts_and_notes(island):
    facts, classifier, kept = island
    assigned = np.full(56, -1)
    assigned[kept] = np.where(classifier.reachable_, classifier.transduction_, -1)
    report = summarise(facts, DEFAULT, classifier, kept, assigned, seconds={}, output=None)
    assert (report.rows, report.rows_left_out, report.unreachable_rows) == (56, 1, 15)
    assert report.components_without_labels == 1
    assert sum(count.assigned for count in report.classes) == 40
    (note,) = report.notes
    assert str(note).startswith("15 rows lie in one part of the graph without any label")
    assert "(row 42), or link more rows with a larger n_neighbors." in str(note)


@pytest.mark.parametrize("island", ["affinities"], indirect=True)
def test_doubtful_rows_are_labelled_ones_by_growing_certainty(island):
    facts, classifier, kept = island
    rows = doubtful_rows(facts, classifier, kept, classifier.reachable_)
    assert len(rows) == MOST_DOUBTFUL
    assert all(row.row <= 41 for row in rows)
    assert rows[0].id == f"r{rows[0].row - 1}"
    margins = [row.score - row.second_score for row in rows]
    assert margins == sorted(margins)
    first = classifier.label_distributions_[rows[0].row - 2]
    assert rows[0].score == pytest.approx(first.max(), abs=1e-4)


def test_classes_without_rows_count_nothing():
    counts = count_classes(["a", "b", "c"], np.array([0, -1]), np.array([0, 1]))
    assert [(count.given, count.assigned) for count in counts] == [(1, 1), (0, 1), (0, 0)]


def test_arrays_are_fetched_where_they_lie_elsewhere():
    class Far:
        def compute(self):
            return np.arange(3)

    assert in_memory(Far()).tolist() == [0, 1, 2]
    assert in_memory(np.arange(2)).tolist() == [0, 1]
