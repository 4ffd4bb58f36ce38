"""Which rows to label next: once, or in turn with answers and fits, and how good the labels are by then."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from graphwell._checks import rows_left
from graphwell._random import Seed
from graphwell._rows import fetched
from graphwell._types import BoolArray, FloatArray
from graphwell._unknown import is_known
from graphwell.active.accuracy import AccuracyEstimate, Checked, estimated_accuracy
from graphwell.active.prepared import known_labels, labels_of, prepare, row_numbers, scores_of
from graphwell.active.query import Query, Question, Suggestions
from graphwell.active.strategies import DEFAULT, Strategy, find_strategy
from graphwell.errors import Gone, OptionError
from graphwell.estimators.base import GraphClassifier
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.estimators.labels import Labels
from graphwell.solve.coarse import solve_coarse
from graphwell.solve.problem import Problem


def suggest(
    X: Any,
    y: Any = None,
    n: int = 10,
    strategy: str | Strategy = DEFAULT,
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
    strategy : str or callable
        A name in ``graphwell.active.strategies()``, or a function of a `graphwell.active.Query` and a number
        of questions that returns a list of `graphwell.active.Question`.
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
    graph = {"n_neighbors": n_neighbors, "scale_neighbor": scale_neighbor, "metric": metric}
    session = Session(
        X, y, strategy=strategy, random_state=random_state, device=device, n_jobs=n_jobs, **graph
    )
    return session.suggest(n, exclude=exclude, names=names)


class Session:
    """Ask, answer, look, and ask again.

    The graph and its communities are found once. After a `fit`, scores of the last solution are used until
    the next one.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask array, Graph or fitted classifier
        As in `graphwell.suggest`.
    y : array-like of shape (n_rows,), optional
        Labels that are known before.
    strategy : str or callable
        As in `graphwell.suggest`.
    classifier : classifier, optional
        Fitted on the graph by `fit`; a `graphwell.DiffuseInterfaceClassifier` by default, or the fitted
        classifier that was given as `X`.
    random_state : int, Generator or RandomState, optional
    **graph
        How to build the graph: `n_neighbors`, `scale_neighbor`, `metric`, `device`, `n_jobs`.

    Attributes
    ----------
    classifier : classifier
    label_changes : int or None
        Rows whose label the last fit changed; None before the second fit.

    Examples
    --------
    >>> import graphwell as gw
    >>> X, truth = gw.datasets.make_three_moons(random_state=0)
    >>> session = gw.active.Session(X)
    >>> for row in session.suggest(9):
    ...     session.answer(row, truth[row])
    >>> session.cannot_tell(4)
    >>> bool((session.fit().transduction_ == truth).mean() > 0.9)
    True
    >>> 4 in session.suggest(10)
    False
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        *,
        strategy: str | Strategy = DEFAULT,
        classifier: Any = None,
        random_state: Seed = 0,
        **graph: Any,
    ) -> None:
        find_strategy(strategy)  # refused here if there is none of that name
        self.strategy = strategy
        self.random_state = random_state
        self.prepared = prepare(X, **graph)
        self._given: BoolArray | None = None
        if isinstance(X, GraphClassifier) and y is None:
            known, classifier, self._given = labels_of(X), classifier or X, X._given
        else:
            known = known_labels(self.prepared.backend.read_labels(y), self.n_rows)
        rows = np.flatnonzero(known.codes >= 0)
        labels = known.classes[known.codes[rows]].tolist()
        self._answers: dict[int, Any] = dict(zip(rows.tolist(), labels, strict=True))
        self._weights: dict[int, float] = {}
        self._barred: set[int] = set()
        self._checked: dict[int, Checked] = {}
        self._scores: FloatArray | None = None  # of the rows that had no label in the last fit, in order
        self.classifier = self._default() if classifier is None else classifier
        self.label_changes: int | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.prepared.rows)

    @property
    def answers(self) -> Mapping[int, Any]:
        """The label of each row that has one."""
        return dict(self._answers)

    @property
    def labels(self) -> Any:
        """A label for each row, None where it is unknown: what a classifier takes as `y`."""
        labels = np.full(self.n_rows, None, dtype=object)
        for row, label in self._answers.items():
            labels[row] = label
        return labels

    @property
    def is_fitted(self) -> bool:
        """Whether `fit` has been called."""
        return self._given is not None

    def suggest(
        self,
        n: int = 10,
        strategy: str | Strategy | None = None,
        *,
        exclude: Iterable[int] = (),
        names: Mapping[Any, str] | None = None,
    ) -> Suggestions:
        """Rows to label next, best first; `exclude` and `names` are those of `graphwell.suggest`."""
        name, choose = find_strategy(strategy or self.strategy)
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise OptionError("n", "{field} must be a number of rows, 1 or more; got {!r}.", n)
        known, prepared = self._known(), self.prepared
        is_open: BoolArray = known.codes < 0
        is_open[row_numbers([*exclude, *self._barred], self.n_rows, "exclude")] = False
        rows_left(n, int(is_open.sum()))
        scores: Callable[[], FloatArray] | None = None
        if self.is_fitted and list(self.classifier.classes_) == list(known.classes):

            def scores() -> FloatArray:
                return scores_of(self.classifier)[prepared.rows]

        query = Query(
            prepared.engine,
            prepared.degrees,
            prepared.aggregates,
            known.codes[prepared.rows],
            tuple(str((names or {}).get(of, of)) for of in known.classes.tolist()),
            is_open[prepared.rows],
            prepared.rows,
            scores,
            self.random_state,
        )
        questions = choose(query, n)[:n]
        if len(questions) < n:  # more follow, apart from each other
            left = query.open.copy()
            left[[question.row for question in questions]] = False
            more = query.batch(query.degrees, n - len(questions), left)
            questions = [*questions, *(Question(int(row), "typical row") for row in more)]
        found = (Question(int(prepared.rows[each.row]), each.reason) for each in questions)
        return Suggestions(tuple(found), name)

    def answer(self, rows: Any, labels: Any, weight: float = 1.0) -> None:
        """Take the label of a row, or those of several rows; an answer given before is corrected.

        Parameters
        ----------
        rows : int or sequence of int
        labels : label or sequence of labels
            An unknown label (None, NaN, or -1 among integers) means that it cannot be told.
        weight : float
            How far the labels are trusted, above 0 and up to 1; see `sample_weight` of a fit. Those below 1
            may be overruled by their neighbours, and do not count when the accuracy is judged.
        """
        if not 0 < weight <= 1:
            raise OptionError("weight", "{field} must be above 0 and at most 1, got {!r}.", weight)
        if np.ndim(rows) == 0:
            rows, labels = [rows], [labels]
        numbers = row_numbers(rows, self.n_rows, "rows")
        if len(numbers) != len(labels):
            raise OptionError("labels", "{field} holds {} labels for {} rows.", len(labels), len(numbers))
        for row, label in zip(numbers.tolist(), labels, strict=True):
            self._take(row, label, float(weight))

    def take_back(self, rows: Any) -> None:
        """Forget the answers for these rows, as if they had never been asked.

        Examples
        --------
        >>> session = Session([[0.0], [0.1], [5.0], [5.1]], n_neighbors=1, scale_neighbor=1)
        >>> session.answer(0, "cat")
        >>> session.take_back(0)
        >>> session.answers
        {}
        """
        for row in row_numbers(np.atleast_1d(rows), self.n_rows, "rows").tolist():
            for known in (self._answers, self._weights, self._checked):
                known.pop(row, None)
            self._barred.discard(row)

    def cannot_tell(self, rows: Any) -> None:
        """Never ask for these rows again; a label that one of them had is taken back."""
        self.take_back(rows)
        self._barred.update(row_numbers(np.atleast_1d(rows), self.n_rows, "rows").tolist())

    glance, take_over = Gone("preview()."), Gone("add_checked(checked).")

    def preview(self) -> Any:
        """A label for each row before the fit, None where no label reaches: in a tenth of a fit's time.

        Whole communities of the graph take a class, as in a fit before its descent. Where labels are few it
        is nearly what `fit` finds, so a user can be shown at once what an answer changes. The next fit is the
        same as without it.

        Examples
        --------
        >>> session = Session([[0.0], [0.1], [5.0], [5.1]], n_neighbors=1, scale_neighbor=1)
        >>> session.answer([0, 3], ["cat", "dog"])
        >>> session.preview()
        array(['cat', 'cat', 'dog', 'dog'], dtype=object)
        """
        known, prepared, engine = self._known(), self.prepared, self.prepared.engine
        labels, n_classes = prepared.backend.asarray(known.codes[prepared.rows]), len(known.classes)
        trust = self._sample_weight().get("sample_weight")
        trust = None if trust is None else prepared.backend.asarray(trust[prepared.rows])
        problem = Problem(prepared.graph, labels, n_classes, trust=trust, implicit=True)
        found = np.zeros(self.n_rows, dtype=np.int64)
        if n_classes > 1:
            start = engine.indicator(labels, engine.xp.zeros(self.n_rows), n_classes)
            found = np.asarray(engine.to_host(solve_coarse(problem, engine, start).labels), dtype=np.int64)
        of_rows = np.empty_like(found)
        of_rows[prepared.rows] = np.where(np.asarray(engine.to_host(problem.reachable)), found, -1)
        return np.array([*known.classes.tolist(), None], dtype=object)[of_rows]

    def fit(self, **options: Any) -> Any:
        """Fit the classifier to all answers, on the graph of the session, and return it.

        Parameters
        ----------
        **options
            Of the classifier's fit: `progress` and `cancel`, say.
        """
        before = fetched(self.classifier.transduction_) if self.is_fitted else None
        known = list(self.classifier.classes_) if self.is_fitted else []
        with self.prepared.cache.open(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="All known labels are")  # as most sessions begin
            self.classifier.fit(self.prepared.shown, self.labels, **self._sample_weight(), **options)
        self._given = np.array([row in self._answers for row in range(self.n_rows)])
        self._scores = None
        self._checked = {row: replace(c, age=c.age + 1) for row, c in self._checked.items()}
        if known and not (len(known) > 1 and set(self.classifier.classes_) <= set(known)):
            self._checked = {}  # the labels of a fit that knew fewer classes say nothing of this one
        if before is not None:
            self.label_changes = int((fetched(self.classifier.transduction_) != before).sum())
        return self.classifier

    @property
    def checked(self) -> Mapping[int, Checked]:
        """Labels of earlier fits that answers checked, by row: what `accuracy` is judged by."""
        return dict(self._checked)

    def add_checked(self, checked: Mapping[int, Checked]) -> None:
        """Judge by labels that an earlier session had checked, too; rows without an answer are left out."""
        self._checked |= {row: check for row, check in checked.items() if row in self._answers}

    def accuracy(self) -> AccuracyEstimate:
        """How many of the labels of the last fit are right, from the answers; see `AccuracyEstimate`."""
        if not self.is_fitted:
            raise ValueError("There is no fit whose labels could be judged; call fit() first.")
        unasked = ~np.isin(np.arange(self.n_rows), list(self._answers))
        reached = fetched(self.classifier.reachable_)[unasked]
        found = estimated_accuracy(list(self._checked.values()), reached.mean() if len(reached) else 1.0)
        if len(self.classifier.classes_) > 1:
            return found
        return replace(found, interval=(0.0, 1.0))  # where one class is known, every score is 1

    def _sample_weight(self) -> dict[str, Any]:
        """The weights of labels as an option of a fit; none where all are trusted."""
        if not self._weights:
            return {}
        weights = np.ones(self.n_rows)
        weights[list(self._weights)] = list(self._weights.values())
        return {"sample_weight": weights}

    def _take(self, row: int, label: Any, weight: float) -> None:
        label = label.item() if isinstance(label, np.generic) else label
        if not is_known([label])[0]:
            self.cannot_tell(row)
            return
        self._weights.pop(row, None)
        if weight < 1:
            self._weights[row] = weight
            self._checked.pop(row, None)
        elif self._given is not None and not self._given[row] and row not in self._checked:
            if self._scores is None:
                scores = fetched(self.classifier.label_distributions_).max(axis=1)
                self._scores = np.sort(scores[~self._given])
            found = fetched(self.classifier.transduction_[row : row + 1])[0]
            score = fetched(self.classifier.label_distributions_[row : row + 1]).max()
            less_sure = np.searchsorted(self._scores, score, side="left")
            as_sure = np.searchsorted(self._scores, score, side="right") - less_sure
            rank = float(less_sure + as_sure / 2) / len(self._scores)
            self._checked[row] = Checked(rank, bool(found == label))
        self._answers[row] = label
        self._barred.discard(row)

    def _known(self) -> Labels:
        return known_labels(self.labels if self._answers else None, self.n_rows)

    def _default(self) -> Any:
        seed = self.random_state if isinstance(self.random_state, int) else 0
        device = self.prepared.backend.name if self.prepared.backend.name != "dask" else "cpu"
        n_jobs = getattr(self.prepared.backend, "n_jobs", None)
        return DiffuseInterfaceClassifier(models=None, device=device, n_jobs=n_jobs, random_state=seed)
