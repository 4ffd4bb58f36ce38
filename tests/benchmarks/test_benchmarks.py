"""The benchmarks: their arithmetic by hand, and one small run from end to end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import marked, picture_size, reading, scale, segmentation
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.calibration import reliability
from benchmarks.data import DataMissingError, Dataset, geometric_cut, load, standardised
from benchmarks.few_labels import Record, bar_rows, difference, hardest_rival, verdict_row
from benchmarks.methods import DEFAULT, PRIOR, START, baselines, own_methods
from benchmarks.output import Figure, ratios

ROOT = Path(__file__).resolve().parents[2]


def records(errors):
    """One row with the given errors of each method on label sets 0, 1, ..."""
    return [
        Record("data", 1, label_set, method, method == "told", error, 0.1)
        for method, values in errors.items()
        for label_set, error in enumerate(values)
    ]


def test_a_difference_is_taken_on_the_label_sets_both_were_run_on():
    found = difference(records({"a": [3.0, 5.0, 100.0], "b": [2.0, 2.0]}), ("data", 1), "a", "b")
    assert (found.mean, found.n_sets) == (2.0, 2)
    assert found.standard_error == pytest.approx(1.0)  # of 1 and 3
    assert found.loses
    assert not found.level


def test_a_loss_must_exceed_half_a_point_and_the_standard_error():
    row = ("data", 1)
    assert not difference(records({"a": [2.4, 2.4], "b": [2.0, 2.0]}), row, "a", "b").loses
    assert difference(records({"a": [2.6, 2.6], "b": [2.0, 2.0]}), row, "a", "b").loses
    assert not difference(records({"a": [2.0, 4.0], "b": [2.0, 2.0]}), row, "a", "b").loses


def test_the_hardest_rival_is_neither_our_own_nor_told_more():
    every = records({DEFAULT: [3.0], START: [1.0], PRIOR: [1.0], "easy": [9.0], "hard": [2.5], "told": [0.5]})
    assert hardest_rival(every, ("data", 1), DEFAULT, told=False).other == "hard"
    assert hardest_rival(every, ("data", 1), DEFAULT, told=True).other == "told"
    assert "LOSES" in verdict_row(every, ("data", 1))


def test_the_verdict_of_a_clear_winner():
    every = [
        Record("data", 5, label_set, method, method == PRIOR, error, 0.1)
        for label_set in range(3)
        for method, error in [(DEFAULT, 1.0), (START, 2.0), (PRIOR, 1.0), ("rival", 3.0)]
    ]
    assert "best or level" in verdict_row(every, ("data", 5))


def test_bars_are_reached_or_missed():
    every = [Record("mnist", 5, 0, DEFAULT, False, 2.8, 1.0), Record("mnist", 1, 0, PRIOR, True, 7.9, 1.0)]
    assert [line[3] for line in bar_rows(every)] == ["MISSED", "reached"]


def test_reliability_of_scores_that_are_right_and_of_some_that_are_not():
    scores = np.repeat([0.55, 0.95], 100)
    right = np.concatenate([np.arange(100) < 55, np.arange(100) < 95])
    assert reliability(scores, right, bins=10).error == pytest.approx(0.0)
    assert reliability(scores, np.ones(200, dtype=bool), bins=10).error == pytest.approx(0.25)
    assert sum(reliability(np.array([0.0, 1.0]), np.array([True, True])).rows) == 2


def test_data_sets():
    X, y = load("digits").X, load("digits").y
    assert X.shape == (1797, 64)
    sizes = np.bincount(y[geometric_cut(y)])
    assert sizes[0] > 150
    assert sizes[-1] == 20
    assert (np.diff(sizes) <= 0).all()
    scaled = standardised(np.array([[1.0, 7.0], [3.0, 7.0]]))
    np.testing.assert_array_equal(scaled, [[-1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="No data set is called 'nonsense'"):
        load("nonsense")


def test_sets_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path))
    with pytest.raises(DataMissingError, match=r"letter\.npz is not there"):
        load("letter")


def test_every_method_labels_every_vertex():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    data = Dataset("two clouds", rng.normal(size=(80, 2)) + 8 * y[:, None], y)
    labels = np.where(np.arange(80) % 10 == 0, y, -1)
    for method in [*own_methods(), *baselines()]:
        found, _ = method.label(data.graph, labels, data.shares)
        np.testing.assert_array_equal(found, y, err_msg=method.name)


def test_the_bars_of_segmentation():
    assert [segmentation.allowed(name, 100.0) for name in ("grey 0", "grey 0.05", "grey 0.1", "coins")] == [
        0.0,
        100.0,
        50.0,
        100.0,
    ]
    found = {"graphwell": (60, 50), "random_walker 130": (300, 300), "random_walker 1000": (90, 110)}
    every = [
        segmentation.Record("grey 0.1", "some", seed_set, method, wrong, 1.0)
        for method, counts in found.items()
        for seed_set, wrong in enumerate(counts)
    ]
    rows, missed = segmentation.compare(every)
    assert rows[0][1:6] == ["55.0", "50 to 60", "100.0", "1000", "50.0"]
    assert missed == ["grey 0.1, some: 55.0 wrong pixels, 50.0 allowed"]


def test_pictures_may_take_time_and_memory_by_their_size():
    def sizes(seconds, memory):
        return [
            {"megapixels": m, "noise": 0.0, "CPU seconds": s, "GiB": memory}
            for m, s in zip((0.25, 1.0), seconds, strict=True)
        ]

    assert picture_size.missed_bars(sizes((1.0, 4.0), 0.4)) == []
    assert "took 2.00 times as long" in picture_size.missed_bars(sizes((1.0, 8.0), 0.4))[0]
    assert picture_size.missed_bars(sizes((1.0, 4.0), 5.0)) == ["1.00 megapixels with noise 0 took 5.00 GiB"]


def test_photographs_with_strokes_are_held_to_the_best_of_the_others():
    found = {"graphwell": (3.0, 60.0), "GrabCut": (5.0, 50.0), "watershed": (2.0, 40.0)}
    every = [marked.Marked("a", "sparse", method, *scores, 1.0, 50.0) for method, scores in found.items()]
    rows, missed = marked.compare(every)
    assert rows[0] == ["object, sparse strokes", "graphwell", "3.00", "60.00", "1.00", "50", "1"]
    assert missed == ["object, sparse strokes: 3.00 % wrong, another method has less"]
    assert marked.compare(every[:2])[1] == []


def test_boundaries_match_within_two_pixels():
    truth = np.repeat([[0] * 10 + [1] * 10], 5, axis=0)
    assert marked.boundary_score(truth, truth) == 100
    assert marked.boundary_score(np.roll(truth, 2, axis=1), np.where(np.arange(20) == 9, -1, truth)) > 60
    assert marked.boundary_score(np.zeros_like(truth), truth) == 0


@pytest.mark.slow
def test_a_small_picture_is_measured_in_a_process_of_its_own():
    found = picture_size.measure_apart(64, 0.0)
    assert found["megapixels"] == 64 * 64 / 1e6
    assert found["wrong pixels"] == 0
    assert found["seconds"] > 0
    assert 0 <= found["GiB"] < 0.5


def test_an_unknown_benchmark_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["nonsense"])
    assert ended.value.code == 2
    assert f"no benchmark is called nonsense; there are {', '.join(BENCHMARKS)}" in capsys.readouterr().err


def test_a_figure_is_judged_by_its_median():
    ratio = Figure("a sweep", [1.0, 1.2, 9.0], bar=1.3)
    assert ratio.row() == ["a sweep", "1.2 x", "1 to 9", "1.3 x", "met"]
    assert Figure("a sweep", [1.4], bar=1.3).verdict == "MISSED"


def test_a_ratio_compares_work_with_its_floor(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("benchmarks.output.time.perf_counter", lambda: clock[0])

    def takes(seconds):
        clock[0] += seconds

    assert ratios(lambda: takes(3.0), lambda: takes(2.0), floor_times=4) == [1.5] * 5


@pytest.mark.slow
def test_the_memory_of_a_table_is_at_least_that_of_its_rows(tmp_path):
    pytest.importorskip("pyarrow")
    reading.write_table(tmp_path / "table.parquet", 40_000)
    assert reading.times_the_rows(tmp_path / "table.parquet", "none") > 1


def test_a_fit_is_measured_in_a_process_of_its_own():
    run = scale.in_own_process(23_000)
    assert run.n == 23_000
    assert 0 < run.bytes_per_point < 2000
    assert run.error < 1
    assert run.seconds > sum(run.stages.values()) * 0.9


@pytest.mark.slow
def test_a_small_run_writes_figures_and_a_picture(tmp_path):
    environment = {**os.environ, "GRAPHWELL_DATA": str(tmp_path)}
    names = ["few_labels", "calibration"]
    options = ["--quick", "--out", str(tmp_path), "--data", "digits", "texture"]
    command = [sys.executable, "-m", "benchmarks", *names, *options]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "Verdict" in run.stdout
    assert "texture is left out" in run.stdout
    found = json.loads((tmp_path / "few_labels.json").read_text())["records"]
    assert {(r["per_class"], r["label_set"]) for r in found} == {
        (per, s) for per in (1, 5, 20) for s in (10, 11)
    }
    assert all(0 <= r["error"] <= 100 and r["seconds"] > 0 for r in found)
    assert json.loads((tmp_path / "calibration.json").read_text())["sets"][0]["calibration_error"] < 0.05
    for name in ("few_labels.png", "calibration.png"):
        assert (tmp_path / name).read_bytes()[:4] == b"\x89PNG"
