"""The job on a cluster: the same report as on one machine."""

import numpy as np
import pandas as pd
import pytest

from graphwell import DiffuseInterfaceClassifier
from graphwell.errors import OptionError
from graphwell.jobs.classify import classify
from graphwell.jobs.classify_on_cluster import fits_here, label_folder, read_folder
from graphwell.jobs.methods import make_classifier
from graphwell.jobs.options import ClassifyOptions
from graphwell.memory import limited_to
from graphwell.view.report import report_page
from tests.jobs.tables import blobs

pytest.importorskip("distributed")


@pytest.fixture
def folder(tmp_path):
    """The blobs in two files, shuffled, labels first."""
    frame = blobs().sample(frac=1, random_state=0).sort_values("label", ascending=False, kind="stable")
    frame["label"] = frame.label.replace("", None)
    (tmp_path / "in.parquet").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(120), 2)):
        frame.iloc[rows].to_parquet(tmp_path / "in.parquet" / f"{number}.parquet", index=False)
    frame.to_parquet(tmp_path / "whole.parquet", index=False)
    return tmp_path


@pytest.mark.slow
def test_the_report_is_that_of_one_machine(folder, client):
    asked = {"truth": "truth", "row_id": "name", "start": "nearest"}
    options = ClassifyOptions(table=folder / "in.parquet", output=folder / "out.parquet", **asked)
    classifier = DiffuseInterfaceClassifier(start="nearest", random_state=0)
    there = label_folder(options, classifier).to_json()
    here = classify(ClassifyOptions(table=folder / "whole.parquet", **asked)).to_json()
    assert list(there) == list(here)
    for key in ("rows", "features", "labels_given", "classes", "components", "truth", "holdout"):
        assert there[key] == here[key]
    assert len(there["doubtful"]) == len(here["doubtful"])
    assert there["notes"][:-1] == here["notes"]
    assert "The graph lay in " in there["notes"][-1]
    assert len(pd.read_parquet(folder / "out.parquet")) == 120


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["standard", "robust", "none"])
def test_columns_are_scaled_as_on_one_machine(folder, client, scale):
    asked = {"scale": scale, "start": "nearest", "row_id": "name"}
    options = ClassifyOptions(table=folder / "in.parquet", output=folder / "out.parquet", **asked)
    label_folder(options, make_classifier(options))
    classify(ClassifyOptions(table=folder / "whole.parquet", output=folder / "one.parquet", **asked))
    there, here = (pd.read_parquet(folder / name) for name in ("out.parquet", "one.parquet"))
    assert there.graphwell_label.tolist() == here.graphwell_label.tolist()
    np.testing.assert_allclose(there.graphwell_score, here.graphwell_score, atol=1e-4)


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"missing": "drop"}, "missing", "missing cannot be used with cluster"),
        ({"pca": 3, "holdout": 0.2}, "pca", "pca, holdout cannot be used with cluster"),
        ({"method": "laplace"}, "method", "method 'laplace' cannot be used with cluster"),
        ({"table": "t.csv"}, "table", "cluster takes a folder of Parquet files"),
        ({"output": "o.csv"}, "output", "cluster writes Parquet"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_before_it_is_asked(tmp_path, changed, field, words):
    paths = {"table": "t.parquet", "output": "o.parquet"}
    given = {**paths, **changed}
    given |= {name: tmp_path / given[name] for name in paths}
    with pytest.raises(OptionError) as caught:
        classify(ClassifyOptions(cluster="local", **given))
    assert caught.value.field == field
    assert words in str(caught.value)


def test_the_folder_must_be_new(folder):
    options = ClassifyOptions(table=folder / "in.parquet", output=folder / "in.parquet")
    with pytest.raises(OptionError, match="exists; with cluster, give the name of a new folder"):
        label_folder(options, None)


def test_a_table_that_fits_into_memory_is_labelled_in_one_process(folder, monkeypatch):
    monkeypatch.setattr("graphwell.jobs.classify_on_cluster.open_client", pytest.fail)
    options = ClassifyOptions(
        table=folder / "in.parquet", output=folder / "out.parquet", truth="truth", start="nearest",
        cluster="local",
    )  # fmt: skip
    report = classify(options).to_json()
    assert "No cluster was started: one process is faster" in report["notes"][-1]
    assert report["truth"]["accuracy"] > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("where", ["workers", "here"])
def test_the_page_counts_all_rows_and_shows_those_that_a_process_can_hold(folder, client, monkeypatch, where):
    monkeypatch.setattr("graphwell.jobs.page_on_cluster.ROWS_SHOWN", 30)
    options = ClassifyOptions(
        table=folder / "in.parquet", output=folder / "out.parquet", report=folder / "page.html",
        row_id="name", start="nearest", cluster="local", suggest=10,
    )  # fmt: skip
    if where == "here":
        report, shown = classify(options, draw=report_page), "scores of all rows"
    else:
        report = label_folder(options, make_classifier(options), draw=report_page)
        shown = f"{report.labels_given + 30} of 120 rows."
    page = (folder / "page.html").read_text()
    assert shown in page
    assert ("Rows to label next" in page) == (where == "here")
    assert "The descent" in page
    assert report.details is None
    assert report.files == (folder / "out.parquet", folder / "page.html")
    parts = sorted((folder / "out.parquet").iterdir())
    assert [path.name for path in parts] == ["part-00000.parquet", "part-00001.parquet"]
    before, after = (pd.read_parquet(folder / name) for name in ("in.parquet", "out.parquet"))
    pd.testing.assert_frame_equal(after[before.columns], before)
    assert after.graphwell_label.notna().all()


def test_a_table_fits_if_half_of_the_memory_is_enough(folder):
    table = read_folder(ClassifyOptions(table=folder / "in.parquet", output=folder / "new.parquet"))
    with limited_to(10_000):
        assert not fits_here(table, n_neighbors=10)
    with limited_to(10_000_000):
        assert fits_here(table, n_neighbors=10)
