"""The benchmark of labels as users give them."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import labels, labels_report
from benchmarks.labels_report import BEFORE, RATES
from benchmarks.output import Options


def run_of(data, rate, error, with_sizes=None, seed=0, area=1.0):
    areas = {"area": area, "start_area": 1.0, "laplace_area": 2.0}
    return labels_report.Run(data, rate, seed, error, with_sizes, **areas, seconds=0.1, status="SETTLED")


def test_every_set_has_a_figure_of_before_for_every_rate():
    assert len(BEFORE) == 17
    assert all(len(row) == len(RATES) for row in BEFORE.values())


def test_large_sets_begin_and_all_rows_of_mnist_are_there():
    tasks = labels.tasks_for(["digits", "mnist"], Options(quick=False, out=Path()))
    assert tasks[0].data == "mnist"
    assert sum(task.rate == "1" and task.data == "mnist" for task in tasks) == 20
    assert {task.rate for task in tasks if task.data == "mnist"} == {*RATES, *labels.RATES_OF_MNIST}
    chosen = labels.tasks_for(["digits"], Options(quick=True, out=Path(), seeds=[28]))
    assert [task.seed for task in chosen] == len(RATES) * [28]


def test_labels_of_a_rate_are_drawn_per_class_or_at_random():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    assert np.bincount(y[labels.drawn(y, "5", 0) >= 0]).tolist() == [5, 5, 5]
    assert (labels.drawn(y, "r4", 0) >= 0).sum() == 12


def test_the_report_says_what_is_met_and_what_sizes_harm(capsys):
    runs = [run_of("wine", "1", 4.0, 3.0), run_of("wine", "1", 4.4, 6.0, seed=1), run_of("digits", "1", 12.0)]
    labels_report.report(runs)
    shown = capsys.readouterr().out
    assert "4.5 met" in shown
    assert "10 MISSED" in shown
    assert "+1.6" in shown  # the worst label set of wine, with sizes against without


def test_the_area_is_compared_with_the_better_of_start_and_laplace():
    assert labels_report.area_ratio([run_of("wine", "1", 4.0, area=0.5)]) == pytest.approx(0.5)


@pytest.mark.slow
def test_two_processes_find_what_one_does():
    tasks = [labels.Task("wine", rate, 0) for rate in ("1", "r4")]
    one, two = (labels.measured(tasks, processes) for processes in (1, 2))
    assert [run.error for run in one] == [run.error for run in two]
    assert all(run.error_with_sizes is not None for run in one)
    assert all(0 <= run.area <= 100 for run in one)
