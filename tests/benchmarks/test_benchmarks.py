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

from benchmarks import cluster, company, few_labels, labels, pictures, reading, scale, segmentation
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.data import DataMissingError, Dataset, available, geometric_cut, load, standardised
from benchmarks.few_labels import DEFAULT, PRIOR, START
from benchmarks.output import Figure, Options, ratios
from graphwell import methods
from graphwell.backends.dask.backend import Effort

ROOT = Path(__file__).resolve().parents[2]


def errors_of(errors, data="data", per_class=1):
    """One row with the given errors of each method on label sets 0, 1, ..."""
    return pd.DataFrame(
        {"data": data, "per_class": per_class, "label_set": label_set, "method": method,
         "told": method in ("told", PRIOR), "error": error, "seconds": 0.1, "remark": ""}
        for method, values in errors.items()
        for label_set, error in enumerate(values)
    )  # fmt: skip


def test_a_difference_is_taken_on_the_label_sets_both_were_run_on():
    found = few_labels.difference(errors_of({"a": [3.0, 5.0, 100.0], "b": [2.0, 2.0]}), "a", "b")
    assert found == pytest.approx((2.0, 1.0))  # of 1 and 3


@pytest.mark.parametrize(
    ("errors", "word"),
    [
        ({DEFAULT: [2.4, 2.4], START: [2.0, 2.0]}, "within 0.5"),
        ({DEFAULT: [2.6, 2.6], START: [2.0, 2.0]}, "LOSES"),
        ({DEFAULT: [2.0, 4.0], START: [2.0, 2.0]}, "best or level"),  # a difference that chance explains
        ({DEFAULT: [1.0, 1.0], START: [2.0, 2.0], "rival": [0.1, 0.1]}, "LOSES"),
    ],
)
def test_a_loss_must_exceed_half_a_point_and_the_standard_error(errors, word):
    assert word in few_labels.verdict(errors_of({PRIOR: [1.0], **errors}))


def test_the_hardest_rival_is_neither_our_own_nor_told_more():
    every = {DEFAULT: [3.0], START: [1.0], PRIOR: [1.0], "easy": [9.0], "hard": [2.5], "told": [0.5]}
    for told, name in ((False, "hard"), (True, "told")):
        assert few_labels.hardest_rival(errors_of(every), DEFAULT, told=told)[2] == name


def test_bars_are_reached_or_missed():
    every = pd.concat([errors_of({DEFAULT: [2.8]}, "mnist", 5), errors_of({PRIOR: [7.9]}, "mnist", 1)])
    assert [line[3] for line in few_labels.bar_rows(every)] == ["MISSED", "reached"]


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


def test_sets_that_are_not_there_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GRAPHWELL_DATA", str(tmp_path))
    with pytest.raises(DataMissingError, match=r"letter\.npz is not there"):
        load("letter")
    assert [data.name for data in available(["letter", "digits"])] == ["digits"]
    assert "letter is left out" in capsys.readouterr().out


def test_every_method_labels_every_vertex():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    data = Dataset("two clouds", rng.normal(size=(80, 2)) + 8 * y[:, None], y)
    labels = np.where(np.arange(80) % 10 == 0, y, -1)
    for method in [*few_labels.own_methods(), *few_labels.baselines()]:
        found, _ = method.label(data.graph, labels, data.shares)
        np.testing.assert_array_equal(found, y, err_msg=method.name)


def test_the_bars_of_segmentation():
    names = ("grey 0", "grey 0.05", "grey 0.1", "coins")
    assert [segmentation.allowed(name, 100.0) for name in names] == [0.0, 100.0, 50.0, 100.0]
    found = {"graphwell": (60, 50), "random_walker 130": (300, 300), "random_walker 1000": (90, 110)}
    every = [
        {"picture": "grey 0.1", "seeds": "some", "method": method, "wrong": wrong, "seconds": 1.0}
        for method, counts in found.items()
        for wrong in counts
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

    assert segmentation.missed_bars(sizes((1.0, 4.0), 0.4)) == []
    assert "took 2.00 times as long" in segmentation.missed_bars(sizes((1.0, 8.0), 0.4))[0]
    assert segmentation.missed_bars(sizes((1.0, 4.0), 5.0)) == ["1.00 megapixels with noise 0 took 5.00 GiB"]


def test_photographs_with_strokes_are_held_to_the_best_of_the_others():
    found = {"graphwell": (3.0, 60.0), "GrabCut": (5.0, 50.0), "watershed": (2.0, 40.0)}
    every = [
        {"marks": "sparse", "method": method, "wrong": wrong, "boundary": boundary, "seconds": 1.0,
         "mebibytes": 50.0}
        for method, (wrong, boundary) in found.items()
    ]  # fmt: skip
    rows, missed = segmentation.against_others(every)
    assert rows[0] == ["object, sparse strokes", "graphwell", "3.00", "60.00", "1.00", "50", "1"]
    assert missed == ["object, sparse strokes: 3.00 % wrong, another method has less"]
    assert segmentation.against_others(every[:2])[1] == []


def test_boundaries_match_within_two_pixels():
    truth = np.repeat([[0] * 10 + [1] * 10], 5, axis=0)
    assert segmentation.boundary_score(truth, truth) == 100
    assert (
        segmentation.boundary_score(np.roll(truth, 2, axis=1), np.where(np.arange(20) == 9, -1, truth)) > 60
    )
    assert segmentation.boundary_score(np.zeros_like(truth), truth) == 0


def test_one_stroke_is_left_out_and_every_class_keeps_one(monkeypatch, tmp_path):
    marks = np.full((20, 30), -1)
    marks[2, 2:12], marks[8, 2:12], marks[15, 2:12], marks[15, 20] = 0, 0, 1, 1
    picture = np.zeros((20, 30, 3), dtype=np.uint8)
    kinds = [("a", "sparse", picture, marks, None), ("b", "dense", picture, marks, None)]
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    monkeypatch.setattr(pictures, "photographs", lambda: iter(kinds))
    ((name, _, without, after),) = pictures.photographs_with_a_stroke_left_out()
    assert name == "a"
    assert (after == marks).all()
    assert (marks >= 0).sum() - (without >= 0).sum() == 10
    assert set(np.unique(without)) == {-1, 0, 1}


def test_a_stroke_of_a_grey_picture_is_new():
    _, without, marks = pictures.grey_strokes(0.0)
    assert ((without >= 0) <= (marks >= 0)).all()
    assert (without != marks).any()


def test_a_stroke_that_costs_too_much_is_told(monkeypatch, capsys, tmp_path):
    costs = iter([("calm", 0.05), ("noisy", 0.2)])

    def cost(*args, **options):
        name, stroke = next(costs)
        return {"picture": name, "first": 1.0, "stroke": stroke, "unlike": 0}

    monkeypatch.setattr(segmentation, "stroke_cost", cost)
    monkeypatch.setattr(pictures, "photographs_with_a_stroke_left_out", lambda: iter(()))
    found, missed = segmentation.compare_strokes(Options(quick=True, out=tmp_path))
    assert [one["picture"] for one in found] == ["calm", "noisy"]
    assert missed == ["noisy: a stroke took 0.20 of a first call"]
    assert "0.05" in capsys.readouterr().out


@pytest.mark.slow
def test_a_small_picture_is_measured_in_a_process_of_its_own():
    found = segmentation.measure_apart(64, 0.0)
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
    options = ["--quick", "--out", str(tmp_path), "--data", "digits", "texture"]
    command = [sys.executable, "-m", "benchmarks", "few_labels", *options]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "Verdict" in run.stdout
    assert "texture is left out" in run.stdout
    found = json.loads((tmp_path / "few_labels.json").read_text())["records"]
    assert {(r["per_class"], r["label_set"]) for r in found} == {
        (per, s) for per in (1, 5, 20) for s in (10, 11)
    }
    assert all(0 <= r["error"] <= 100 and r["seconds"] > 0 for r in found)
    assert (tmp_path / "few_labels.png").read_bytes()[:4] == b"\x89PNG"


def run_of(data, rate, error, with_sizes=None, seed=0, area=1.0):
    areas = {"area": area, "start_area": 1.0, "laplace_area": 2.0}
    fit = {"data": data, "rate": rate, "seed": seed, "error": error, "error_with_sizes": with_sizes}
    return {**fit, **areas, "seconds": 0.1, "status": "SETTLED"}


def test_every_set_has_a_figure_of_before_for_every_rate():
    assert len(labels.BEFORE) == 17
    assert all(len(row) == len(labels.RATES) for row in labels.BEFORE.values())


def test_large_sets_begin_and_all_rows_of_mnist_are_there():
    tasks = labels.tasks_for(["digits", "mnist"], Options(quick=False, out=Path()))
    assert tasks[0].data == "mnist"
    assert sum(task.rate == "1" and task.data == "mnist" for task in tasks) == 20
    assert {task.rate for task in tasks if task.data == "mnist"} == {*labels.RATES, *labels.RATES_OF_MNIST}
    chosen = labels.tasks_for(["digits"], Options(quick=True, out=Path(), seeds=[28]))
    assert [task.seed for task in chosen] == len(labels.RATES) * [28]


def test_labels_of_a_rate_are_drawn_per_class_or_at_random():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    assert np.bincount(y[labels.drawn(y, "5", 0) >= 0]).tolist() == [5, 5, 5]
    assert (labels.drawn(y, "r4", 0) >= 0).sum() == 12


def test_the_report_says_what_is_met_and_what_sizes_harm(capsys):
    runs = [run_of("wine", "1", 4.0, 3.0), run_of("wine", "1", 4.4, 6.0, seed=1), run_of("digits", "1", 12.0)]
    labels.report(pd.DataFrame(runs))
    shown = capsys.readouterr().out
    assert "4.5 met" in shown
    assert "10 MISSED" in shown
    assert "+1.6" in shown  # the worst label set of wine, with sizes against without


def test_the_area_is_compared_with_the_better_of_start_and_laplace():
    assert labels.area_ratio(pd.DataFrame([run_of("wine", "1", 4.0, area=0.5)])) == pytest.approx(0.5)


@pytest.mark.slow
def test_two_processes_find_what_one_does():
    tasks = [labels.Task("wine", rate, 0) for rate in ("1", "r4")]
    one, two = (labels.measured(tasks, processes) for processes in (1, 2))
    assert [run["error"] for run in one] == [run["error"] for run in two]
    assert all(run["error_with_sizes"] is not None for run in one)
    assert all(0 <= run["area"] <= 100 for run in one)


def test_shares_are_those_of_the_worker_that_took_longest():
    efforts = [Effort(40, 100, seconds=2.0, seconds_waited=1.5), Effort(40, 50, 3.0, seconds_waited=0.5)]
    graph = SimpleNamespace(efforts=efforts, recall_=1.0, halo=0.25)
    fitted = SimpleNamespace(graph_=graph, timings_={"start": 1.0}, n_iter_=7)
    found = cluster.costs_of(fitted, seconds=4.0)
    assert found["waiting"] == pytest.approx(0.125)
    assert found["scheduling"] == pytest.approx(0.25)
    assert (found["rounds"], found["bytes"], found["sweeps"]) == (40, 150, 7)


def test_every_part_lies_on_the_same_surface():
    (X, truth), (Y, other) = cluster.surface(400, seed=0), cluster.surface(400, seed=1)
    assert not np.array_equal(X, Y)
    for c in range(8):
        centre, next_centre = X[truth == c].mean(axis=0), Y[other == c].mean(axis=0)
        assert np.linalg.norm(centre - next_centre) < 0.5 * np.linalg.norm(X - X.mean(axis=0), axis=1).mean()


def test_methods_and_clusterers_are_measured_once_and_drawn(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(company, "RATES", (0, 5))
    monkeypatch.setattr(company, "clusterers", lambda: [company.OURS])
    monkeypatch.setattr(company, "methods", lambda: {n: methods()[n] for n in ("nearest", "volume mbo")})
    monkeypatch.setattr(company, "taking_part", lambda data, names: names)
    options = Options(False, tmp_path, ["two_moons"], [1])
    company.main(options)
    records = [json.loads(line) for line in (tmp_path / "company.jsonl").read_text().splitlines()]
    assert [(r["rate"], r["method"]) for r in records] == [
        (0, company.OURS), (5, "nearest"), (5, "volume mbo"),
    ]  # fmt: skip
    assert all(0 <= r["error"] < 60 for r in records)
    assert (tmp_path / "company.png").read_bytes().startswith(b"\x89PNG")
    shown = capsys.readouterr().out
    assert "no label" in shown
    company.main(options)
    assert len((tmp_path / "company.jsonl").read_text().splitlines()) == 3


def test_a_refusal_is_kept_in_words(monkeypatch):
    def refuse(job, data):
        raise ValueError("too many rows.")

    monkeypatch.setattr(company, "fitted_error", refuse)
    record = company.measured(company.Job("two_moons", 1, 1, "gtam"))
    assert record["refused"] == "too many rows."
    names, rows = company.table_of([record])
    assert (names, rows) == (["two_moons"], [["gtam", "-"]])


def test_all_methods_take_part_and_two_classes_alone_have_the_binary_one():
    everyone = list(methods())
    two, ten = (set(company.taking_part(name, everyone)) for name in ("two_moons", "mnist"))
    assert two - ten == {"balanced interface", "binary interface"}
    assert "ratio cheeger cut" in company.clusterers()
    with pytest.raises(ValueError, match="No data set"):
        company.data_of(company.Job("nothing", 1, 1, "nearest"))
