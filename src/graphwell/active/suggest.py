"""Which rows to label next, best first: from no labels at all, from some, or after a fit."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from graphwell._checks import rows_left
from graphwell._random import Seed
from graphwell._types import BoolArray, FloatArray
from graphwell.active.apart import best_apart
from graphwell.active.labels import Answers, answers_of_fit, read_answers, row_numbers, scores_of_fit
from graphwell.active.registry import DEFAULT, Strategy, find_strategy
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question, Suggestions
from graphwell.active.survey import Survey, survey
from graphwell.errors import OptionError
from graphwell.estimators.base import GraphClassifier


def suggest(
    X: Any,
    y: Any = None,
    n: int = 10,
    strategy: str = DEFAULT,
    random_state: Seed = 0,
    *,
    exclude: Iterable[int] = (),
    names: Mapping[Any, str] | None = None,
    n_neighbors: int = 10,
    scale_neighbor: int = 10,
    metric: str = "euclidean",
    device: str = "cpu",
    n_jobs: int | None = None,
) -> Suggestions:
    """Choose the rows to label next, best first.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask array, Graph or fitted classifier
        The rows. A `Graph` is used as it is; of a fitted classifier its graph, its labels and its scores.
    y : array-like of shape (n_rows,), optional
        Labels so far; unknown ones are -1 (integers), None or NaN. None at all by default.
    n : int
        Number of questions.
    strategy : str
        A name in ``graphwell.active.strategies()``.
    random_state : int, Generator or RandomState, optional
        Seed of the order in which communities are found.
    exclude : rows
        Rows never to ask for: those whose label nobody can tell.
    names : mapping, optional
        What reasons call the classes, where they have other names than the labels.
    n_neighbors, scale_neighbor, metric, device, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`, where a graph is to be built.

    Returns
    -------
    Suggestions
        Row numbers, counted from 0: can be looped over and used as an index; ``reasons`` says why. No
        labelled row is among them, and no two lie near each other unless nothing else is worth asking.

    Examples
    --------
    >>> import graphwell as gw
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2]]
    >>> found = gw.suggest(X, n=2, n_neighbors=2, scale_neighbor=2)
    >>> found.reasons
    ('largest group without a label, 4 rows', 'group without a label, 3 rows')
    >>> [row < 4 for row in found]
    [True, False]
    """
    chosen = find_strategy(strategy)
    place = survey(
        X, n_neighbors=n_neighbors, scale_neighbor=scale_neighbor, metric=metric, device=device, n_jobs=n_jobs
    )
    scores = None
    if isinstance(X, GraphClassifier) and y is None:
        known, scores = answers_of_fit(X), partial(scores_of_fit, X)
    else:
        known = read_answers(place.backend.read_labels(y), place.graph.n_vertices)
    known = known if names is None else known.called(names)
    barred = row_numbers(exclude, place.graph.n_vertices, "exclude")
    return chosen_rows(place, known, n, chosen, random_state, barred, scores)


def chosen_rows(
    place: Survey,
    known: Answers,
    n: int,
    strategy: Strategy,
    random_state: Seed,
    barred: Any,
    scores: Callable[[], FloatArray] | None = None,
) -> Suggestions:
    """Ask a strategy; what it leaves open is filled up with rows apart from each other."""
    is_open: BoolArray = known.codes < 0
    is_open[barred] = False
    _check(n, int(is_open.sum()), strategy, len(known.names))
    situation = Situation(
        place.engine, place.degrees, place.ground, known.codes, known.names, is_open, scores, random_state
    )
    questions = strategy.choose(situation, n)
    asked = is_open.copy()
    asked[[question.row for question in questions]] = False
    if len(questions) < n:
        more = best_apart(situation, place.degrees, n - len(questions), asked)
        questions += [Question(int(row), "typical row") for row in more]
    return Suggestions(tuple(questions[:n]), strategy.name)


def _check(n: int, left: int, strategy: Strategy, n_classes: int) -> None:
    """Refuse a number of questions, or a strategy, that makes no sense here."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise OptionError("n", "{field} must be a number of rows, 1 or more; got {!r}.", n)
    rows_left(n, left)
    if n_classes < strategy.needs_labels:
        classes = "a class" if strategy.needs_labels == 1 else f"{strategy.needs_labels} classes"
        problem = "{field} {!r} needs labels of at least {}, and {} known; begin with {!r}."
        known = {0: "none is", 1: "one is"}.get(n_classes, f"{n_classes} are")
        raise OptionError("strategy", problem, strategy.name, classes, known, DEFAULT)
