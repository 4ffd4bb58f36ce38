"""The benchmark of the strategies: runs and bars."""

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import ask
from benchmarks.data import Dataset
from benchmarks.output import Options
from tests.active.queries import five_clusters


def runs(*several):
    """Records of strategies: name, errors, and where they differ from these, data and all_found."""
    given = {"data": "digits", "n_classes": 10, "all_found": 10, "found": [10] * 4, "seconds": 1.0, "seed": 1}
    rows = [{**given, "name": name, "errors": errors, **more} for name, errors, more in several]
    return pd.DataFrame([{**row, "area": np.mean(row["errors"]), "claimed": 4 * [(0.9, 1)]} for row in rows])


def test_bars_are_met_or_missed():
    assert [row["met"] for row in ask.bars(runs(("auto", [5, 3, 2, 1], {})))] == ["met", "met"]
    assert [row["met"] for row in ask.bars(runs(("auto", [9, 3, 2, 1], {})))] == ["MISSED", "met"]


def test_classes_of_cuts_must_be_found_in_half_of_the_questions():
    cut = {"data": "digits/cut"}
    for needed, verdict in ((50, "met"), (51, "MISSED")):
        ours = ("auto", [5, 3, 2, 1], {**cut, "all_found": needed})
        chance = ("random", [5, 3, 2, 1], {**cut, "all_found": None})
        assert [row["met"] for row in ask.bars(runs(ours, chance))] == [verdict]


def test_the_area_is_that_of_common_sets(capsys):
    ours, other = ("auto", [5, 3, 2, 1], {}), ("auto", [90, 90, 90, 90], {"data": "other"})
    ask.report(runs(ours, ("random", [8, 8, 8, 8], {}), other))
    areas = capsys.readouterr().out.split("Mean area over all sets")[1]
    assert areas.index("2.75") < areas.index("8.00")


@pytest.mark.slow
def test_a_set_is_measured_and_drawn(monkeypatch, tmp_path, capsys):
    graph, truth = five_clusters()
    data = Dataset("five", np.zeros((len(truth), 1)), truth)
    data.__dict__["graph"] = graph
    monkeypatch.setattr(ask, "load", lambda name: data)
    monkeypatch.setattr(ask.active, "strategies", lambda: ("auto", "random"))
    ask.ask(Options(True, tmp_path, ["five"], [1, 3]))
    found = [json.loads(line) for line in (tmp_path / "ask.jsonl").read_text().splitlines()]
    assert {(run["name"], run["seed"]) for run in found} == {
        ("auto", 1), ("auto", 3), ("random", 1), ("random", 3)
    }  # fmt: skip
    assert "Mean area" in capsys.readouterr().out
