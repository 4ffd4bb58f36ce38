"""Stacking: probabilities of classifiers beside those of the graph, each with a temperature and a weight.

The score of a class at a row is the weighted mean of the probabilities of all models, the graph's first:

    w_0 graph^a_0 + w_1 classifier_1^a_1 + w_2 classifier_2^a_2 + ...

(each power divided by its sum over the classes), the minimum of the weighted squares of the distances from
each of them. On 36 tables one classifier did as well so (23.8 % wrong) as a product of scores or as soft
sources of the start's equation (23.9); several with weights of their own came to 22.7, and the one likeliest
combination in place of a mixture was 0.9 points worse (docs/decisions.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Block, Rows, Vector
from graphwell.estimators.tuning.maps import Identity, Map
from graphwell.estimators.tuning.models import FittedModel
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_classes

POWERS = 2.0 ** np.linspace(-3, 3, 49)
TOWARDS_ONE = 0.02
"""Of a power, times the square of its logarithm, in the mean log loss: from few labels it stays near 1."""
BLUNDERS = 0.01
"""Share of the probability that is spread over all classes: no single label can dictate power or weight."""
LABELS_OF_GRAPH, LABELS_OF_MODEL = 5.0, 3.0
"""Labels that the weights of the graph, which comes first, and of each other model begin with. Against 3 for
all, on 28 tables and label sets 6 and 7, which chose nothing: 0.0 points at 5 per class, 0.1 fewer wrong at
20 and at 10 %; satimage 19.3 -> 18.7, segment 13.4 -> 12.6 % at 5 per class."""
POOLED_SHARPENING = 1.15
"""Factor of the powers of models that are stacked."""
ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Mixture:
    """Fitted classifiers with their powers and weights; the graph has the rest of the weight."""

    models: tuple[FittedModel, ...]
    powers: tuple[float, ...]
    weights: tuple[float, ...]
    before: Map = field(default_factory=Identity)  # what is done to rows that all of them see

    @property
    def weight(self) -> float:
        """Weight of all classifiers together."""
        return float(sum(self.weights))

    def __call__(self, X: Any) -> FloatArray:
        """Return the weighted sum of their probabilities; each row adds up to `weight`."""
        X, members = self.before(X), zip(self.models, self.powers, self.weights, strict=True)
        return np.sum([weight * tempered(model(X), power) for model, power, weight in members], axis=0)


def tempered(predicted: FloatArray, power: float) -> FloatArray:
    """Powers of probabilities, divided by their sum; a row of zeros becomes even.

    Examples
    --------
    >>> tempered(np.array([[0.75, 0.25], [0.0, 0.0]]), 2.0)
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """
    raised = predicted**power
    total = raised.sum(axis=1, keepdims=True)
    return np.where(total > 0, raised / np.where(total > 0, total, 1.0), 1 / predicted.shape[1])


def log_likelihoods(predicted: FloatArray, labels: IntArray) -> FloatArray:
    """Logarithm of the probability given to each label, a little of it spread over all classes."""
    of_label = predicted[np.arange(len(labels)), labels]
    return np.log((1 - BLUNDERS) * of_label + BLUNDERS / predicted.shape[1])


def best_power(predicted: FloatArray, labels: IntArray) -> float:
    """The power, an inverse temperature, under which held-out labels are likeliest: temperature scaling."""
    if not len(labels):
        return 1.0
    likely = [log_likelihoods(tempered(predicted, power), labels).mean() for power in POWERS]
    return float(POWERS[np.argmax(np.array(likely) - TOWARDS_ONE * np.log(POWERS) ** 2)])


def stacking_weights(predicted: Sequence[FloatArray], labels: IntArray) -> FloatArray:
    """Weights of a mixture of models, the graph first, under which the labels are likeliest.

    Expectation maximisation under a Dirichlet prior: with few labels the prior speaks, with many the data.
    """
    likely = np.exp(np.stack([log_likelihoods(each, labels) for each in predicted], axis=1))
    prior = np.array([LABELS_OF_GRAPH, *[LABELS_OF_MODEL] * (len(predicted) - 1)])
    weights = prior / prior.sum()
    for _ in range(ROUNDS):
        credit = weights * likely
        weights = prior + (credit / credit.sum(axis=1, keepdims=True)).sum(axis=0)
        weights = weights / weights.sum()
    return weights


def stacked_scores(
    backend: Backend,
    rows: Rows,
    problem: Problem,
    engine: Any,
    assigned: Vector,
    scores: Block,
    power: float,
) -> tuple[Vector, Block, Block | None]:
    """Classes and scores of every row with the classifiers stacked; and the graph's scores to their power."""
    mixture = rows.evidence
    if power != 1:
        scores = engine.shares(scores, power)
    if mixture is None:
        return assigned, scores, None
    predicted = engine.asarray(backend.ask_rows(rows, mixture, problem.n_classes))
    of_graph = engine.shares(scores)
    both = (1 - mixture.weight) * of_graph + predicted
    best = best_classes(engine, both, problem.class_shares)
    return engine.xp.where(problem.is_known, assigned, best).astype(np.int32), both, of_graph
