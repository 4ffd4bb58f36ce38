"""The job on a cluster: the same report as on one machine."""

import numpy as np
import pandas as pd
import pytest

from graphwell import DiffuseInterfaceClassifier
from graphwell.errors import OptionError
from graphwell.io.tables.parquet import row_groups
from graphwell.jobs.classify import classify
from graphwell.jobs.classify_on_cluster import PartWriter, classify_on_cluster, label_folder, part_features
from graphwell.jobs.options import ClassifyOptions
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


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"scale": "standard"}, "scale", "scale cannot be used with cluster"),
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
        classify_on_cluster(ClassifyOptions(cluster="local", **given))
    assert caught.value.field == field
    assert words in str(caught.value)


def test_the_folder_must_be_new(folder):
    options = ClassifyOptions(table=folder / "in.parquet", output=folder / "in.parquet")
    with pytest.raises(OptionError, match="exists; with cluster, give the name of a new folder"):
        label_folder(options, None)


def test_a_part_is_read_and_written_by_itself(folder):
    part = row_groups(folder / "in.parquet")[1]
    assert part_features(part, ("x", "y")).shape == (60, 2)
    scores = np.tile([0.75, 0.25], (60, 1))
    reachable = np.arange(60) > 0
    write = PartWriter(str(folder), "label", ("ant", "bee"), bridges=True)
    assert write(part, 3, np.zeros(60, bool), np.zeros(60, int), scores, reachable, ~reachable) == 60
    after = pd.read_parquet(folder / "part-00003.parquet")
    assert after.graphwell_label.isna().tolist() == [True] + [False] * 59
    assert after.graphwell_bridged.tolist() == [True] + [False] * 59
    assert set(after.graphwell_label[1:]) == {"ant"}
    assert set(after.graphwell_score[1:]) == {0.75}
