"""Stacking: probabilities of classifiers beside the scores of the graph, with weights from held-out labels.

The score of a class at a row is the weighted mean of the graph's and the classifiers' probabilities:

    (1 - w) graph + w_1 classifier_1 + w_2 classifier_2 + ...,    w = w_1 + w_2 + ...

which is the minimum of an energy, the weighted squares of the distances from each of them. On 36 tables, at
5 and 20 labels per class and at 10 %, one classifier did as well so (23.8 % wrong) as a product of scores or
as soft sources of the start's equation (23.9); several with weights of their own came to 22.7, and the one
likeliest combination in place of a mixture was 0.9 points worse (docs/decisions.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Block, Rows, Vector
from graphwell.estimators.tuning.maps import Identity, Map
from graphwell.estimators.tuning.metrics import LABELS_FOR_A_PERCEPTRON
from graphwell.estimators.tuning.models import MODELS, Sample, taught
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_classes

LABELS_FOR_BOOSTING, CLASSES_FOR_BOOSTING = 100, 5
"""Boosted trees need so many labels per class, and take their time where there are more classes."""
LABELS_FOR_A_KERNEL = 20
"""A kernel machine needs so many labels per class."""
ONLY_IF_BETTER = ("kernel",)
"""Classifiers that are stacked only where they beat every other model on held-out labels."""
PRIOR_COUNT = 10.0
"""The weights begin as if by so many held-out labels all models were equally good."""
ROUNDS = 100
ROUNDING = 1e-6
"""By which a probability may exceed 1."""
FARTHEST = 1e38
"""Trees read rows in single precision: values beyond are as far as this."""
SMALLEST_SHARE = 0.02
SMALLEST_TOTAL = 0.1
"""Models of less weight in all than this are left out: they would change next to nothing."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted classifier, asked for probabilities of all classes.

    Attributes
    ----------
    change : Map
        Done to rows before the classifier sees them.
    model : fitted classifier
        Of class numbers.
    n_classes : int
    """

    change: Map
    model: Any
    n_classes: int

    def __call__(self, X: Any) -> FloatArray:
        """Return a probability of each class for each row; 0 for classes it was not taught."""
        predicted = np.zeros((X.shape[0], self.n_classes))
        if len(predicted):  # a block of a cluster may be empty
            taught = self.model.classes_.astype(int)
            rows = self.change(X)
            if sparse.issparse(rows) or np.abs(rows).max(initial=0) <= FARTHEST:
                predicted[:, taught] = checked_probabilities(self.model, rows, len(taught))
            else:
                near = np.clip(rows, -FARTHEST, FARTHEST)
                predicted[:, taught] = checked_probabilities(self.model, near, len(taught))
        return predicted


def checked_probabilities(model: Any, X: Any, n_classes: int) -> FloatArray:
    """Probabilities of each row by a classifier; refused if they are none."""
    given = model.predict_proba(X)
    try:
        predicted = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        predicted = np.empty(0)
    if (
        predicted.shape != (X.shape[0], n_classes)
        or not ((predicted >= 0) & (predicted <= 1 + ROUNDING)).all()
    ):
        raise ValueError(
            f"evidence: predict_proba of {type(model).__name__} must give each row a number from 0 to 1 for "
            f"each of {n_classes} classes."
        )
    return predicted


@dataclass(frozen=True, eq=False)
class Evidence:
    """Classifiers, and the weight of each beside that of the graph, which has the rest."""

    models: tuple[FittedModel, ...]
    weights: tuple[float, ...]

    @property
    def weight(self) -> float:
        """Weight of all classifiers together."""
        return float(sum(self.weights))

    def __call__(self, X: Any) -> FloatArray:
        """Return the weighted sum of their probabilities; each row adds up to `weight`."""
        predicted = [weight * model(X) for weight, model in zip(self.weights, self.models, strict=True)]
        return np.sum(predicted, axis=0)


def fit_model(made: Any, sample: Sample, n_classes: int) -> FittedModel:
    """A model by its name in `MODELS`, on standardised rows; or any classifier, on the rows as they are."""
    if isinstance(made, str):
        return FittedModel(sample.rows_for(made), sample.model(made), n_classes)

    known = sample.known
    return FittedModel(Identity(), taught(clone(made), sample.X[known], sample.labels[known]), n_classes)


def stacking_weights(predicted: Sequence[FloatArray], labels: IntArray) -> FloatArray:
    """Weights of a mixture of models under which the labels are likeliest: expectation maximisation."""
    likely = np.stack([np.exp(log_likelihoods(each, labels)) for each in predicted], axis=1)
    prior = np.full(len(predicted), PRIOR_COUNT / len(predicted))
    weights = np.full(len(predicted), 1 / len(predicted))
    for _ in range(ROUNDS):
        credit = weights * likely
        weights = prior + (credit / credit.sum(axis=1, keepdims=True)).sum(axis=0)
        weights = weights / weights.sum()
    return weights


def log_likelihoods(predicted: FloatArray, labels: IntArray) -> FloatArray:
    """Logarithm of the probability given to each label, a little of it spread over all classes."""
    mixed = (1 - SMALLEST_SHARE) * predicted + SMALLEST_SHARE / predicted.shape[1]
    return np.log(mixed[np.arange(len(labels)), labels])


def stacked_scores(
    backend: Backend, rows: Rows, problem: Problem, engine: Any, assigned: Vector, scores: Block
) -> tuple[Vector, Block]:
    """Classes and scores of every row, with the classifiers stacked."""
    evidence, n = rows.evidence, rows.n_rows
    if evidence is None:
        return assigned, scores
    predicted = engine.spread(backend.ask_rows(rows, evidence, problem.n_classes))
    scores = engine.scaled(engine.shares(scores), (1 - evidence.weight) * engine.xp.ones(n))
    both = engine.added(scores, predicted)
    best = best_classes(engine, both, n, problem.class_shares)
    return engine.xp.where(problem.is_known, assigned, best).astype(np.int32), both


def models_for(evidence: Any, n_labels: int, n_classes: int) -> tuple[Any, ...]:
    """The classifiers that ``evidence=`` names; some need many labels."""
    if evidence is None:
        return ()
    if not isinstance(evidence, str):
        return (evidence,)
    boosted = n_labels >= LABELS_FOR_BOOSTING * n_classes and n_classes <= CLASSES_FOR_BOOSTING
    return (
        "logistic",
        "forest",
        *(["boosting"] if boosted else []),
        *(["perceptron"] if n_labels >= LABELS_FOR_A_PERCEPTRON else []),
        *(["kernel"] if n_labels >= LABELS_FOR_A_KERNEL * n_classes else []),
    )


def name_of(made: Any) -> str:
    """Name of a classifier in a report."""
    return made if isinstance(made, str) and made in MODELS else type(made).__name__
