"""Who takes part in a comparison: every method of the registry, and what people would try first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.estimators.registry import DEFAULT, Method, methods
from graphwell.graph import Graph

MANY_ROWS = 20_000
"""Slow methods take part on more rows only if they are named."""
TREES = 300


@dataclass(frozen=True, eq=False)
class Ground:
    """What all competitors are given besides labels.

    Attributes
    ----------
    X : array of shape (n, d)
    graph : Graph
        Of these rows.
    n_classes : int
    seed : int
        Of everything random.
    n_jobs : int, optional
    """

    X: FloatArray
    graph: Graph
    n_classes: int
    seed: int = 0
    n_jobs: int | None = None


@dataclass(frozen=True)
class Competitor:
    """A way to label rows from the labels of some.

    Attributes
    ----------
    name, summary : str
    label : callable
        Takes a `Ground` and class numbers (-1 unknown); returns a class for every row, -1 for none.
    uses_graph : bool
        Whether it is given the graph in place of rows.
    most_classes : int, optional
    slow : bool
    usual : bool
        Whether it takes part without being named.
    """

    name: str
    summary: str
    label: Callable[[Ground, IntArray], IntArray]
    uses_graph: bool = False
    most_classes: int | None = None
    slow: bool = False
    usual: bool = True

    def refusal(self, n_rows: int, n_classes: int, *, named: bool) -> str:
        """Why it takes no part; empty if it does.

        Examples
        --------
        >>> competitors()["gtam"].refusal(50_000, 3, named=False)
        'slow on 50,000 rows; name it to have it run'
        """
        if self.most_classes is not None and n_classes > self.most_classes:
            return f"tells at most {self.most_classes} classes apart, and there are {n_classes}"
        if self.slow and n_rows > MANY_ROWS and not named:
            return f"slow on {n_rows:,} rows; name it to have it run"
        return ""


def competitors() -> Mapping[str, Competitor]:
    """Everyone by name: graphwell's methods, then models of scikit-learn.

    Examples
    --------
    >>> list(competitors())[-4:]
    ['logistic regression', 'random forest', 'boosting', 'sklearn LabelSpreading']
    """
    own = [_of_method(method) for method in methods().values()]
    return {one.name: one for one in [*own, *_of_sklearn()]}


def _of_method(method: Method) -> Competitor:
    known = method().get_params()
    chooses_metric = "tune" in known

    def label(ground: Ground, y: IntArray) -> IntArray:
        told: dict[str, Any] = {"n_jobs": ground.n_jobs}
        if "random_state" in known:
            told["random_state"] = ground.seed
        if method.told_sizes:
            counts = np.bincount(y[y >= 0], minlength=ground.n_classes)
            told["class_prior"] = counts / counts.sum()
        fitted = method(**told).fit(ground.X if chooses_metric else ground.graph, y)
        return np.where(fitted.reachable_, fitted.transduction_, -1)

    return Competitor(
        method.name, method.summary, label, not chooses_metric, method.most_classes, method.slow,
        usual=method.name == DEFAULT,
    )  # fmt: skip


def _of_sklearn() -> list[Competitor]:
    return [
        Competitor("logistic regression", "on standardised rows", partial(_taught, _logistic)),
        Competitor("random forest", f"{TREES} trees", partial(_taught, _forest)),
        Competitor("boosting", "boosted trees on histograms", _boosted),
        Competitor("sklearn LabelSpreading", "scikit-learn's, nearest neighbours", _spread),
    ]


def _taught(make: Callable[[Ground], Any], ground: Ground, y: IntArray) -> IntArray:
    """Labels of a model that sees the rows with labels alone; given labels are kept."""
    known = y >= 0
    model = make(ground).fit(ground.X[known], y[known])
    return np.where(known, y, model.predict(ground.X))


def _logistic(ground: Ground) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _forest(ground: Ground) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(TREES, random_state=ground.seed, n_jobs=ground.n_jobs)


def _boosted(ground: Ground, y: IntArray) -> IntArray:
    """With its usual 20 rows in a leaf, boosting would learn nothing from few labels."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    in_a_leaf = max(1, min(20, int((y >= 0).sum()) // (2 * ground.n_classes)))
    model = HistGradientBoostingClassifier(min_samples_leaf=in_a_leaf, random_state=ground.seed)
    return _taught(lambda _: model, ground, y)


def _spread(ground: Ground, y: IntArray) -> IntArray:
    """Until it has converged, and with labels that reach far: by default far rows get the first class."""
    from sklearn.semi_supervised import LabelSpreading

    neighbors = min(10, len(y) - 1)
    model = LabelSpreading(
        kernel="knn", n_neighbors=neighbors, alpha=0.99, max_iter=1000, tol=1e-6, n_jobs=ground.n_jobs
    )
    return np.asarray(model.fit(ground.X, y).transduction_)
