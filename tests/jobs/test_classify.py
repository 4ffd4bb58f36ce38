"""The job on a table, called from Python."""

import json

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.jobs.classify import ClassifyOptions, classify
from tests.jobs.tables import blobs, write_blobs

KEYS = (
    "table rows rows_labelled features columns labels_given classes components "
    "components_without_labels unreachable_rows bridged_rows calibrated sweeps status compared_by estimate "
    "truth doubtful to_label label_issues notes seconds output files"
)


@pytest.fixture
def table(tmp_path):
    write_blobs(tmp_path / "in.csv")
    return tmp_path / "in.csv"


def run(table, **options):
    parameters = {name: options.pop(name) for name in ("tune", "evidence", "start") if name in options}
    return classify(ClassifyOptions(table=table, n_jobs=1, parameters=parameters, **options))


@pytest.mark.parametrize("names", [("ant", "bee", "cat"), ("cat", "ant", "bee")])
def test_held_out_labels_are_counted_for_their_own_class(tmp_path, names):
    frame = blobs()
    frame["label"] = [*[names[0]] * 3, *[""] * 37, *[names[1]] * 5, *[""] * 35, *[names[2]] * 8, *[""] * 32]
    frame.to_csv(tmp_path / "in.csv", index=False)
    report = run(tmp_path / "in.csv", drop=("truth", "name"))
    held = [found["of"] for found in report.facts["estimate"]["by_class"]]
    assert held == [count["given"] for count in report.facts["classes"]]


def test_the_report_is_a_value_and_no_file_is_needed(table):
    report = run(table, truth="truth", row_id="name", suggest=3)
    found = report.to_json(lambda field, value: f"<{field}>")
    assert set(found) == set(KEYS.split())
    assert json.loads(json.dumps(found)) == found
    assert (found["rows"], found["labels_given"], found["unreachable_rows"]) == (120, 12, 0)
    assert found["classes"][0] == {"name": "ant", "given": 4, "assigned": 40}
    assert found["truth"] == {"accuracy": 1.0, "right": 108, "of": 108, "interval_95": [0.9657, 1.0]}
    assert found["rows_labelled"] == 108
    assert found["estimate"]["by_class"] == [{"right": 4, "of": 4}] * 3
    assert found["estimate"]["accuracy"] > 0.8
    assert list(found["doubtful"][0]) == ["row", "id", "given", "label", "score", "second", "second_score"]
    assert found["doubtful"][0]["id"].startswith("row ")
    margins = [row["score"] - row["second_score"] for row in found["doubtful"]]
    assert margins == sorted(margins)
    assert [list(row) for row in found["to_label"]] == [["row", "id", "reason"]] * 3
    assert found["columns"][1] == {"name": "x", "kind": "number", "became": "one feature", "used": True}
    assert (found["output"], found["files"]) == (None, [])
    assert list(report.seconds)[:2] == ["reading", "neighbours"]
    assert list(report.seconds)[-1] == "in all"
    assert [path.name for path in table.parent.iterdir()] == ["in.csv"]
    bare = run(table).to_json()
    assert (bare["truth"], bare["to_label"]) == (None, [])


@pytest.mark.parametrize("name", list(gw.methods()))
def test_every_method_labels_a_table_as_it_labels_the_data_frame(tmp_path, name):
    frame = write_blobs(tmp_path / "in.csv")
    if gw.methods()[name].most_classes == 2:
        frame = frame[frame.truth != "cat"]
        frame.to_csv(tmp_path / "in.csv", index=False)
    report = run(tmp_path / "in.csv", method=name, truth="truth", row_id="name")
    assert (
        report.facts["truth"]["accuracy"] > 0.6
    )  # chance is a third; MBO from a random start is the weakest
    assert report.facts["status"].endswith(".")
    clf = gw.methods()[name](n_jobs=1)
    clf.set_params(**({"random_state": 0} if "random_state" in clf.get_params() else {}))
    clf.fit(frame[["x", "y"]], frame["label"].replace("", None))
    assert report.added.label.tolist() == clf.transduction_.tolist()


@pytest.mark.parametrize("names", [("ant", "bee", "cat"), ("1", "2", "3.0")])
def test_sizes_of_classes(tmp_path, names):
    frame = write_blobs(tmp_path / "in.csv", n=20)
    renamed = frame.label.replace(dict(zip(("ant", "bee", "cat"), names, strict=True)))
    frame.assign(label=renamed).drop(columns=["truth", "name"]).to_csv(tmp_path / "in.csv", index=False)
    report = run(tmp_path / "in.csv", class_prior=dict.fromkeys(names, (0.3, 0.4)))
    assert [count["assigned"] for count in report.facts["classes"]] == pytest.approx([20] * 3, abs=4)
    with pytest.raises(OptionError, match="class_prior names the class 'owl', which no label has"):
        run(tmp_path / "in.csv", class_prior={"owl": 0.5})


def test_labels_that_look_wrong_are_listed_and_have_columns(tmp_path):
    frame = write_blobs(tmp_path / "in.csv")
    frame = frame.assign(label=frame.truth)
    frame.loc[[4, 77], "label"] = "cat", "ant"
    frame.to_csv(tmp_path / "in.csv", index=False)
    options = {"drop": ("truth",), "row_id": "name", "output": tmp_path / "out.csv"}
    report = run(tmp_path / "in.csv", check_labels=True, **options)
    issues = report.facts["label_issues"]
    assert [(issue["row"], issue["label"], issue["suggested"]) for issue in issues] in (
        [(5, "cat", "ant"), (78, "ant", "bee")],
        [(78, "ant", "bee"), (5, "cat", "ant")],
    )
    assert issues[0]["id"].startswith("row ")
    assert "2 given labels look wrong: the rest" in " ".join(report.sentences())
    assert [len(grid.rows) for grid in report.grids if "look wrong" in grid.title] == [2]
    out = pd.read_csv(tmp_path / "out.csv")
    assert out.graphwell_suggested.dropna().to_dict() == {4: "ant", 77: "bee"}
    assert (out.graphwell_given_score.dropna() < 0.1).all()
    for options in ({"method": "laplace"}, {"parameters": {"models": None}}):
        with pytest.raises(OptionError, match="check_labels"):
            classify(ClassifyOptions(table=tmp_path / "in.csv", check_labels=True, **options))


# ------------------------------------------------------------------------------- rows that no label reaches


def test_an_island_of_a_given_graph_has_no_labels_and_is_named_by_its_rows(tmp_path):
    """Two groups on a line with one label each, and an island."""
    anndata = pytest.importorskip("anndata")
    x = np.concatenate([np.arange(20) * 0.01, 0.4 + np.arange(20) * 0.01, 1000 + np.arange(15)])
    label = np.full(55, "", dtype=object)
    label[0], label[39] = "a", "b"
    obs = pd.DataFrame({"label": label.astype(str)}, index=[str(i) for i in range(55)])
    cells = anndata.AnnData(x[:, None], obs=obs)
    cells.obsp["connectivities"] = gw.Graph.from_features(x[:, None], 5).W
    cells.write_h5ad(tmp_path / "in.h5ad")
    report = run(tmp_path / "in.h5ad")
    assert "Rows are compared by the graph in in.h5ad" in " ".join(map(str, report.notes))
    assert (report.facts["unreachable_rows"], report.facts["bridged_rows"]) == (15, 0)
    told = "15 rows lie in 1 component of the graph without any label and got none"
    assert told in str(report.notes[-1])
    assert "(row 41), or link more rows with a larger n_neighbors." in str(report.notes[-1])
    assert all(row["row"] <= 40 for row in report.facts["doubtful"])
