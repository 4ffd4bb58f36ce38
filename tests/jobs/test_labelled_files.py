import csv

import numpy as np
import pytest

from graphwell.io.tables.base import open_table
from graphwell.jobs.answers import MergeOptions, merge_answers
from graphwell.jobs.found_labels import FoundLabels
from graphwell.jobs.labelled_files import write_answers, write_labels
from tests.jobs.pets import opened, path

__all__ = ["path"]


def found(labels, n_classes=2):
    labels = np.array(labels)
    scores = np.full((len(labels), n_classes), 0.1)
    scores[np.arange(len(labels)), np.maximum(labels, 0)] = 0.9
    return FoundLabels(labels, scores, np.arange(n_classes), labels >= 0, np.zeros(len(labels), dtype=bool))


def test_the_table_is_written_with_all_labels(path):
    write_labels(opened(path, row_id="id"), ("cat", "dog"), np.array([0, -1, -2, 1]), found([0, 0, -1, 1]))
    with (path.parent / "pets.labelled.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["graphwell_label"] for row in rows] == ["cat", "cat", "", "dog"]
    assert [row["graphwell_given"] for row in rows] == ["true", "false", "false", "true"]
    assert [row["graphwell_reachable"] for row in rows] == ["true", "true", "false", "true"]
    assert rows[2]["graphwell_score"] == ""
    assert rows[0]["note"] == "A <b>note</b>"


def written_labels(path):
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return arrays["graphwell_label"].tolist()
    return open_table(path).column("graphwell_label").tolist()


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".jsonl"])
def test_new_classes_make_a_column_of_numbers_text(path, suffix):
    """Labels that are numbers stay numbers, until a class has another name."""
    path.write_text(path.read_text().replace("cat", "1").replace("dog", "2").replace("?", ""))
    for names, kind in ((("1", "2"), int), (("1", "new"), str)):
        output = path.with_name(f"out{suffix}")
        table = opened(path, output=output, drop=("note", "photo"))
        write_labels(table, names, np.array([0, -1, -1, 1]), found([0, 0, 0, 1]))
        assert written_labels(output)[3] == kind(names[1])


def test_a_table_without_labels_can_be_written(path):
    text = "\n".join(line.rsplit(",", 1)[0] for line in path.read_text().splitlines()) + "\n"
    path.write_text(text)
    for suffix in (".csv", ".npz", ".parquet", ".jsonl"):
        output = path.with_name(f"out{suffix}")
        write_labels(
            opened(path, output=output), ("cat", "dog"), np.array([0, -1, -1, 1]), found([0, 0, 1, 1])
        )
        assert written_labels(output) == ["cat", "cat", "dog", "dog"]


def test_rows_that_were_left_out_get_no_label(path):
    path.write_text(path.read_text().replace("1.1,2.1", ",2.1"))
    table = opened(path, missing="drop", features=("a", "b"))
    assert table.rows.tolist() == [0, 2, 3]
    assert table.name(1) == "3"
    write_labels(table, ("cat", "dog"), np.array([0, -1, 1]), found([0, 1, 1]))
    written = open_table(table.options.labelled).column("graphwell_label")
    assert written.tolist() == ["cat", "", "dog", "dog"]


def test_answers_can_be_brought_back_into_the_table(path):
    path.write_text(path.read_text().replace("1.1,2.1", ",2.1"))
    table = opened(path, missing="drop", features=("a", "b"))  # without the second row
    write_answers(table, ("cat", "=dog"), np.array([0, 1, -2]))
    answers, merged = path.with_name("pets.answers.csv"), path.with_name("merged.csv")
    assert answers.read_text() == "graphwell_row,label\n1,cat\n3,=dog\n4,?\n"
    report = merge_answers(MergeOptions(table=path, answers=answers, output=merged))
    assert (report.answered, report.cannot_tell) == (2, 1)
    assert open_table(merged).column("label").tolist() == ["cat", "", "=dog", "?"]
    write_answers(
        opened(path, output=path.with_name("out.npz"), safe_csv=True), ("=cat",), np.zeros(4, dtype=int)
    )
    assert "'=cat" in path.with_name("out.answers.csv").read_text()
