"""Evidence besides the graph: what classifiers say of each row, in shares that hidden labels decide.

The score of a class at a row is the mean of what the graph and what the classifiers say, weighted:

    (1 - w) graph + w_1 classifier_1 + w_2 classifier_2 + ...,    w = w_1 + w_2 + ...

which is the minimum of the energy of the evidence, the weighted squares of the distances from each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Block, Rows, Vector
from graphwell.metric.candidates import LABELS_FOR_A_PERCEPTRON
from graphwell.metric.maps import Identity, Map
from graphwell.metric.sample import MODELS, Sample, taught
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_classes

LABELS_FOR_BOOSTING, CLASSES_FOR_BOOSTING = 100, 5
"""Boosted trees need so many labels per class, and take their time where there are more classes."""
LABELS_FOR_A_KERNEL = 20
"""A kernel machine needs so many labels per class."""
NEWCOMERS = ("kernel",)
"""Classifiers that are heard only where hidden labels bear them out better than every other voice."""
PRIOR_COUNT = 10.0
"""The weights begin as if so many hidden labels had told the voices to be equally good."""
ROUNDS = 100
ROUNDING = 1e-6
"""By which a probability may exceed 1."""
SMALLEST_SHARE = 0.02
TOO_LITTLE = 0.1
"""Evidence of less weight than this is left out: it would change next to nothing."""


@dataclass(frozen=True, eq=False)
class Expert:
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
        said = np.zeros((X.shape[0], self.n_classes))
        if len(said):  # a block of a cluster may be empty
            taught = self.model.classes_.astype(int)
            said[:, taught] = checked_probabilities(self.model, self.change(X), len(taught))
        return said


def checked_probabilities(model: Any, X: Any, n_classes: int) -> FloatArray:
    """What a classifier says of each row; one that says no probabilities is told so."""
    given = model.predict_proba(X)
    try:
        said = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        said = np.empty(0)
    if said.shape != (X.shape[0], n_classes) or not ((said >= 0) & (said <= 1 + ROUNDING)).all():
        raise ValueError(
            f"evidence: predict_proba of {type(model).__name__} must give each row a number from 0 to 1 for "
            f"each of {n_classes} classes."
        )
    return said


@dataclass(frozen=True, eq=False)
class Evidence:
    """Classifiers, and the weight of each beside that of the graph, which has the rest.

    Examples
    --------
    >>> sample = Sample(np.array([[0.0], [9.0]]), np.array([0, 1]))
    >>> evidence = Evidence((expert_of("logistic", sample, 2),), (0.25,))
    >>> evidence.weight, evidence(np.array([[100.0]])).round(2)
    (0.25, array([[0.  , 0.25]]))
    """

    experts: tuple[Expert, ...]
    weights: tuple[float, ...]

    @property
    def weight(self) -> float:
        """What all classifiers together count."""
        return float(sum(self.weights))

    def __call__(self, X: Any) -> FloatArray:
        """Return what the classifiers say of each row; each row adds up to `weight`."""
        said = [weight * expert(X) for weight, expert in zip(self.weights, self.experts, strict=True)]
        return np.sum(said, axis=0)


def expert_of(made: Any, sample: Sample, n_classes: int) -> Expert:
    """A model by its name in `MODELS`, on standardised rows; or any classifier, on the rows as they are."""
    if isinstance(made, str):
        return Expert(sample.rows_for(made), sample.model(made), n_classes)
    from sklearn.base import clone

    known = sample.known
    return Expert(Identity(), taught(clone(made), sample.X[known], sample.labels[known]), n_classes)


def mixture_weights(said: Sequence[FloatArray], labels: IntArray) -> FloatArray:
    """Weights under which a mixture of voices makes the labels likeliest, beginning at equal ones.

    Parameters
    ----------
    said : sequence of arrays of shape (n, n_classes)
        Probabilities that each voice gave the classes.
    labels : array of shape (n,)
        The classes.

    Examples
    --------
    >>> right, wrong = np.tile([0.9, 0.1], (90, 1)), np.tile([0.1, 0.9], (90, 1))
    >>> mixture_weights([right, wrong], np.zeros(90, dtype=int)).round(2)
    array([0.94, 0.06])
    """
    likely = np.stack([np.exp(log_likelihoods(each, labels)) for each in said], axis=1)
    prior = np.full(len(said), PRIOR_COUNT / len(said))
    weights = np.full(len(said), 1 / len(said))
    for _ in range(ROUNDS):
        credit = weights * likely
        weights = prior + (credit / credit.sum(axis=1, keepdims=True)).sum(axis=0)
        weights = weights / weights.sum()
    return weights


def log_likelihoods(said: FloatArray, labels: IntArray) -> FloatArray:
    """Logarithm of the probability given to each label, a little of it spread over all classes."""
    mixed = (1 - SMALLEST_SHARE) * said + SMALLEST_SHARE / said.shape[1]
    return np.log(mixed[np.arange(len(labels)), labels])


def pooled(
    backend: Backend, rows: Rows, problem: Problem, engine: Any, assigned: Vector, scores: Block
) -> tuple[Vector, Block]:
    """Classes and scores of every row after the evidence of the rows has been heard."""
    evidence, n = rows.evidence, rows.n_rows
    if evidence is None:
        return assigned, scores
    said = engine.spread(backend.ask_rows(rows, evidence, problem.n_classes))
    scores = engine.scaled(engine.shares(scores), (1 - evidence.weight) * engine.xp.ones(n))
    both = engine.added(scores, said)
    best = best_classes(engine, both, n, problem.class_shares)
    return engine.xp.where(problem.is_known, assigned, best).astype(np.int32), both


def experts_for(evidence: Any, n_labels: int, n_classes: int) -> tuple[Any, ...]:
    """The classifiers that ``evidence=`` stands for; some need many labels.

    Examples
    --------
    >>> experts_for("auto", n_labels=30, n_classes=3), experts_for(None, n_labels=30, n_classes=3)
    (('logistic', 'forest'), ())
    """
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
    """What a classifier is called in a report."""
    return made if isinstance(made, str) and made in MODELS else type(made).__name__
