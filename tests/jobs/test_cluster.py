"""`graphwell classify --cluster`: a folder of Parquet files in, a folder out, the report of one machine."""

import json

import numpy as np
import pandas as pd
import pytest

from graphwell.jobs import cluster
from graphwell.jobs.classify import ClassifyOptions, classify
from tests.cli.blobs import run
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


def on_cluster(folder, *options, table="in.parquet", output="out.parquet"):
    finished = run("classify", folder / table, "-o", folder / output, *options)
    assert "Traceback" not in finished.output
    return finished


@pytest.mark.slow
def test_a_folder_comes_back_with_the_report_of_one_machine(folder, client, monkeypatch):
    monkeypatch.setattr(cluster, "ROWS_SHOWN", 30)
    address = client.scheduler.address
    options = ("--truth", "truth", "--id", "name", "--set", "start=nearest", "--json")
    page = ("--report", folder / "page.html", "--class-prior", "ant=0.3:0.4")
    finished = on_cluster(folder, "--cluster", address, *options, *page)
    assert finished.exit_code == 0, finished.output
    there = json.loads(finished.stdout)
    alone = classify(
        ClassifyOptions(
            table=folder / "whole.parquet", truth="truth", row_id="name", parameters={"start": "nearest"}
        )
    )
    here = alone.to_json()
    assert list(there) == list(here)
    for key in ("rows", "features", "labels_given", "classes", "components", "truth"):
        assert there[key] == here[key]
    assert there["doubtful"][0]["id"].startswith("row ")
    assert "The graph lay in " in there["notes"][-1]
    before, after = (pd.read_parquet(folder / name) for name in ("in.parquet", "out.parquet"))
    pd.testing.assert_frame_equal(after[before.columns], before)
    assert (after.graphwell_label == after.truth).all()
    assert (after.graphwell_given == after.label.notna()).all()
    assert after.graphwell_score.between(0.3, 1).all()
    parts = sorted(path.name for path in (folder / "out.parquet").iterdir())
    assert parts == ["part-00000.parquet", "part-00001.parquet"]
    text = (folder / "page.html").read_text()
    assert text.count("<img") == 2
    assert "42 of 120 rows." in text


@pytest.mark.slow
def test_a_cluster_is_started_here(folder):
    options = ("--cluster", "local:1", "--drop", "truth", "--set", "start=nearest")
    finished = on_cluster(folder, *options, table="whole.parquet")
    assert finished.exit_code == 0, finished.output
    assert len(pd.read_parquet(folder / "out.parquet")) == 120


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cluster", "nonsense"], "--cluster must be local, local:4 for four processes here, or an"),
        (["--cluster", "local:none"], "--cluster must be local, local:4 for four processes here, or an"),
        (["--cluster", "tcp://127.0.0.1:9"], "no Dask scheduler answers there"),
        (["--set", "missing=error"], "--set missing cannot be used with --cluster"),
        (["--set", "scale=robust"], "--set scale cannot be used with --cluster"),
        (["--set", "pca=3"], "--set pca cannot be used with --cluster"),
        (["--label", "lable"], "did you mean 'label'?"),
        (["--features", "x,name"], "--features name: the column holds no numbers, and --cluster compares"),
        (["--method", "laplace"], "--method 'laplace' cannot be used with --cluster"),
        (["-o", "in.parquet"], "is a folder"),
        (["-o", "o.csv"], "--cluster writes Parquet; the name must end in .parquet"),
    ],
)
def test_bad_options_get_one_sentence(folder, options, words, monkeypatch):
    monkeypatch.setattr("graphwell.backends.dask.client.CONNECT_SECONDS", 0.5)
    monkeypatch.chdir(folder)
    options = options if "--cluster" in options else ["--cluster", "local", *options]
    finished = run("classify", "in.parquet", "-o", "out.parquet", *options)
    assert finished.exit_code == 2
    assert words in " ".join(finished.stderr.split())
    assert not (folder / "out.parquet").exists()


def test_bad_files_get_one_sentence(folder):
    def sentence(table="in.parquet"):
        finished = on_cluster(folder, "--cluster", "local:1", table=table)
        assert finished.exit_code == 2, finished.output
        return " ".join(finished.output.split())

    (folder / "t.csv").write_text("x,label\n1,a\n2,b\n")
    assert "--cluster takes a folder of Parquet files or one such file" in sentence("t.csv")
    (folder / "empty.parquet").mkdir()
    assert "a folder without any file" in sentence("empty.parquet")
    last = folder / "in.parquet" / "1.parquet"
    frame = pd.read_parquet(last)
    frame.drop(columns="label").to_parquet(last)
    assert "1.parquet has no column 'label'" in sentence()
    last.write_bytes(b"PAR1 nonsense")
    assert "cannot be read as a Parquet file" in sentence()
    assert not (folder / "out.parquet").exists()


@pytest.mark.slow
def test_cells_that_workers_cannot_compare_are_named(folder, client):
    last = folder / "in.parquet" / "1.parquet"
    frame = pd.read_parquet(last)
    for cells, words in (
        (np.where(np.arange(60) == 7, np.nan, frame.x), "1 NaN or infinite value in its rows 60"),
        (frame.name, "1.parquet, row 1: the feature 'x' is 'row "),
    ):
        frame.assign(x=cells).to_parquet(last)
        finished = on_cluster(folder, "--cluster", client.scheduler.address)
        assert finished.exit_code == 2
        assert words in " ".join(finished.output.split())
