"""`graphwell classify --cluster`: a folder of Parquet files in, a folder out."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.blobs import run

distributed = pytest.importorskip("distributed")


def classify(*arguments):
    return run("classify", *arguments)


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def folder(tmp_path):
    """Three classes, ten labels each, in three files."""
    rng = np.random.default_rng(0)
    truth = np.tile(["ant", "bee", "cat"], 60)
    X = rng.normal(size=(180, 4)) + 6 * np.eye(4)[np.tile([0, 1, 2], 60)]
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["name"] = [f"row {i}" for i in range(180)]
    frame["label"] = np.where(np.arange(180) < 30, truth, None)
    frame["truth"] = truth
    (tmp_path / "in.parquet").mkdir()
    for number, part in enumerate(np.array_split(np.arange(180), 3)):
        frame.iloc[part].to_parquet(tmp_path / "in.parquet" / f"{number}.parquet")
    return tmp_path


@pytest.mark.slow
def test_a_folder_comes_back_with_labels(folder, address):
    options = ("--truth", "truth", "--id", "name", "--json", "--set", "start=nearest")
    files = (folder / "in.parquet", "-o", folder / "out.parquet")
    finished = classify(*files, "--cluster", address, *options)
    assert finished.exit_code == 0, finished.output
    before, after = (pd.read_parquet(folder / name) for name in ("in.parquet", "out.parquet"))
    pd.testing.assert_frame_equal(after[before.columns], before)
    assert (after.graphwell_label == after.truth).all()
    assert (after.graphwell_given == after.label.notna()).all()
    assert after.graphwell_reachable.all()
    assert after.graphwell_score.between(0.3, 1).all()
    assert len(list((folder / "out.parquet").iterdir())) == 3
    summary = json.loads(finished.stdout)
    assert summary["truth"]["accuracy"] == 1
    assert summary["features"] == list("abcd")
    assert [c["assigned"] for c in summary["classes"]] == [60, 60, 60]
    assert summary["doubtful"][0]["id"].startswith("row ")
    assert sorted(path.name for path in folder.iterdir()) == ["in.parquet", "out.parquet"]


@pytest.mark.slow
def test_a_cluster_is_started_here(folder):
    finished = classify(
        folder / "in.parquet" / "0.parquet", "-o", folder / "out.parquet", "--cluster", "local:1",
        "--drop", "truth", "--set", "start=nearest",
    )  # fmt: skip
    assert finished.exit_code == 0, finished.output
    assert len(pd.read_parquet(folder / "out.parquet")) == 60


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--cluster", "nonsense"],
            "--cluster must be local, local:4 for four processes here, or an address",
        ),
        (
            ["--cluster", "local:none"],
            "--cluster must be local, local:4 for four processes here, or an address",
        ),
        (["--cluster", "tcp://127.0.0.1:9"], "no Dask scheduler answers there"),
        (["--set", "missing=drop"], "--set missing cannot be used with --cluster"),
        (["--holdout", "0.2", "--set", "pca=3"], "--set pca, --holdout cannot be used with --cluster"),
        (["--label", "lable"], "did you mean 'label'?"),
        (["--features", "a,name"], "--features name: the column holds no numbers, and --cluster compares"),
    ],
)
def test_bad_options_get_one_sentence(folder, address, options, words, monkeypatch):
    monkeypatch.setattr("graphwell.backends.dask.client.CONNECT_SECONDS", 0.5)
    arguments = options if "--cluster" in options else ["--cluster", address, *options]
    finished = classify(folder / "in.parquet", "-o", folder / "out.parquet", *arguments)
    assert finished.exit_code == 2
    assert words in finished.output
    assert "Traceback" not in finished.output
    assert not (folder / "out.parquet").exists()


def test_bad_files_get_one_sentence(folder, address):
    def told(*arguments):
        finished = classify(*arguments, "--cluster", address)
        assert finished.exit_code == 2, finished.output
        assert "Traceback" not in finished.output
        return " ".join(finished.output.split())

    (folder / "empty.parquet").mkdir()
    assert "a folder without any file" in told(folder / "empty.parquet", "-o", folder / "o.parquet")
    assert "is a folder" in told(folder / "in.parquet", "-o", folder / "in.parquet")
    assert "writes Parquet" in told(folder / "in.parquet", "-o", folder / "o.csv")
    last = folder / "in.parquet" / "2.parquet"
    frame = pd.read_parquet(last)
    frame.assign(a=np.where(np.arange(60) == 7, np.nan, frame.a)).to_parquet(last)
    assert "1 NaN or infinite value in block 2 (rows 120 to 179)" in told(
        folder / "in.parquet", "-o", folder / "o.parquet"
    )
    frame.drop(columns="label").to_parquet(last)
    assert "2.parquet has no column 'label'" in told(folder / "in.parquet", "-o", folder / "o.parquet")
    last.write_bytes(b"PAR1 nonsense")
    assert "cannot be read as a Parquet file" in told(folder / "in.parquet", "-o", folder / "o.parquet")
    assert sorted(path.name for path in folder.iterdir()) == ["empty.parquet", "in.parquet"]
