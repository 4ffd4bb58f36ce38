"""Found by cross-validation: the models and their weights, the estimated accuracy, labels that look wrong."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pandas import DataFrame

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Block, Vector
from graphwell.estimators.tuning.metrics import CANDIDATES
from graphwell.solve.descent import Status

Z_90 = 1.645
LABELS_OF_SCORES, UNCERTAIN_BESIDES = 20.0, 1.5
"""Labels that the scores themselves count as in the estimate of the accuracy, and by how much its variance
exceeds that of as many checked labels: models were chosen by them, and one split is one of many. Chosen on
label sets 0 and 1 of 28 tables: the 90 % interval held the truth in 95 % of 84 fits of set 3."""
LABELS_TO_CALIBRATE = 30
"""Held-out labels from which on scores are said to be calibrated."""
FEW_LABELS = "too few labels to weigh other models: the graph alone"


@dataclass(frozen=True)
class ModelScore:
    """A model that was compared: its share of correct out-of-fold labels, its temperature and its weight."""

    accuracy: float
    temperature: float = 1.0
    weight: float = 0.0


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Labels that were held out, one of the copies of a row, and what the stacked models said of them.

    And all rows, copies too, whose label was held out, with the out-of-fold probabilities of their classes.
    """

    labels: IntArray
    correct: BoolArray
    sure: FloatArray  # the highest probability of each
    rows: IntArray
    probabilities: FloatArray

    def accuracy(self, shares: FloatArray, sure: float) -> tuple[float, tuple[float, float]]:
        """Share of correct labels among the rows without one, and an interval that holds it in 90 % of fits.

        Given are the mean of the probabilities there and that of the highest ones. The estimate is the
        latter, corrected by how far the held-out labels are from what is said of them (prediction-powered
        inference, Angelopoulos et al. 2023): labels that were asked for at doubtful rows do not make it too
        low. Labels that were given by class count as their classes do among the other rows.
        """
        of_labels, counts = np.bincount(self.labels, minlength=len(shares)), np.ones(len(self.labels))
        if 2 * (of_labels >= of_labels.max() - 1).sum() > len(shares):  # most classes have equally many
            counts = (shares / np.maximum(of_labels, 1))[self.labels]
        n, z = counts.sum() ** 2 / (counts**2).sum(), Z_90
        beyond = float(np.average(self.correct - self.sure, weights=counts))
        share = min(1.0, max(0.0, sure + beyond * n / (n + LABELS_OF_SCORES)))
        n /= UNCERTAIN_BESIDES
        centre = (share + z * z / (2 * n)) / (1 + z * z / n)  # the interval of Wilson
        half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return share, (max(0.0, float(centre - half)), min(1.0, float(centre + half)))


@dataclass(frozen=True)
class Tuning:
    """The choice, its reason, and how well each model did on held-out labels.

    Attributes
    ----------
    metric : str
        Name of the chosen metric, see `graphwell.estimators.tuning.metrics`.
    why : str
        Why, in a few words.
    models : dict
        The `ModelScore` of each model by its name: graph, learned metrics, classifiers.
    power : float
        That the scores of the graph are raised to: one over its temperature.
    n_hidden : int
        Number of labels that were held out.
    keep : Status, optional
        What most fits without the held-out labels kept, and the fit to all of them does too.
    """

    metric: str
    why: str
    models: dict[str, ModelScore] = field(default_factory=dict)
    power: float = 1.0
    n_hidden: int = 0
    keep: Status | None = None
    held_out: HeldOut | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        known = CANDIDATES.get(self.metric)
        stacked = {
            name: each.weight
            for name, each in self.models.items()
            if each.weight > 0 and name not in ("graph", self.metric)
        }
        weights = {"graph": 1 - sum(stacked.values()), **stacked}
        members = ", ".join(f"{name} {100 * weight:.0f} %" for name, weight in weights.items())
        members = f"; weights: {members}" if stacked else ""
        alone = "" if self.n_hidden or members else f"; {FEW_LABELS}"
        return f"{self.metric if known is None else known.summary} ({self.why}){members}{alone}"

    def table(self) -> Any:
        """The models as a data frame, the weightiest first."""
        rows = [(name, each.accuracy, each.temperature, each.weight) for name, each in self.models.items()]
        found = DataFrame(rows, columns=["model", "accuracy", "temperature", "weight"])
        return found.sort_values("weight", ascending=False, kind="stable", ignore_index=True)


def label_issues(tuning: Tuning, labels: IntArray, classes: Any) -> Any:
    """Given labels that the stacked models contradict without having seen them, worst first; a data frame."""
    if tuning.held_out is None:
        return None
    rows, predicted = tuning.held_out.rows, tuning.held_out.probabilities
    given, suggested = labels[rows], predicted.argmax(axis=1)
    places = np.arange(len(rows))
    of_given, of_suggested = predicted[places, given], predicted[places, suggested]
    order = np.lexsort((rows, of_given))
    order = order[given[order] != suggested[order]]
    return DataFrame(
        {
            "row": rows[order],
            "label": classes[given[order]],
            "suggested": classes[suggested[order]],
            "probability": of_given[order],
            "suggested_probability": of_suggested[order],
        }
    )


def figures(tuning: Tuning, engine: Any, assigned: Vector, scores: Block, known: Vector) -> dict[str, Any]:
    """The estimated accuracy of a fit, as its attributes; from the classes and scores of all rows."""
    accuracy, interval = None, None
    if tuning.held_out is not None:
        n_classes = scores.shape[1]
        groups = np.asarray(engine.to_host(engine.xp.where(known, n_classes, assigned)))
        means = engine.group_means(engine.shares(scores), groups, n_classes + 1)[:-1]
        counts = np.bincount(groups, engine.masses, minlength=n_classes + 1)[:-1]
        if counts.any():
            counts = counts / counts.sum()
            accuracy, interval = tuning.held_out.accuracy(counts @ means, float(counts @ means.diagonal()))
    return {
        "accuracy_": accuracy,
        "accuracy_interval_": interval,
        "calibrated_": tuning.n_hidden >= LABELS_TO_CALIBRATE,
    }
