"""The tables of `benchmarks.labels`: every row, the bars, the change of all rows, the areas, the sizes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.output import show_table

SEEDS = range(8)
RATES = ("1", "5", "r2", "r4", "r10")
BEFORE = {
    "optdigits": (4.40, 1.40, 27.29, 12.99, 2.48),
    "penbased/raw": (14.59, 7.35, 27.42, 14.72, 5.99),
    "texture/raw": (13.79, 5.27, 27.89, 13.45, 4.61),
    "letter/raw": (69.73, 43.87, 66.03, 52.35, 35.75),
    "satimage/raw": (29.15, 17.76, 33.45, 26.20, 17.09),
    "segment/raw": (33.23, 23.84, 40.60, 27.90, 19.38),
    "usps_2class/raw": (49.21, 30.25, 30.32, 20.44, 14.15),
    "coil_6class/raw": (73.14, 39.98, 63.26, 44.67, 24.87),
    "digits": (13.26, 3.76, 20.35, 10.24, 2.34),
    "wine": (7.43, 3.83, 26.89, 12.12, 3.72),
    "cancer": (8.64, 7.42, 15.46, 19.15, 6.69),
    "mnist": (7.68, 2.51, 36.91, 20.18, 5.44),
    "mnist/cut": (16.72, 7.75, 26.42, 15.11, 12.15),
    "penbased/raw/cut": (20.55, 11.77, 24.86, 12.15, 5.57),
    "optdigits/cut": (6.99, 3.19, 18.69, 8.66, 4.40),
    "texture/raw/cut": (18.52, 6.25, 19.31, 11.82, 5.56),
    "digits/cut": (16.72, 5.17, 21.04, 8.91, 4.99),
}
"""The 17 sets, with a figure for each of `RATES`: the error in % before sources by class and a coarse level,
mean over label sets 0-7, drawn as in `labels.drawn`."""
BARS = {
    ("mnist", "1"): (2.8, 7.7),
    ("mnist", "2"): (2.6, 4.1),
    ("mnist", "5"): (2.5, 2.4),
    ("mnist", "10"): (2.5, 2.4),
    ("mnist", "50"): (2.4, 2.4),
    ("mnist", "700"): (2.2, 2.15),
    ("mnist", "r4"): (7.5, 18.0),
    ("mnist", "r10"): (2.7, 4.5),
    ("optdigits", "1"): (2.0, 4.4),
    ("texture/raw", "1"): (11.5, 13.8),
    ("penbased/raw", "1"): (12.7, 14.6),
    ("penbased/raw", "5"): (5.8, 7.4),
    ("digits", "1"): (10.0, 13.3),
    ("cancer", "1"): (7.0, 8.6),
    ("cancer", "r2"): (9.0, 15.5),
    ("wine", "1"): (4.5, 7.4),
    ("usps_2class/raw", "r4"): (18.0, 21.6),
    ("usps_2class/raw", "r10"): (10.0, 18.1),
}
"""Bar and the figure before the coarse level, error in % of the unlabelled rows."""
WORST_BAR, MEAN_CHANGE_BAR, WORST_CHANGE_BAR, AREA_BAR = 4.0, -1.2, 1.0, 1.0


@dataclass(frozen=True)
class Run:
    """One label set: errors, areas under the risk-coverage curves, seconds, and how the fit ended.

    Attributes
    ----------
    error_with_sizes : float or None
        Error where the true class sizes are given, if that was tried: only if every class has a label.
    start_area, laplace_area : float
        Areas of the start by itself, and of Laplace learning.
    """

    data: str
    rate: str
    seed: int
    error: float
    error_with_sizes: float | None
    area: float
    start_area: float
    laplace_area: float
    seconds: float
    status: str


Rows = dict[tuple[str, str], list[Run]]


def report(runs: Sequence[Run]) -> None:
    """Print every row with its spread and its bar, and what all rows say together."""
    rows: Rows = defaultdict(list)
    for run in runs:
        rows[run.data, run.rate].append(run)
    columns = ["row", "mean", "spread", "worst", "sets", "before", "bar", "area", "sizes given", "s", "kept"]
    table = [_row(data, rate, row) for (data, rate), row in rows.items()]
    show_table("Error in % of the unlabelled rows", columns, table)
    figures = [*_worst_of_mnist(rows), *_changes(rows), *_areas(rows), *_sizes(rows)]
    show_table("All rows together", ["figure", "value", "bar"], figures)


def _row(data: str, rate: str, row: list[Run]) -> list[str]:
    errors = [run.error for run in row]
    before = before_of(data, rate)
    bar = BARS.get((data, rate), (None, None))[0]
    told = [run.error_with_sizes for run in row if run.error_with_sizes is not None]
    return [
        f"{data} {rate}",
        f"{np.mean(errors):.2f}",
        f"{np.std(errors):.2f}",
        f"{max(errors):.1f}",
        str(len(row)),
        "" if before is None else f"{before:.1f}",
        "" if bar is None else _judged(float(np.mean(errors)), bar),
        f"{area_ratio(row):.2f}",
        f"{np.mean(told):.2f}, worst {max(told):.1f}" if told else "",
        f"{np.median([run.seconds for run in row]):.2f}",
        str(sum(run.status in ("HELD_BACK", "COMMUNITIES_KEPT") for run in row)),
    ]


def before_of(data: str, rate: str) -> float | None:
    """The figure before the coarse level.

    Examples
    --------
    >>> before_of("digits", "1"), before_of("mnist", "2"), before_of("digits", "3")
    (13.28, 4.1, None)
    """
    if rate in RATES and data in BEFORE:
        return BEFORE[data][RATES.index(rate)]
    return BARS.get((data, rate), (None, None))[1]


def area_ratio(row: Sequence[Run]) -> float:
    """Mean area under the risk-coverage curve, against the better one of start and Laplace learning."""
    ours, start, laplace = (
        np.mean([getattr(run, name) for run in row]) for name in ("area", "start_area", "laplace_area")
    )
    return float(ours / max(min(start, laplace), 1e-9))


def _judged(value: float, bar: float) -> str:
    return f"{bar:g} {'met' if value <= bar else 'MISSED'}"


def _worst_of_mnist(rows: Rows) -> list[list[str]]:
    errors = [run.error for run in rows.get(("mnist", "1"), [])]
    if not errors:
        return []
    name = f"MNIST, one per class: worst of {len(errors)} sets"
    return [[name, f"{max(errors):.2f}", _judged(max(errors), WORST_BAR)]]


def _changes(rows: Rows) -> list[list[str]]:
    """Changes of the rows whose label sets are those of `BEFORE`."""
    changes = {}
    for (data, rate), row in rows.items():
        errors = [run.error for run in row if run.seed in SEEDS]
        if errors and data in BEFORE and rate in RATES:
            changes[data, rate] = float(np.mean(errors)) - BEFORE[data][RATES.index(rate)]
    if not changes:
        return []
    mean, worst = float(np.mean(list(changes.values()))), max(changes, key=lambda key: changes[key])
    return [
        [f"mean change of {len(changes)} rows", f"{mean:+.2f}", _judged(mean, MEAN_CHANGE_BAR)],
        [
            f"worst row, {' '.join(worst)}",
            f"{changes[worst]:+.2f}",
            _judged(changes[worst], WORST_CHANGE_BAR),
        ],
    ]


def _areas(rows: Rows) -> list[list[str]]:
    ratios = {key: area_ratio(row) for key, row in rows.items()}
    mean, worst = float(np.mean(list(ratios.values()))), max(ratios, key=lambda key: ratios[key])
    name = "area under risk-coverage, against the better of start and Laplace"
    return [
        [f"{name}: mean of the rows", f"{mean:.2f}", _judged(mean, AREA_BAR)],
        [f"{name}: worst row, {' '.join(worst)}", f"{ratios[worst]:.2f}", ""],
    ]


def _sizes(rows: Rows) -> list[list[str]]:
    found = []
    for key, row in rows.items():
        told = [run.error_with_sizes for run in row if run.error_with_sizes is not None]
        if told:
            found.append((max(told) - max(run.error for run in row), key))
    if not found:
        return []
    worst, key = max(found)
    harmed = sum(change > 0 for change, _ in found)
    return [
        [f"rows whose worst label set true sizes make worse, of {len(found)}", str(harmed), "0"],
        [f"by how much at most, {' '.join(key)}", f"{worst:+.1f}", "0"],
    ]
