"""How many labels are right, estimated from answers to questions that were not asked at random.

An answer checks the label that its row had before. Questions go to doubtful rows, so the share of right
labels among them is too low for all rows. But given the score of a row, being asked says little about being
right. So answers are only compared with rows of about the same score, and each range of scores counts by the
number of its rows:

    accuracy = sum over ranges of  (share of the rows in it) * P(right in it)

`P(right)` has a Beta distribution: a prior that takes the scores at their word, as strong as some answers,
and the answers. Those to an earlier fit count half for each fit since then, as labels have become better.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray, IntArray

EDGES = np.array([0.0, 0.5, 0.7, 0.85, 0.95, 0.99])
"""Where ranges of scores begin."""
PRIOR_ANSWERS = 2.0
"""Answers that the scores themselves count as, in each range."""
FORGETTING = 0.5
DRAWS = 4_000
ENOUGH_CHECKED = 10
"""Answers that must have checked a label before a figure is told: where nine of ten labels are right, fewer
answers find no mistake at all in every second case, and the figure would be that of the scores alone."""


@dataclass(frozen=True)
class Checked:
    """A label that an answer checked: its score, whether it was right, and the number of fits since then."""

    score: float
    right: bool
    age: int = 0


@dataclass(frozen=True)
class AccuracyEstimate:
    """Share of right labels among rows without an answer.

    Attributes
    ----------
    share : float
    interval : (float, float)
        Where the share lies with 90 % probability.
    n_checked : int
        Number of answers that checked a label of a fit that knew every class.
    """

    share: float
    interval: tuple[float, float]
    n_checked: int

    def __str__(self) -> str:
        low, high = (100 * bound for bound in self.interval)
        if self.n_checked < ENOUGH_CHECKED:
            few = f"{self.n_checked} of {ENOUGH_CHECKED} answers that are needed have checked one"
            return f"Too early to say how many labels are correct: {few}."
        return (
            f"About {100 * self.share:.1f} % of the labels are correct "
            f"(90 % probability: {low:.1f} to {high:.1f} %), judged by {self.n_checked} answers."
        )


def estimated_accuracy(checked: Sequence[Checked], scores: FloatArray) -> AccuracyEstimate:
    """The share of right labels among rows with these scores; a row without a label, 0, counts as wrong."""
    labelled = scores[scores > 0]
    rows = _counts(labelled, np.ones(len(labelled)))
    claimed = np.clip(_counts(labelled, labelled) / np.maximum(rows, 1), 0.01, 0.99)
    score_of = np.array([c.score for c in checked])
    weights = np.array([FORGETTING**c.age for c in checked])
    right = np.array([c.right for c in checked], dtype=bool)
    a = PRIOR_ANSWERS * claimed + _counts(score_of[right], weights[right])
    b = PRIOR_ANSWERS * (1 - claimed) + _counts(score_of[~right], weights[~right])
    total = max(1, len(scores))
    draws = np.random.default_rng(0).beta(a, b, size=(DRAWS, len(EDGES))) @ rows / total
    share = float((a / (a + b)) @ rows / total)
    low, high = np.quantile(draws, [0.05, 0.95])
    return AccuracyEstimate(share, (min(share, float(low)), max(share, float(high))), len(checked))


def _counts(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum of the weights in each range of scores."""
    ranges: IntArray = np.maximum(np.searchsorted(EDGES, scores, side="right") - 1, 0)
    return np.bincount(ranges, weights=weights, minlength=len(EDGES))
