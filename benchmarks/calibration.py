"""Whether the scores are what they say: of the rows with score 0.8, four in five should be right.

Measured as the method scores, and calibrated on hidden labels.
"""

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import DataMissingError, Dataset, load, load_cut
from benchmarks.output import Options, show_table, write_json, write_picture
from graphwell import BridgedWarning, DiffuseInterfaceClassifier
from graphwell._types import BoolArray, FloatArray
from graphwell.datasets import sample_labels
from graphwell.view.plots import new_figure

PER_CLASS = 10
LABEL_SETS = {
    "mnist": range(5),
    "digits": range(10, 15),
    "optdigits": range(10, 15),
    "satimage/raw": range(10, 15),
    "letter": range(10, 15),
}
BINS = 15
DOUBTFUL_SHARE = 0.01
FEWEST_ROWS_DRAWN = 30
"""Bins with fewer rows say nothing and are left out of the picture (they count in the error)."""


@dataclass(frozen=True)
class Reliability:
    """Rows by their score: how many, how high they were, and how many of them were right."""

    rows: list[int]
    scores: list[float]
    right: list[float]

    @property
    def error(self) -> float:
        """Expected calibration error: mean distance between score and share of right labels."""
        distances = np.abs(np.array(self.scores) - self.right)
        return float((distances * self.rows).sum() / np.sum(self.rows))


@dataclass(frozen=True)
class Measured:
    """One data set, all label sets together."""

    data: str
    wrong: float
    held_back: int
    n_sets: int
    error_uncalibrated: float
    calibration_error: float
    doubtful_wrong: float
    reliability: Reliability


def reliability(scores: FloatArray, right: BoolArray, bins: int = BINS) -> Reliability:
    """Group rows by score into bins of equal width; empty bins are left out.

    Examples
    --------
    >>> reliability(np.array([0.95, 0.95, 0.15]), np.array([True, False, False]), bins=10)
    Reliability(rows=[1, 2], scores=[0.15, 0.95], right=[0.0, 0.5])
    """
    bin_of = np.minimum((scores * bins).astype(int), bins - 1)
    members = [bin_of == b for b in range(bins) if (bin_of == b).any()]
    return Reliability(
        [int(m.sum()) for m in members],
        [float(scores[m].mean()) for m in members],
        [float(right[m].mean()) for m in members],
    )


def main(options: Options) -> None:
    """Measure, print the table, and write calibration.json and calibration.png."""
    found = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", BridgedWarning)
        for name in options.data or LABEL_SETS:
            try:
                seeds = LABEL_SETS.get(name, range(5))
                data = load_cut(name) if "/" in name else load(name)
                found.append(measured(data, seeds[:2] if options.quick else seeds))
            except DataMissingError as missing:
                print(f"{name} is left out: {missing}")
    write_json(options.out / "calibration.json", {"per_class": PER_CLASS, "sets": [asdict(f) for f in found]})
    columns = ["data", "wrong", "calibration error before", "after", "wrong among the 1 % most doubtful"]
    columns.append("held back")
    show_table(
        f"Scores at {PER_CLASS} labels per class, unlabelled rows, per cent",
        columns,
        [
            [
                f.data,
                f"{100 * f.wrong:.2f}",
                f"{100 * f.error_uncalibrated:.2f}",
                f"{100 * f.calibration_error:.2f}",
                f"{100 * f.doubtful_wrong:.1f}",
                f"{f.held_back} of {f.n_sets}",
            ]
            for f in found
        ],
    )
    if found:
        write_picture(options.out / "calibration.png", picture(found))


def measured(data: Dataset, seeds: range) -> Measured:
    """Fit every label set with default parameters, without calibration and with it."""
    before, scores, right, doubtful, held_back = [], [], [], [], 0
    for seed in seeds:
        labels = sample_labels(data.y, PER_CLASS, seed)
        plain, clf = (
            DiffuseInterfaceClassifier(n_jobs=1, random_state=0, calibrate=calibrate).fit(data.graph, labels)
            for calibrate in (False, True)
        )
        before.append(plain.label_distributions_.max(axis=1)[labels < 0])
        hits = clf.transduction_ == data.y
        scores.append(clf.label_distributions_.max(axis=1)[labels < 0])
        right.append(hits[labels < 0])
        doubtful.append(~hits[clf.doubtful(max(1, round(DOUBTFUL_SHARE * len(hits))))])
        held_back += clf.result_.status.name == "HELD_BACK"
    all_right = np.concatenate(right)
    found = reliability(np.concatenate(scores), all_right)
    return Measured(
        data.name,
        float(1 - all_right.mean()),
        held_back,
        len(seeds),
        reliability(np.concatenate(before), all_right).error,
        found.error,
        float(np.concatenate(doubtful).mean()),
        found,
    )


def picture(found: Sequence[Measured]) -> Any:
    """Reliability diagrams: the share of right labels against the score, dots as large as their rows."""
    figure, panels = new_figure(len(found), 4.0, 4.0)
    for panel, one in zip(panels, found, strict=True):
        shown = one.reliability
        panel.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        rows = np.array(shown.rows)
        telling = rows >= FEWEST_ROWS_DRAWN
        scores, right = np.array(shown.scores)[telling], np.array(shown.right)[telling]
        panel.plot(scores, right, color="#1f6f8b")
        panel.scatter(scores, right, s=15 + 300 * rows[telling] / rows.sum(), color="#1f6f8b", zorder=3)
        panel.set(xlim=(0, 1.03), ylim=(0, 1.03), xlabel="score", ylabel="share of right labels")
        panel.set_title(f"{one.data}: calibration error {100 * one.calibration_error:.1f} points")
    return figure
