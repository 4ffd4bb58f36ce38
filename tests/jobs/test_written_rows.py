"""Rows labelled, and their files written."""

import numpy as np
import pandas as pd
import pytest

from graphwell.io.cells import Table
from graphwell.jobs.classify import new_columns, write_files
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.reports import RowDetails

CLASSES = ("ant", "=bee")


def details(bridged=False):
    reachable = np.array([True, True, False])
    return RowDetails(
        given=np.array([0, -1, -1]), assigned=np.array([0, 1, -1]), score=np.array([1.0, 0.75, np.nan]),
        reachable=reachable, bridged=reachable & bridged, kept=np.ones(3, dtype=bool), points=np.eye(3),
        result=None, graph=None,
    )  # fmt: skip


def test_rows_without_a_label_have_an_empty_cell():
    new = new_columns("label", CLASSES, details())
    assert new.label.tolist() == ["ant", "=bee", ""]
    assert new.given.tolist() == [True, False, False]
    assert "graphwell_bridged" not in new.by_name()
    assert new_columns("label", CLASSES, details(bridged=True)).bridged.tolist() == [True, True, False]


def test_table_and_page_are_written_both_or_neither(tmp_path):
    table = Table(tmp_path / "t.csv", pd.DataFrame({"label": ["ant", None, None]}))
    options = ClassifyOptions(table=table.path, output=tmp_path / "out.csv", report=tmp_path / "page.html")
    new = new_columns("label", CLASSES, details())

    def broken(report):
        raise RuntimeError("no page")

    with pytest.raises(RuntimeError, match="no page"):
        write_files(table, new, None, options, broken)
    assert list(tmp_path.iterdir()) == []
    write_files(table, new, None, options, lambda report: "a page")
    assert (tmp_path / "page.html").read_text() == "a page"
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "ant,ant,1,true,true"
