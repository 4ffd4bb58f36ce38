"""Rows of a table, read in one way."""

import pytest

from graphwell.errors import OptionError
from graphwell.io.tables.base import open_table
from graphwell.jobs.options import CompareOptions
from graphwell.jobs.preprocess import preprocess
from graphwell.jobs.rows import labels_left, read_columns
from tests.jobs.tables import write_blobs


def test_roles_are_read_from_any_options_of_a_table(tmp_path):
    frame = write_blobs(tmp_path / "in.csv")
    options = CompareOptions(table=tmp_path / "in.csv", truth="truth", row_id="name")
    facts, features = read_columns(open_table(options.table), options)
    assert features.names == ("x", "y")
    assert facts.classes == ("ant", "bee", "cat")
    assert (facts.truth.codes >= 0).all()
    ready = preprocess(features.X, features.outputs, options.preprocessing)
    assert (labels_left(facts, ready) >= 0).sum() == (frame["label"] != "").sum()


def test_a_class_that_lost_all_labels_is_named(tmp_path):
    (tmp_path / "in.csv").write_text("x,y,label\n1,1,a\n2,2,a\n3,,b\n4,1,\n")
    options = CompareOptions(table=tmp_path / "in.csv", missing="drop", scale="none")
    facts, features = read_columns(open_table(options.table), options)
    ready = preprocess(features.X, features.outputs, options.preprocessing)
    with pytest.raises(OptionError, match="The class 'b' has labels on rows with missing features alone"):
        labels_left(facts, ready)
