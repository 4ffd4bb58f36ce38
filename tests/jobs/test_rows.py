"""Rows of a table, read in one way."""

import tracemalloc

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize("scale", ["auto", "none", "standard", "robust"])
def test_a_file_in_single_precision_is_in_memory_once(tmp_path, scale):
    pyarrow = pytest.importorskip("pyarrow")
    n, d = 20_000, 60
    X = np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)
    frame = pd.DataFrame(X).add_prefix("f").assign(label=np.where(np.arange(n) < 20, [*"ab"] * (n // 2), ""))
    frame.to_parquet(tmp_path / "in.parquet")
    options = CompareOptions(table=tmp_path / "in.parquet", scale=scale)
    read_columns(open_table(options.table), options)  # what is imported counts as memory too
    tracemalloc.start()
    table = open_table(options.table)
    features = read_columns(table, options)[1]
    ready = preprocess(features.X, features.outputs, options.preprocessing, kinds=features.kinds)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ready.X.dtype == np.float32
    assert ready.X is features.X
    assert peak < 1.9 * X.nbytes
    assert pyarrow.total_allocated_bytes() < X.nbytes / 10
