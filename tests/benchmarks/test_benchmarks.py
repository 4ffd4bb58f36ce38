"""The benchmarks: their arithmetic by hand, and small runs from end to end."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from benchmarks import cluster, messy, methods, processes, segmentation
from benchmarks import page as tables_of_pages
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.data import DataMissingError, Dataset, available, geometric_cut, load, standardised
from benchmarks.output import Figure, Options, peak_memory, ratios, resumed
from graphwell.backends.dask.backend import Effort

ROOT = Path(__file__).resolve().parents[2]


def test_an_unknown_benchmark_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["nonsense"])
    assert ended.value.code == 2
    assert f"no benchmark is called nonsense; there are {', '.join(BENCHMARKS)}" in capsys.readouterr().err


def test_the_peak_is_what_a_block_takes_and_no_more():
    with peak_memory() as small:
        pass
    with peak_memory() as large:
        block = np.ones(10_000_000)
        del block
    if large() is None:
        pytest.skip("this system does not tell the memory of a process")
    assert large() > 70_000_000 > 20_000_000 > small()


def test_a_figure_is_judged_by_its_median():
    ratio = Figure("a sweep", [1.0, 1.2, 9.0], bar=1.3)
    assert ratio.row() == ["a sweep", "1.2 x", "1 to 9", "1.3 x", "met", ""]
    assert Figure("a sweep", [1.4], bar=1.3).verdict == "MISSED"


def test_a_ratio_compares_work_with_its_floor(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("benchmarks.output.time.perf_counter", lambda: clock[0])

    def takes(seconds):
        clock[0] += seconds

    assert ratios(lambda: takes(3.0), lambda: takes(2.0), floor_times=4) == [1.5] * 5


def test_data_sets(tmp_path, monkeypatch, capsys):
    X, y = load("digits").X, load("digits").y
    assert X.shape == (1797, 64)
    sizes = np.bincount(y[geometric_cut(y)])
    assert sizes[0] > 150
    assert sizes[-1] == 20
    assert (np.diff(sizes) <= 0).all()
    assert len(load("digits/geometric").y) == sizes.sum()
    scaled = standardised(np.array([[1.0, 7.0], [3.0, 7.0]]))
    np.testing.assert_array_equal(scaled, [[-1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="No data set is called 'nonsense'"):
        load("nonsense")
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path))
    with pytest.raises(DataMissingError, match=r"letter\.npz is not there"):
        load("letter")
    assert [data.name for data in available(["letter", "digits"])] == ["digits"]
    assert "letter is left out" in capsys.readouterr().out


@pytest.mark.slow
def test_every_method_labels_every_vertex(monkeypatch):
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 40)
    data = Dataset("two clouds", rng.normal(size=(80, 2)) + 8 * y[:, None], y)
    monkeypatch.setattr(methods, "load", lambda name: data)
    for name, method in methods.candidates().items():
        for rate in ["0"] * method.clusters + ["4"] * (name != methods.CLUSTERS):
            assert methods.measured("two clouds", rate, 1, name)["error"] == 0, name


@pytest.mark.slow
def test_a_small_run_writes_its_records_and_goes_on(tmp_path):
    options = ["--quick", "--out", str(tmp_path), "--data", "wine", "texture", "--seeds", "10"]
    command = [sys.executable, "-m", "benchmarks", "few_labels", *options]
    environment = {**os.environ, "GRAPHWELL_DATA": str(tmp_path)}
    for _ in range(2):
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        assert "mean of all sets" in run.stdout
        assert "texture.npz is not there" in run.stdout
        found = [json.loads(line) for line in (tmp_path / "few_labels.jsonl").read_text().splitlines()]
        assert {(r["rate"], r["seed"]) for r in found} == {(rate, 10) for rate in ("0", "1", "5", "20")}
        assert len({(r["rate"], r["method"]) for r in found}) == len(found)


def test_photographs_are_held_to_the_best_of_the_others():
    wrong = pd.DataFrame({"graphwell": [3.0, 1.0], "GrabCut": [5.0, None], "watershed": [2.0, 4.0]})
    figures = segmentation.against_others(wrong)
    assert [(each.bar, each.verdict) for each in figures] == [(2.0, "MISSED"), (4.0, "met")]


def test_boundaries_match_within_two_pixels():
    truth = np.repeat([[0] * 10 + [1] * 10], 5, axis=0)
    unknown = np.where(np.arange(20) == 9, -1, truth)
    assert segmentation.boundary_score(truth, truth) == 100
    assert segmentation.boundary_score(np.roll(truth, 2, axis=1), unknown) > 60
    assert segmentation.boundary_score(np.zeros_like(truth), truth) == 0


@pytest.mark.slow
def test_a_fresh_process_measures_a_picture():
    found = processes.answer_of("-m", "benchmarks.segmentation", "64", "0.0")
    assert found["wrong pixels"] == 0
    assert 0 <= found["GiB"] < 0.5


def test_a_fit_is_measured_in_a_process_of_its_own():
    run = processes.answer_of("-m", "benchmarks.processes", "23000")
    assert run["n"] == 23_000
    assert 0 < run["bytes per point"] < 2000
    assert run["error"] < 1
    assert run["seconds"] > sum(run["stages"].values()) * 0.9


def test_shares_are_those_of_the_worker_that_took_longest():
    efforts = [Effort(40, 100, seconds=2.0, seconds_waited=1.5), Effort(40, 50, 3.0, seconds_waited=0.5)]
    graph = SimpleNamespace(efforts=efforts, recall_=1.0, halo=0.25)
    fitted = SimpleNamespace(graph_=graph, timings_={"start": 1.0}, n_iter_=7)
    found = cluster.costs_of(fitted, seconds=4.0)
    assert (found["waiting %"], found["scheduling %"]) == pytest.approx((12.5, 25.0))
    assert (found["rounds"], found["MB moved"], found["sweeps"]) == (40, 150e-6, 7)


def test_labels_as_users_give_them():
    jobs = methods.labels_as_given(Options(quick=False, out=Path(), data=["mnist", "digits"]))
    assert sum((j["data"], j["rate"], j["method"]) == ("mnist", "1", methods.DEFAULT) for j in jobs) == 20
    toy = Dataset("toy", np.zeros((100, 1)), np.repeat([0, 1, 2], [50, 30, 20]))
    assert np.bincount(toy.y[methods.drawn(toy, "5", 0) >= 0]).tolist() == [5, 5, 5]
    assert (methods.drawn(toy, "r4", 0) >= 0).sum() == 12


def test_the_report_of_labels_says_what_is_met_and_what_sizes_harm(capsys):
    rows = [("wine", 0, "default", 4.0), ("wine", 0, "class_prior", 3.0), ("wine", 1, "default", 4.4),
            ("wine", 1, "class_prior", 6.0), ("digits", 0, "default", 12.0)]  # fmt: skip
    runs = pd.DataFrame(rows, columns=["data", "seed", "method", "error"]).assign(rate="1", seconds=0.1)
    methods.report_of_labels(runs)
    shown = capsys.readouterr().out
    assert "4.5 met" in shown
    assert "10 MISSED" in shown
    assert "Mean of 1 rows: 4.20 % wrong, 4.50 % where the sizes are given" in shown


@pytest.mark.slow
def test_two_processes_find_what_one_does(tmp_path):
    jobs = [
        {"data": "wine", "rate": rate, "seed": 0, "method": method}
        for rate in ("1", "r4")
        for method in ("default", "class_prior")
    ]
    one, two = (
        resumed(f"{n}", methods.measured, jobs, Options(quick=False, out=tmp_path, processes=n))
        for n in (1, 2)
    )
    assert one.error.tolist() == two.error.tolist()
    assert len(resumed("1", methods.measured, jobs, Options(quick=False, out=tmp_path))) == len(one) == 4


@pytest.mark.parametrize("seed", range(3))
def test_messy_tables_are_read_as_they_were(tmp_path, seed):
    clean = pd.DataFrame({"weight": [67.2, 70.5, np.nan], "sex": ["m", None, "f"], "n": [1, 2, 3]})
    classes, given = np.array(["a", "b", "a"], dtype=object), np.array([True, True, False])
    messy.write_messy(tmp_path / "messy.csv", clean, classes, given, np.random.default_rng(seed))
    table = gw.read_table(tmp_path / "messy.csv")
    assert list(table["code"].str[:2]) == ["A-"] * 3
    assert list(table["class"]) == ["a", "b", "?"]
    assert list(table["n"].astype(int)) == [1, 2, 3]
    assert table["weight"].astype(str)[0] in ("67.2 kg", "67,2 kg")


def test_the_tables_of_the_pages_are_those_of_the_results():
    for page in tables_of_pages.PAGES:
        assert tables_of_pages.filled(page.read_text()) == page.read_text(), (
            f"run make benchmarks-page: {page.name}"
        )
