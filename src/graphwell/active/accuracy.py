"""How many labels are right, judged by answers to questions that were not asked at random.

An answer checks the label that its row had before. Questions go to doubtful rows, so the share of right
labels among them is too low for all rows. But given the score of a row, being asked says little about being
right. So the answers only tell how scores translate into being right, and the scores of all rows do the rest:

    P(right) = 1 / (1 + exp(-(a + b logit(score)))),      accuracy = mean over all rows without a label

`a` and `b` have a prior around 0 and 1, scores as they are. Their posterior (Laplace's approximation) makes
the interval: wide as long as there are few answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray

PRIOR_MEAN = np.array([0.0, 1.0])
PRIOR_SPREAD = np.array([1.5, 0.5])
LIMIT = 0.001
"""Scores count as no surer than this."""
DRAWS = 2_000
NEWTON_STEPS = 50


@dataclass(frozen=True)
class Checked:
    """A label that an answer checked: its score before, and whether it was right."""

    score: float
    right: bool


@dataclass(frozen=True)
class AccuracyEstimate:
    """Share of right labels among rows without an answer.

    Attributes
    ----------
    share : float
    interval : (float, float)
        Where the share lies with 90 % probability.
    n_checked : int
        Number of answers that checked a label.
    """

    share: float
    interval: tuple[float, float]
    n_checked: int

    def __str__(self) -> str:
        low, high = (100 * bound for bound in self.interval)
        return (
            f"About {100 * self.share:.1f} % of the labels are right "
            f"(90 % probability: {low:.1f} to {high:.1f} %), judged by {self.n_checked} answers."
        )


def estimated_accuracy(checked: Sequence[Checked], scores: FloatArray) -> AccuracyEstimate:
    """Estimate the share of right labels.

    Parameters
    ----------
    checked : sequence of Checked
        Answers, each with the score that its row had before.
    scores : array of shape (n,)
        Score of the label of each row without an answer; 0 where it has none, which counts as wrong.

    Examples
    --------
    >>> few = [Checked(0.9, True)] * 8 + [Checked(0.6, False)] * 2
    >>> found = estimated_accuracy(few, np.full(100, 0.9))
    >>> found.interval[0] < found.share < found.interval[1]
    True
    """
    mean, spread = posterior(
        np.array([c.score for c in checked]), np.array([c.right for c in checked], dtype=float)
    )
    draws = np.random.default_rng(0).multivariate_normal(mean, spread, size=DRAWS)
    labelled = scores > 0
    x, counts = np.unique(_logit(scores[labelled]).round(2), return_counts=True)
    total = max(1, len(scores))
    shares = (_sigmoid(draws[:, :1] + draws[:, 1:] * x) @ counts) / total
    low, high = np.quantile(shares, [0.05, 0.95])
    chance = 1.645 * np.sqrt(np.maximum(shares.mean() * (1 - shares.mean()), 1e-9) / total)
    interval = (max(0.0, float(low - chance)), min(1.0, float(high + chance)))
    return AccuracyEstimate(float(shares.mean()), interval, len(checked))


def posterior(scores: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of `a` and `b`, after answers: Newton's method on the log posterior.

    Examples
    --------
    >>> posterior(np.empty(0), np.empty(0))[0]
    array([0., 1.])
    """
    features = np.column_stack([np.ones(len(scores)), _logit(scores)])
    precision = np.diag(PRIOR_SPREAD**-2.0)
    at = PRIOR_MEAN.copy()
    for _ in range(NEWTON_STEPS):
        p = _sigmoid(features @ at)
        slope = features.T @ (right - p) - precision @ (at - PRIOR_MEAN)
        curvature = features.T @ (features * (p * (1 - p))[:, None]) + precision
        step = np.linalg.solve(curvature, slope)
        at = at + step * min(1.0, 1.0 / max(1e-12, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-9:
            break
    return at, np.linalg.inv(curvature)


def _logit(scores: FloatArray) -> FloatArray:
    p = np.clip(scores, LIMIT, 1 - LIMIT)
    return np.asarray(np.log(p / (1 - p)))


def _sigmoid(x: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -50, 50))))
