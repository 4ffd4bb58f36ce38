"""The benchmark of the strategies: runs, tables, bars."""

import json

import numpy as np
import pytest

from benchmarks import ask
from benchmarks.data import Dataset
from benchmarks.output import Options
from tests.active.queries import five_clusters


def run_of(strategy="auto", data="digits", errors=(5.0, 3.0, 2.0, 1.0), all_found=10, seed=1):
    claimed = [(0.9, 0.99)] * 4
    return ask.Run(data, strategy, seed, 10, list(errors), [10] * 4, all_found, claimed, 1.0)


def test_bars_are_met_or_missed():
    assert [row[-1] for row in ask._bars([run_of()])] == ["met", "met"]
    assert [row[-1] for row in ask._bars([run_of(errors=(9, 3, 2, 1))])] == ["MISSED", "met"]


def test_classes_of_cuts_must_be_found_in_half_of_the_questions():
    chance = run_of("random", "digits/cut", all_found=None)
    met = list(ask._bars([run_of(data="digits/cut", all_found=50), chance]))
    missed = list(ask._bars([run_of(data="digits/cut", all_found=51), chance]))
    assert [row[-1] for row in (*met, *missed)] == ["met", "MISSED"]


def test_being_behind_random_is_told():
    ahead = [run_of(), run_of("random", errors=(50, 30, 20, 10))]
    behind = [run_of(), run_of("random", errors=(5, 3, 1, 1))]
    assert list(ask._behind(ahead)) == []
    assert [row[0] for row in ask._behind(behind)] == ["digits, 4K"]


def test_areas_are_compared_on_sets_that_all_were_run_on():
    runs = [run_of(), run_of("random", errors=(8, 8, 8, 8)), run_of(data="other", errors=(90, 90, 90, 90))]
    assert ask._areas(runs, ["random", "auto"]) == [["auto", "2.75"], ["random", "8.00"]]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_set_is_measured_and_drawn(monkeypatch, tmp_path, capsys):
    graph, truth = five_clusters()
    data = Dataset("five", np.zeros((len(truth), 1)), truth)
    data.__dict__["graph"] = graph
    monkeypatch.setattr(ask, "load_cut", lambda name: data)
    ask.main(Options(True, tmp_path, ["five"], [1, 3], 2, ["auto", "random"]))
    runs = json.loads((tmp_path / "ask.json").read_text())["runs"]
    assert {(run["strategy"], run["seed"]) for run in runs} == {
        ("auto", 1), ("auto", 3), ("random", 1), ("random", 3)
    }  # fmt: skip
    assert (tmp_path / "ask.png").read_bytes().startswith(b"\x89PNG")
    assert "Mean area" in capsys.readouterr().out
