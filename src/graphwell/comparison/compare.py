"""Every method on the same rows, judged on labels that it was not shown."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._checks import whole_number
from graphwell._rows import equal_rows, hash_of, one_of_each
from graphwell._threads import thread_count
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell._version import __version__
from graphwell.columns.cells import is_frame
from graphwell.comparison.competitors import Competitor, Ground, competitors
from graphwell.comparison.results import MethodComparison, Standing, Trial, standing
from graphwell.comparison.saved import Saved
from graphwell.errors import OptionError
from graphwell.estimators.inputs import encoded_frame, refuse_foreign
from graphwell.estimators.labels import Labels, NoKnownLabelError, read_labels
from graphwell.graph import Graph
from graphwell.io.files import check_output
from graphwell.io.locks import held_alone
from graphwell.memory import peak_memory
from graphwell.model_selection import HiddenLabelsSplit
from graphwell.progress import Progress, silent

EXPECTED = (ValueError, MemoryError, NotImplementedError, np.linalg.LinAlgError)
"""What a method may raise on rows that it cannot label; the comparison goes on without it."""


@dataclass(frozen=True, eq=False)
class Split:
    """Labels that are shown, and the rows that are judged."""

    shown: IntArray
    judged: BoolArray


def compare(
    X: Any,
    y: Any,
    *,
    truth: Any = None,
    methods: Sequence[str] | None = None,
    splits: int = 5,
    n_neighbors: int = 10,
    unknown: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Progress = silent,
    told: Callable[[Standing], None] | None = None,
) -> MethodComparison:
    """Compare graphwell with what people would try first, or with every method, on your own rows.

    The known labels are dealt into splits, each of which hides its own from all methods. They are judged on
    the hidden labels, or, if the truth is known, on every row whose label they were not shown. Methods on
    graphs share one graph of the rows as they are; ``"diffuse interface"`` chooses itself how rows are
    compared. Methods that want class sizes are told those of the labels shown.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        Features.
    y : array-like of shape (n,)
        Labels; unknown ones are -1 (integers), None or NaN.
    truth : array-like of shape (n,), optional
        True labels, as far as they are known.
    methods : sequence of str, optional
        Names of `graphwell.comparison.competitors.competitors`; by default graphwell and
        four models of scikit-learn. ``["all"]`` are all that can tell so many classes apart, the slow ones up
        to 20,000 rows.
    splits : int
        At least 2; fewer are made where there are fewer labels to hide. With the truth, and no label to
        spare, there is one, which hides nothing.
    n_neighbors : int
        Of the graph.
    unknown : object, or several in a list
        Further labels that mean unknown.
    random_state : int
        Seed of everything random.
    n_jobs : int, optional
        Threads; all cores by default.
    checkpoint : path, optional
        File that the comparison is saved in after every fit; one that exists is gone on from.
    progress : callable
        Told which method runs and how much of the whole is done.
    told : callable, optional
        Given the `Standing` of each method as soon as it is known.

    Returns
    -------
    MethodComparison
        Printed, it is a table.

    Examples
    --------
    >>> from graphwell import datasets
    >>> X, truth = datasets.make_two_moons(n_per_class=60, dim=5, random_state=0)
    >>> y = datasets.sample_labels(truth, 5, random_state=0)
    >>> found = compare(X, y, truth=truth, methods=["laplace", "logistic regression"], splits=2)
    >>> found.judged_on, found.n_judged, len(found.trials)
    ('truth', 120, 4)
    """
    refuse_foreign(X)
    if not hasattr(X, "__len__") or np.ndim(X) == 0:
        raise OptionError("X", "{field} must be rows of features, got {!r}.", X)
    labels = read_labels(y, len(X), unknown)
    rows = _rows(X, labels)
    true = None if truth is None else _codes(truth, labels, unknown)
    seed = whole_number("random_state", random_state, at_least=0)
    dealt = deal(labels.codes, true, whole_number("splits", splits, at_least=2), seed, equal_rows([rows]))
    chosen, left_out = _chosen(methods, len(rows), len(labels.classes))
    mark = _mark(rows, labels, true, settings=(n_neighbors, seed, len(dealt), __version__))
    path = None if checkpoint is None else Path(checkpoint)
    with _held(path):
        saved = Saved(path, mark, len(rows), len(labels.classes))
        progress("neighbours", None)
        began = time.perf_counter()
        graph = Graph.from_features(rows, n_neighbors, n_jobs=n_jobs)
        ground = Ground(rows, graph, len(labels.classes), seed, n_jobs)
        contest = Contest(chosen, dealt, ground, labels, true, time.perf_counter() - began)
        failed = contest.run(saved, progress, told)
    return contest.summary(saved, {**left_out, **failed})


def deal(
    codes: IntArray, true: IntArray | None, n_splits: int, seed: int, groups: IntArray | None = None
) -> list[Split]:
    """Deal the known labels into splits; every one is hidden once, except the last of its class.

    Those of one group, copies of a row, are hidden together.

    Examples
    --------
    >>> [split.shown.tolist() for split in deal(np.array([0, 0, 1, 1, -1]), None, 2, seed=0)]
    [[-1, 0, 1, -1, -1], [0, -1, -1, 1, -1]]
    """
    alone = one_of_each(codes, groups)
    counts = np.bincount(alone[alone >= 0])
    spare = int(counts[counts > 1].sum())
    if spare < 2 and true is None:
        problem = "Too few labels to hide any: a class needs two; label more rows, or give {field}."
        raise OptionError("truth", problem)
    if spare < 2:
        hidden_sets: Iterator[Any] = iter([np.zeros(0, dtype=np.int64)])
    else:
        by = HiddenLabelsSplit(min(n_splits, spare), random_state=seed)
        hidden_sets = (hidden for _, hidden in by.split(None, codes, groups))
    dealt = []
    for hidden in hidden_sets:
        shown = codes.copy()
        shown[hidden] = -1
        judged = (codes >= 0) & (shown < 0) if true is None else (true >= 0) & (shown < 0)
        dealt.append(Split(shown, judged))
    if not all(split.judged.any() for split in dealt):
        raise OptionError(
            "truth", "{field} says nothing on any row without a label; there is nothing to judge by."
        )
    return dealt


def _mark(rows: FloatArray, labels: Labels, true: IntArray | None, settings: tuple[Any, ...]) -> str:
    """What a saved comparison is known by: the same data and the same settings."""
    said = np.array([str(value) for value in settings])
    return hash_of(rows, labels.codes, np.array(-2) if true is None else true, said)


def _rows(X: Any, labels: Labels) -> FloatArray:
    """The features as one matrix of finite numbers."""
    from sklearn.utils import check_array

    if len(labels.classes) < 2:
        raise ValueError(
            f"All known labels are {labels.classes.tolist()[0]!r}; label rows of at least two classes."
        )
    return np.asarray(check_array(encoded_frame(X, labels)[1] if is_frame(X) else X, dtype=np.float64))


def _codes(truth: Any, labels: Labels, unknown: Any) -> IntArray:
    """True classes by the numbers of the labels; those without any label come after."""
    try:
        found = read_labels(truth, len(labels.codes), unknown)
    except NoKnownLabelError:
        raise OptionError("truth", "{field} holds no known label.") from None
    known = {name: code for code, name in enumerate(labels.classes.tolist())}
    numbers = [known.setdefault(name, len(known)) for name in found.classes.tolist()]
    return np.array([*numbers, -1])[found.codes]


def _chosen(
    names: Sequence[str] | None, n_rows: int, n_classes: int
) -> tuple[list[Competitor], dict[str, str]]:
    """Who takes part, and who does not with the reason."""
    known = competitors()
    if names is not None and (isinstance(names, str) or not isinstance(names, Sequence)):
        raise OptionError("methods", "{field} must be a list of names, got {!r}.", names)
    every = names is not None and list(names) == ["all"]
    names = None if every else names
    for name in names or ():
        if not isinstance(name, str) or name not in known:
            raise OptionError("methods", "{field} must be among {}; got {!r}.", ", ".join(known), name)
    usual = [one.name for one in known.values() if every or one.usual]
    asked = [known[name] for name in dict.fromkeys(names or usual)]
    why = {one.name: one.refusal(n_rows, n_classes, named=names is not None) for one in asked}
    if all(why.values()):
        raise OptionError("methods", "{field}: {} {}.", *next(iter(why.items())))
    return [one for one in asked if not why[one.name]], {
        name: reason for name, reason in why.items() if reason
    }


def _held(path: Path | None) -> AbstractContextManager[None]:
    """Keep other runs away from the file of this one, and refuse a name that cannot be written."""
    if path is None:
        return nullcontext()
    check_output(path, "checkpoint")
    return held_alone(path, "checkpoint")


def threads_of(n_jobs: int | None) -> AbstractContextManager[Any]:
    """Keep models that take no `n_jobs` to so many threads, too."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(None if n_jobs is None else thread_count(n_jobs))


@dataclass(frozen=True, eq=False)
class Contest:
    """Competitors, splits, and what is needed to fit and judge them.

    Attributes
    ----------
    chosen : list of Competitor
    splits : list of Split
    ground : Ground
    labels : Labels
        All of them.
    true : array of shape (n_rows,), optional
        True classes; -1 where unknown.
    seconds_graph : float
    """

    chosen: list[Competitor]
    splits: list[Split]
    ground: Ground
    labels: Labels
    true: IntArray | None
    seconds_graph: float

    @property
    def n_judged(self) -> int:
        """Different rows whose answer is judged."""
        return int(np.any([split.judged for split in self.splits], axis=0).sum())

    def run(
        self, saved: Saved, progress: Progress, told: Callable[[Standing], None] | None
    ) -> dict[str, str]:
        """Fit everyone on every split that is not there yet; who cannot is named with the reason."""
        failed: dict[str, str] = {}
        n_splits = len(self.splits)
        for done, one in enumerate(self.chosen):
            try:
                for number in range(n_splits):
                    progress("methods", (done + number / n_splits) / len(self.chosen))
                    if (one.name, number) not in saved.trials:
                        saved.add(*self.fitted(one, number))
            except EXPECTED as error:
                failed[one.name] = str(error) or type(error).__name__
                continue
            if told is not None:
                told(self.standing_of(one, saved))
        progress("methods", 1.0)
        return failed

    def standing_of(self, one: Competitor, saved: Saved) -> Standing:
        """A competitor over all splits."""
        trials = [saved.trials[one.name, number] for number in range(len(self.splits))]
        return standing(trials, one.summary, self.n_judged)

    def fitted(self, one: Competitor, number: int) -> tuple[Trial, IntArray]:
        """One competitor on one split: how good it was, and its labels."""
        split, true = self.splits[number], self.labels.codes if self.true is None else self.true
        began = time.perf_counter()
        with threads_of(self.ground.n_jobs), warnings.catch_warnings(), peak_memory() as peak:
            warnings.simplefilter("ignore")  # of one method on one split; the user asked how good it is
            labels = one.label(self.ground, split.shown)
        seconds = time.perf_counter() - began + (self.seconds_graph if one.uses_graph else 0.0)
        right = int((labels == true)[split.judged].sum())
        return Trial(one.name, number, right, int(split.judged.sum()), seconds, peak()), labels

    def summary(self, saved: Saved, left_out: dict[str, str]) -> MethodComparison:
        """Everyone who could label the rows, best first."""
        numbers, codes = range(len(self.splits)), self.labels.codes
        found, trials = [], []
        for one in self.chosen:
            if one.name not in left_out:
                found.append(self.standing_of(one, saved))
                trials += [saved.trials[one.name, number] for number in numbers]
        if not found:
            name, why = next(iter(left_out.items()))
            raise ValueError(f"No method could label the rows; {name}: {why}")
        ranked = sorted(found, key=lambda each: -each.accuracy)
        return MethodComparison(
            standings=tuple(ranked),
            left_out=tuple(left_out.items()),
            trials=tuple(trials),
            n_rows=len(codes),
            n_classes=len(self.labels.classes),
            n_labels=int((codes >= 0).sum()),
            n_splits=len(self.splits),
            judged_on="hidden labels" if self.true is None else "truth",
            n_judged=self.n_judged,
            seconds_graph=self.seconds_graph,
            labels=np.array([[saved.labels[each.method, n] for n in numbers] for each in ranked]),
            classes=tuple(self.labels.classes.tolist()),
            given=codes,
            graph=self.ground.graph,
        )
