"""Every method on the same rows, judged on labels that it was not shown."""

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils import check_array
from threadpoolctl import threadpool_limits

from graphwell._checks import whole_number
from graphwell._rows import one_of_each
from graphwell._threads import thread_count
from graphwell._types import BoolArray, IntArray
from graphwell.encoders.kinds import is_frame
from graphwell.encoders.table import TableEncoder
from graphwell.errors import OptionError, without
from graphwell.estimators.inputs import encoded_frame, refuse_foreign
from graphwell.estimators.labels import Labels, NoKnownLabelError, read_labels
from graphwell.estimators.registry import DEFAULT, Method
from graphwell.estimators.registry import methods as registered_methods
from graphwell.estimators.tuning.metrics import by_the_data
from graphwell.graph import Graph
from graphwell.graph.canonical import equal_rows
from graphwell.model_selection import HiddenLabelsSplit
from graphwell.progress import Progress, silent

EXPECTED = (ValueError, MemoryError, NotImplementedError, np.linalg.LinAlgError)
"""Errors of a method that cannot label the rows; the comparison goes on without it."""
MANY_ROWS = 20_000
"""Slow methods take part on more rows only if they are named."""
TREES = 300
MANY_LABELS = 10_000
"""Boosting learns from fewer on one thread."""
MODELS = {
    "logistic regression": "on standardised rows",
    "random forest": f"{TREES} trees",
    "boosting": "boosted trees on histograms",
    "sklearn LabelSpreading": "scikit-learn's, nearest neighbours",
}
"""Of scikit-learn, and what they are."""


@without(
    told="on_result=", checkpoint="a fit of each method", labels="a fit of each method",
    graph="a fit of each method",
)  # fmt: skip
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
    progress: Progress = silent,
    on_result: "Callable[[Standing], None] | None" = None,
) -> "MethodComparison":
    """Compare graphwell with four models of scikit-learn, or with the methods you name, on your own rows.

    This is a cross-validation: the known labels are divided into splits, and each split hides its own from
    all methods. They are judged on the hidden labels, or, if the truth is known, on every row whose label
    they were not shown. Methods on graphs share one graph of the rows as they are; ``"diffuse interface"``
    chooses itself how rows are compared. Methods that want class sizes are told those of the labels shown.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
    y : array-like of shape (n,)
        Labels; unknown ones are -1 (integers), None or NaN.
    truth : array-like of shape (n,), optional
        True labels, as far as they are known.
    methods : sequence of str, optional
        Names of ``gw.methods()``, "logistic regression", "random forest", "boosting" or
        "sklearn LabelSpreading"; by default graphwell and these four. ``["all"]`` are all that can tell so
        many classes apart, the slow ones up to 20,000 rows.
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
    progress : callable
        Called with the stage, and the share of it that is done.
    on_result : callable, optional
        Called with the `Standing` of each method as soon as it is known.

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
    >>> found.judged_on, found.n_judged, len(found.standings)
    ('truth', 120, 2)
    """
    # Rows and labels.
    refuse_foreign(X)
    if not hasattr(X, "__len__") or np.ndim(X) == 0:
        raise OptionError("X", "{field} must be rows of features, got {!r}.", X)
    labels = read_labels(y, len(X), unknown)
    n_classes = len(labels.classes)
    if n_classes < 2:
        only = labels.classes.tolist()[0]
        raise ValueError(f"All known labels are {only!r}; label rows of at least two classes.")
    if is_frame(X):  # in the scale that `graphwell compare` gives a table
        X = encoded_frame(X, labels, TableEncoder(standardise=by_the_data))[1]
    rows = check_array(X, dtype=np.float64)
    true = None if truth is None else _true_codes(truth, labels, unknown)

    # What is hidden, and which methods take part.
    seed = whole_number("random_state", random_state, at_least=0)
    n_splits = whole_number("splits", splits, at_least=2)
    folds = _hide_labels(labels.codes, true, n_splits, seed, equal_rows(rows))
    chosen, left_out = _choose(methods, len(rows), n_classes)

    # Every method on every split.
    progress("neighbours", None)
    began = time.perf_counter()
    graph = Graph.from_features(rows, n_neighbors, n_jobs=n_jobs)
    seconds_graph = time.perf_counter() - began
    answers = labels.codes if true is None else true
    n_judged = int(np.any([judged for _, judged in folds], axis=0).sum())
    threads = None if n_jobs is None else thread_count(n_jobs)  # some models take no n_jobs
    standings: list[Standing] = []
    for place, one in enumerate(chosen):
        name, summary = (one, MODELS[one]) if isinstance(one, str) else (one.name, one.summary)
        on_graph = not isinstance(one, str) and "models" not in one().get_params()  # others choose their own
        shares, began = [], time.perf_counter()
        try:
            for number, (shown, judged) in enumerate(folds):
                progress("methods", (place + number / len(folds)) / len(chosen))
                with threadpool_limits(threads), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of one method on one split
                    label = _by_model if isinstance(one, str) else _by_method
                    found = label(one, graph if on_graph else rows, shown, n_classes, seed, n_jobs)
                shares.append(float((found == answers)[judged].mean()))
        except EXPECTED as error:
            left_out[name] = str(error) or type(error).__name__
            continue
        seconds = (time.perf_counter() - began) / len(folds) + (seconds_graph if on_graph else 0.0)
        standings.append(Standing(name, summary, tuple(shares), n_judged, seconds))
        if on_result is not None:
            on_result(standings[-1])
    progress("methods", 1.0)
    if not standings:
        raise ValueError("No method could label the rows; {}: {}".format(*next(iter(left_out.items()))))
    return MethodComparison(
        standings=tuple(sorted(standings, key=lambda each: -each.accuracy)),
        left_out=tuple(left_out.items()),
        n_rows=len(rows),
        n_labels=int((labels.codes >= 0).sum()),
        n_splits=len(folds),
        judged_on="hidden labels" if true is None else "truth",
        n_judged=n_judged,
        seconds_graph=seconds_graph,
        classes=tuple(labels.classes.tolist()),
    )


def _true_codes(truth: Any, labels: Labels, unknown: Any) -> IntArray:
    """True classes by the numbers of the labels; those without any label come after."""
    try:
        found = read_labels(truth, len(labels.codes), unknown)
    except NoKnownLabelError:
        raise OptionError("truth", "{field} holds no known label.") from None
    known = {name: code for code, name in enumerate(labels.classes.tolist())}
    numbers = [known.setdefault(name, len(known)) for name in found.classes.tolist()]
    return np.array([*numbers, -1])[found.codes]


def _hide_labels(
    codes: IntArray, true: IntArray | None, n_splits: int, seed: int, groups: IntArray
) -> list[tuple[IntArray, BoolArray]]:
    """The labels shown and the rows judged in each split; equal rows are hidden together."""
    alone = one_of_each(codes, groups)
    counts = np.bincount(alone[alone >= 0])
    spare = int(counts[counts > 1].sum())
    if spare < 2 and true is None:
        problem = "Too few labels to hide any: a class needs two; label more rows, or give {field}."
        raise OptionError("truth", problem)
    hidden_sets = [np.zeros(0, dtype=np.int64)]
    if spare >= 2:
        splitter = HiddenLabelsSplit(min(n_splits, spare), random_state=seed)
        hidden_sets = [hidden for _, hidden in splitter.split(None, codes, groups)]
    folds = []
    for hidden in hidden_sets:
        shown = codes.copy()
        shown[hidden] = -1
        folds.append((shown, ((codes if true is None else true) >= 0) & (shown < 0)))
    if not all(judged.any() for _, judged in folds):
        problem = "{field} says nothing on any row without a label; there is nothing to judge by."
        raise OptionError("truth", problem)
    return folds


# ------------------------------------------------------------------------------------------------- methods


def _choose(
    names: Sequence[str] | None, n_rows: int, n_classes: int
) -> tuple[list[Method | str], dict[str, str]]:
    """The methods that take part, models of scikit-learn by name; and those that do not, with the reason."""
    if names is not None and (isinstance(names, str) or not isinstance(names, Sequence)):
        raise OptionError("methods", "{field} must be a list of names, got {!r}.", names)
    own = registered_methods()
    known: dict[str, Method | str] = {**own, **{name: name for name in MODELS}}
    every = names is not None and list(names) == ["all"]
    asked = list(known) if every else list(names or (DEFAULT, *MODELS))
    left_out = {}
    for name in asked:
        if not isinstance(name, str) or name not in known:
            raise OptionError("methods", "{field} must be among {}; got {!r}.", ", ".join(known), name)
        most = own[name].most_classes if name in own else None
        if most is not None and n_classes > most:
            left_out[name] = f"tells at most {most} classes apart, and there are {n_classes}"
        elif every and name in own and own[name].slow and n_rows > MANY_ROWS:
            left_out[name] = f"slow on {n_rows:,} rows; name it to have it run"
    chosen = [known[name] for name in dict.fromkeys(asked) if name not in left_out]
    if not chosen:
        raise OptionError("methods", "{field}: {} {}.", *next(iter(left_out.items())))
    return chosen, left_out


def _by_method(method: Any, X: Any, y: IntArray, k: int, seed: int, n_jobs: Any) -> IntArray:
    """Labels of a method of graphwell, which is given the sizes of the labels shown if it wants any."""
    parameters: dict[str, Any] = {"n_jobs": n_jobs}
    if "random_state" in method().get_params():
        parameters["random_state"] = seed
    if method.told_sizes:
        parameters["class_prior"] = np.bincount(y[y >= 0], minlength=k) / (y >= 0).sum()
    fitted = method(**parameters).fit(X, y)
    return np.where(fitted.reachable_, fitted.transduction_, -1)


def _by_model(name: Any, X: Any, y: IntArray, k: int, seed: int, n_jobs: Any) -> IntArray:
    """Labels of a model of scikit-learn; given labels are kept."""
    known = y >= 0
    n_known = int(known.sum())
    model: Any
    if name == "sklearn LabelSpreading":
        # Until it has converged, and with labels that reach far: by default far rows get the first class.
        settled = {"n_neighbors": min(10, len(y) - 1), "alpha": 0.99, "max_iter": 1000, "tol": 1e-6}
        return np.asarray(LabelSpreading(kernel="knn", n_jobs=n_jobs, **settled).fit(X, y).transduction_)
    if name == "logistic regression":
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    elif name == "random forest":
        model = RandomForestClassifier(TREES, random_state=seed, n_jobs=n_jobs)
    else:  # with its usual 20 rows in a leaf, boosting would learn nothing from few labels
        in_a_leaf = max(1, min(20, n_known // (2 * k)))
        model = HistGradientBoostingClassifier(min_samples_leaf=in_a_leaf, random_state=seed)
    # Boosting's threads wait for each other at every tree: 130 s in place of 5 for 800 rows on busy cores.
    with threadpool_limits(1) if name == "boosting" and n_known < MANY_LABELS else nullcontext():
        return np.where(known, y, model.fit(X[known], y[known]).predict(X))


# ------------------------------------------------------------------------------------------------- results


@dataclass(frozen=True)
class Standing:
    """A method over all splits: the `shares` of correct labels, and the mean of its seconds."""

    method: str
    summary: str
    shares: tuple[float, ...]
    n_judged: int
    seconds: float

    @property
    def accuracy(self) -> float:
        """Mean over the splits."""
        return float(np.mean(self.shares))

    @property
    def standard_error(self) -> float:
        """By the spread over the splits, or by the number of rows judged, whichever is larger."""
        spread = np.std(self.shares, ddof=1) / np.sqrt(len(self.shares)) if len(self.shares) > 1 else 0.0
        by_count = np.sqrt(self.accuracy * (1 - self.accuracy) / self.n_judged)
        return round(float(max(spread, by_count)), 12)

    @property
    def cells(self) -> tuple[str, str, str]:
        """Accuracy, its error and seconds for people."""
        error = f"{100 * self.standard_error:.2f}"
        return f"{100 * self.accuracy:.2f} %", error, f"{self.seconds:.2f}"


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods side by side on the same labels.

    `standings` come best first, and `left_out` has the methods that took no part, with the reason.
    `judged_on` is "hidden labels" or "truth"; `n_judged` counts the different rows whose label was judged.
    """

    standings: tuple[Standing, ...]
    left_out: tuple[tuple[str, str], ...]
    n_rows: int
    n_labels: int
    n_splits: int
    judged_on: str
    n_judged: int
    seconds_graph: float
    classes: tuple[Any, ...]

    def __str__(self) -> str:
        """The table as text."""
        lines = [("method", "correct", "+-", "seconds")]
        lines += [(each.method, *each.cells) for each in self.standings]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines
        )

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {
            "rows": self.n_rows,
            "classes": [str(name) for name in self.classes],
            "labels_given": self.n_labels,
            "splits": self.n_splits,
            "judged_on": self.judged_on,
            "judged_rows": self.n_judged,
            "seconds_graph": round(self.seconds_graph, 3),
            "methods": [
                asdict(one) | {"accuracy": one.accuracy, "standard_error": one.standard_error}
                for one in self.standings
            ],
            "left_out": dict(self.left_out),
        }  # fmt: skip
