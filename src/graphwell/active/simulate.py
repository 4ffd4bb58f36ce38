"""A query strategy against the truth: questions, answers and fits until so many rows are labelled."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._random import Seed
from graphwell._rows import fetched
from graphwell._types import FloatArray, IntArray
from graphwell.active.accuracy import AccuracyEstimate
from graphwell.active.prepared import known_labels
from graphwell.active.session import Session
from graphwell.active.strategies import DEFAULT, find_strategy
from graphwell.errors import BridgedWarning, LabelWarning, OptionError, UnreachableWarning


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """The error of a strategy after each batch of questions.

    Attributes
    ----------
    strategy : str
    n_questions : array of int
        Questions asked so far.
    errors : array of float
        Share of the rows without an answer whose label is wrong.
    n_classes_found : array of int
        Classes that have a label by then.
    estimates : tuple of AccuracyEstimate
        The accuracy that the session estimated.
    rows : array of int
        The rows in the order in which they were asked.
    """

    strategy: str
    n_questions: IntArray
    errors: FloatArray
    n_classes_found: IntArray
    estimates: tuple[AccuracyEstimate, ...]
    rows: IntArray

    @property
    def area(self) -> float:
        """Mean error over the batches: the area under the curve, per batch."""
        return float(self.errors.mean())


def simulate(
    X: Any,
    truth: Any,
    strategy: str = DEFAULT,
    n_questions: int = 100,
    batch: int = 10,
    random_state: Seed = 0,
    *,
    begin: str = "random",
    measured_at: Sequence[int] | None = None,
    classifier: Any = None,
    **graph: Any,
) -> LearningCurve:
    """Ask a strategy for rows, answer with the truth, fit, and measure the error; again and again.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask array or Graph
    truth : array-like of shape (n_rows,)
        The label of every row.
    strategy : str
    n_questions : int
        Questions in all.
    batch : int
        Questions between two fits.
    random_state : int, Generator or RandomState, optional
    begin : str
        Strategy of the first questions, where `strategy` needs more labels than there are.
    measured_at : sequence of int, optional
        Numbers of questions to fit and measure at; by default after each batch.
    classifier : classifier, optional
        A `graphwell.DiffuseInterfaceClassifier` by default.
    **graph
        How to build the graph, as in `graphwell.suggest`.

    Examples
    --------
    >>> import graphwell as gw
    >>> X, truth = gw.datasets.make_three_moons(random_state=0)
    >>> curve = gw.active.simulate(X, truth, n_questions=6, batch=3)
    >>> curve.n_questions, curve.n_classes_found
    (array([3, 6]), array([2, 3]))
    """
    session = Session(X, strategy=strategy, random_state=random_state, classifier=classifier, **graph)
    given = known_labels(truth, session.n_rows)
    if (given.codes < 0).any():
        problem = "{field} must have a label for every row; row {} has none."
        raise OptionError("truth", problem, int((given.codes < 0).argmax()))
    if not 1 <= batch <= n_questions:
        raise OptionError("batch", "{field} must lie between 1 and n_questions, got {!r}.", batch)
    labels = given.classes[given.codes]
    points: list[tuple[int, float, int, AccuracyEstimate]] = []
    rows: list[int] = []
    for stop in sorted({*range(batch, n_questions, batch), n_questions}):
        able = len(set(session.answers.values())) >= find_strategy(strategy).needs_labels
        asked = session.suggest(stop - len(rows), strategy if able else begin).rows
        session.answer(asked, labels[asked])
        rows += asked.tolist()
        if measured_at is None or stop in measured_at:
            with warnings.catch_warnings():
                for kind in (BridgedWarning, LabelWarning, UnreachableWarning):  # such rows are counted, too
                    warnings.simplefilter("ignore", kind)
                found = fetched(session.fit().transduction_)
            wrong = np.delete(found != labels, list(session.answers))
            error = float(wrong.mean()) if len(wrong) else 0.0
            points.append((stop, error, len(set(session.answers.values())), session.accuracy()))
    n_asked, errors, n_classes, estimates = zip(*points, strict=True)
    of_points = np.array(n_asked), np.array(errors), np.array(n_classes)
    return LearningCurve(session.strategy, *of_points, estimates, np.array(rows))
