"""Base of all classifiers on a graph: input, an answer for every vertex, and new points."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from graphwell._rows import ROWS_AT_ONCE, fetched, labels_that_differ
from graphwell._types import FloatArray, IntArray
from graphwell._unknown import as_numpy_reads_them, is_known
from graphwell.backends.base import Backend, Block, Engine, PlacedGraph, Rows, Vector
from graphwell.backends.induction import Induction
from graphwell.backends.registry import backend_of_rows, find_backend, refuse_rows_of_a_cluster
from graphwell.encoders.columns import WANT_A_SCALE
from graphwell.encoders.kinds import is_frame
from graphwell.encoders.table import TableEncoder
from graphwell.errors import BridgedWarning, LabelWarning, Sentence, UnreachableWarning, in_short, warn_user
from graphwell.estimators.canonical import arranged_graph, arranged_rows, put_back, told_in_order
from graphwell.estimators.inputs import encoded_frame, refuse_foreign
from graphwell.estimators.labels import Labels, read_labels, with_classes
from graphwell.estimators.parameters import check_parameters, read_trust
from graphwell.estimators.tuning.estimate import figures
from graphwell.estimators.tuning.maps import Linear
from graphwell.estimators.tuning.metrics import by_the_data
from graphwell.estimators.tuning.stacking import stacked_scores
from graphwell.graph import Graph
from graphwell.graph.canonical import equal_rows
from graphwell.graph.checks import read_features
from graphwell.graph.knn import check_metric
from graphwell.progress import watched
from graphwell.solve.descent import Status, on_host
from graphwell.solve.fit import Run
from graphwell.solve.problem import Problem

Note = tuple[str | Sentence, type[Warning]]
"""A sentence and its category of warning."""
CLASSES_SHOWN = 12
"""In a notebook."""


@dataclass(frozen=True)
class Solved:
    """Solution of a method."""

    engine: Engine  # whose vectors and blocks the next two are
    assigned: Vector  # a class for every vertex
    scores: Block  # of every vertex and class
    columns: IntArray | None = None  # numbers of the classes of the scores; all by default
    attributes: Mapping[str, Any] = field(default_factory=dict)  # further ones of the estimator
    seconds: Mapping[str, float] = field(default_factory=dict)  # of each stage


class GraphClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: everything but the method itself.

    A subclass names its parameters in ``__init__`` (`n_neighbors`, `scale_neighbor`, `metric` and `n_jobs`
    among them) and implements ``_solve``. A fit sets all its attributes at the end, or none. It reads what is
    given, puts it into the order of content (`canonical`), tunes, and labels where the rows are.
    """

    n_neighbors: int
    scale_neighbor: int
    metric: str
    n_jobs: int | None
    device: str = "cpu"
    classes: Any = None
    unknown: Any = None
    _keep: Status | None = None
    """The candidate to keep, by cross-validation; None where the fit selects by itself."""

    def _solve(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        """Return a class for every vertex and a score for every vertex and class."""
        raise NotImplementedError

    def _backend(self, X: Any) -> Backend:
        """Where to fit these rows; methods of one machine refuse those of a cluster."""
        refuse_rows_of_a_cluster(X, type(self).__name__, ", or use DiffuseInterfaceClassifier")
        return find_backend(self.device, X, self.n_jobs)

    def _tuned(
        self,
        backend: Backend,
        rows: Rows,
        graph: PlacedGraph | None,
        labels: Labels,
        features: Any,
        run: Run,
    ) -> tuple[Rows, PlacedGraph | None, dict[str, Any], dict[str, float]]:
        """The rows with what is to be done to them, the graph, further attributes, and seconds of stages."""
        return rows, graph, {}, {}

    def _unfitted(self, **other: Any) -> Any:
        """An unfitted classifier like this one, with other parameters; it may be sent to workers."""
        return type(self)(**{**self.get_params(deep=False), **other})

    def _problem(self, graph: PlacedGraph, engine_labels: Vector, labels: Labels) -> Problem:
        """Put the graph and the known labels together."""
        return Problem(graph, engine_labels, len(labels.classes))

    def fit(self, X: Any, y: Any) -> Any:
        """Label every row of `X` from the known labels in `y`.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Graph
            Features of shape (n, d); with ``metric="precomputed"`` a symmetric affinity matrix of shape
            (n, n). A `Graph` is used as it is.
        y : array-like of shape (n,)
            Labels; unknown ones are -1 (integers), None or NaN.

        Returns
        -------
        self
        """
        return self._fit(X, y, Run())

    def fit_predict(self, X: Any, y: Any, **options: Any) -> Any:
        """Fit, and return a label for every row of `X`; `options` are those of `fit`."""
        return self.fit(X, y, **options).transduction_

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of right labels among the rows of `X` whose label in `y` is known."""
        known = is_known(y, self.unknown)
        if not known.all():
            warn_user(
                f"{(~known).sum():,} of the {len(known):,} labels to score with are unknown and are left "
                "out; hide known labels with graphwell.model_selection.HiddenLabelsSplit to judge a fit."
            )
        predicted = np.asarray(self.predict(X))
        if len(predicted) != len(known):
            raise ValueError(f"y has {len(known):,} labels, but X has {len(predicted):,} rows.")
        right = predicted[known] == np.asarray(as_numpy_reads_them(y)).ravel()[known]
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(right, weights=weights)) if known.any() else float("nan")

    def _fit(self, X: Any, y: Any, run: Run, sample_weight: Any = None, features: Any = None) -> Any:
        self._check_parameters()
        with watched(run.check):
            fitted = self._attributes_of_fit(X, y, run, sample_weight, features)
        found = {name for name in vars(self) if name.endswith("_") and not name.startswith("_")}
        kept = {k: v for k, v in vars(self).items() if k not in {*found, "_predictor", "_given", "_encoder"}}
        self.__dict__ = {**kept, **fitted}  # at once, whatever other threads do with it
        return self

    def _attributes_of_fit(
        self, X: Any, y: Any, run: Run, sample_weight: Any, features: Any
    ) -> dict[str, Any]:
        """All that a fit sets, by name."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: "
                "give one label per row, -1 (or None) where it is unknown."
            )
        refuse_foreign(X)
        backend, user = self._backend(X), self
        y, encoder = backend.read_labels(y), None
        if is_frame(X) and self.metric != "precomputed":
            labels = read_labels(y, len(X), self.unknown)
            # Methods that compare scales on held-out labels are given numbers as they are.
            scale = True if hasattr(self, "models") else by_the_data
            encoder, matrix = encoded_frame(X, labels, TableEncoder(standardise=scale))
            rows, graph, _ = self._read(backend, matrix)
            compact = encoder.compact_
            if compact.shape != (len(compact), len(compact)):  # others for trees
                rows = replace(rows, compact=Linear(np.zeros(len(compact)), compact))
            names = {**_feature_names(self, X, X.shape[1]), "columns_": encoder.treatments_}
        else:
            rows, graph, names = self._read(backend, X)
            labels = read_labels(y, rows.n_rows, self.unknown)
        labels, trust = read_trust(sample_weight, labels)
        labels = with_classes(labels, self.classes)
        if len(labels.classes) == 1:
            only, seen = labels.classes.tolist()[0], np.asarray(y, dtype=object).ravel().tolist()
            if only != 1 or -1 not in seen:  # of 1 beside -1 reading the labels warned
                told = "All known labels are {!r}, so every row gets it; label rows of at least two classes."
                warn_user(Sentence(told, (only,)), LabelWarning)
        near = y.groups if isinstance(y, Labels) else None  # rows that the caller knows to be nearly equal
        labels, given = replace(labels, groups=near), labels.codes >= 0
        prior = getattr(self, "class_prior", None)
        if graph is None and backend.name == "cpu":
            rows, labels, trust = arranged_rows(backend, rows, labels, trust, prior)
        elif isinstance(graph, Graph) and graph.masses is None and backend.name == "cpu":
            if near is None and graph.origin is not None:
                labels = replace(labels, groups=_copies(backend, rows, graph, labels))
            rows, graph, labels, trust = arranged_graph(backend, rows, graph, labels, trust, prior)
            if features is not None:
                features = read_features(features)
                if features.shape[0] == graph.n_vertices and rows.order is not None:
                    features = features[rows.order.firsts]
        elif near is None:
            labels = replace(labels, groups=_copies(backend, rows, graph, labels))
        order = rows.order
        if order is not None:
            run = told_in_order(run, order)
            if prior is not None and not isinstance(prior, str | dict) and len(prior) == len(order.classes):
                user = self._unfitted(class_prior=np.asarray(prior)[order.classes])
        rows, graph, tuned, seconds = user._tuned(backend, rows, graph, labels, features, run)
        plain = user._unfitted()
        plain._keep = tuned["tuning_"].keep if "tuning_" in tuned else None
        found, notes = backend.together(plain._labelled, rows, graph, run, labels, trust, tuned)
        found = {**tuned, **found}
        found = found if order is None else put_back(found, order, given)
        for told, category in notes:
            warn_user(told, category)
        return {
            **names,
            **found,
            "timings_": {**seconds, **found["timings_"]},
            "_given": given,
            "_encoder": encoder,
        }

    def _labelled(
        self,
        backend: Backend,
        rows: Rows,
        graph: PlacedGraph | None,
        run: Run,
        labels: Labels,
        trust: Any,
        tuned: dict[str, Any],
    ) -> tuple[dict[str, Any], list[Note]]:
        """Attributes of the fit by name, computed where the rows are, and warnings.

        On a cluster every worker calls it, with a backend that has the rows of the worker.
        """
        began = time.perf_counter()
        if graph is None:
            sizes = (self.n_neighbors, self.scale_neighbor, self.metric)
            graph = backend.build_graph(rows, *sizes, run.report)
        codes = backend.asarray(labels.codes)
        graph = graph.bridged(codes >= 0)
        seconds = {"graph": time.perf_counter() - began}
        problem = replace(self._problem(graph, codes, labels), groups=labels.groups)
        if trust is not None:
            problem = replace(problem, trust=backend.asarray(trust))
        solved = self._solve(backend, problem, run)
        solved.engine.release()
        tuning = tuned.get("tuning_")
        power = 1.0 if tuning is None else tuning.power
        assigned, scores, of_graph = stacked_scores(
            backend, rows, problem, solved.engine, solved.assigned, solved.scores, power
        )
        judged = {} if tuning is None else figures(tuning, solved.engine, assigned, scores, problem.is_known)
        prior = problem.class_shares
        if prior is None:  # as among the given labels
            prior = np.asarray(labels.counts / labels.counts.sum())
        columns = np.arange(len(labels.classes)) if solved.columns is None else solved.columns
        told = backend.answers(
            rows, problem, solved.engine, assigned, scores, columns, labels.classes, prior, of_graph
        )
        found = {
            "calibrated_": False,
            **solved.attributes,
            **judged,
            "classes_": labels.classes,
            "unlabelled_classes_": labels.classes[labels.counts == 0],
            "class_prior_": prior,
            "graph_": backend.shown(graph),
            "timings_": {**seconds, **solved.seconds},
            "transduction_": told.labels,
            "label_distributions_": told.distributions,
            "reachable_": told.reachable,
            "bridged_": told.bridged,
            "_predictor": told.predictor,
        }
        vertices = slice(None) if rows.order is None else rows.order.vertices
        return found, _parts_without_labels(problem, solved.engine, vertices)

    @property
    def encoder_(self) -> TableEncoder | None:
        """The encoder that made a matrix of the fitted data frame; None after any other fit."""
        return self._encoder

    def predict(self, X: Any) -> Any:
        """Class of each new row.

        Parameters
        ----------
        X : array of shape (m, d)
            Features; with ``metric="precomputed"`` affinities of shape (m, n) to the fitted rows.
        """
        rows = self._new_rows(X)
        return self._predictor.labels(rows)

    def predict_proba(self, X: Any) -> FloatArray:
        """Scores of each new row: the vote of its nearest fitted rows under the kernel of the graph.

        Each row is answered by itself, whatever other rows are asked.
        """
        rows = self._new_rows(X)
        scores: FloatArray = self._predictor.scores(rows)
        return scores

    def doubtful(self, k: int = 10) -> IntArray:
        """Indices of the `k` rows to look at first: the least certain ones.

        Certainty is the distance between the two highest scores of a row. Rows that no label reaches come
        before all others, then those in reach over a bridge alone. Rows whose label was given are left out.
        """
        check_is_fitted(self)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
            raise ValueError(f"k must be a number of rows, 0 or more; got {in_short(k)}.")
        rows: IntArray = self._predictor.least_certain(int(k), self._given, self.bridged_)
        return rows

    def _check_parameters(self) -> None:
        """Refuse parameters that are not what they must be."""
        defaults = {name: asked.default for name, asked in signature(type(self)).parameters.items()}
        check_parameters(self.get_params(deep=False), defaults)

    def _read(self, backend: Backend, X: Any) -> tuple[Rows, PlacedGraph | None, dict[str, Any]]:
        """The rows, checked; the graph where it is given in place of them; names and number of features."""
        if isinstance(X, Graph):
            X.check()
            n_features = X.n_vertices if X.origin is None else X.origin.n_features
            return Rows(X, X, X.n_vertices, n_features), backend.place(X), {"n_features_in_": n_features}
        check_metric(self.metric, also=("precomputed",))
        if self.metric == "precomputed":
            rows, graph = backend.read_affinities(X)
            return rows, graph, {"n_features_in_": rows.n_features}
        rows = backend.read_rows(X, self.metric)
        return rows, None, _feature_names(self, X, rows.n_features)

    def _new_rows(self, X: Any) -> Any:
        """New rows in the encoding of the fit; refused if they have other features."""
        check_is_fitted(self)
        refuse_foreign(X)
        encoder, encodes = self._encoder, self._encoder is not None and is_frame(X)
        if encoder is not None and not encodes:
            kinds = encoder.kinds_
            if len(kinds) != encoder.n_features_in_ or not set(kinds) <= set(WANT_A_SCALE):
                raise ValueError(
                    "X must be a data frame with the columns of the fit, which were not all numbers."
                )
        shape = np.shape(X) if isinstance(X, list | tuple) else getattr(X, "shape", ())
        if self._predictor.takes_features and isinstance(shape, tuple) and len(shape) == 2:
            _check_names(self, X, reset=False)
        return encoder.transform(X) if encodes else X

    def _repr_html_inner(self) -> str:
        return self._summary_html() + str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The summary of a fit for a notebook, before the diagram of scikit-learn."""
        shown = super()._repr_mimebundle_(**options)
        if "text/html" in shown:
            shown["text/html"] = self._summary_html() + shown["text/html"]
        return shown

    def _summary_html(self) -> str:
        """How the fit ended, and the classes, as a piece of HTML."""
        if not hasattr(self, "_predictor") or not isinstance(self.transduction_, np.ndarray):
            return ""
        told, accuracy = [], getattr(self, "accuracy_", None)
        if accuracy is not None:
            low, high = self.accuracy_interval_
            told.append(
                f"About {accuracy:.0%} of the labels are correct (90 % interval: {low:.0%} to {high:.0%})."
            )
        told.append(f"{len(self.transduction_):,} rows, {self._given.sum():,} labels given.")
        told += [self.result_.status.value] if hasattr(self, "result_") else []
        told += [f"Distances: {self.tuning_}."] if hasattr(self, "tuning_") else []
        bridged, lost = int(self.bridged_.sum()), int((~self.reachable_).sum())
        told += [f"{bridged:,} rows were reached over a bridge alone."] if bridged else []
        told += [f"{lost:,} rows have no label: none reaches them."] if lost else []
        told += ["Scores are calibrated."] if self.calibrated_ else []
        codes = np.searchsorted(self.classes_, self.transduction_)
        table = pd.DataFrame({"class": [str(each) for each in self.classes_.tolist()]})
        for name, rows in (("given", self._given), ("assigned", self.reachable_)):
            table[name] = np.bincount(codes[rows], minlength=len(table))
        shown = table.to_html(index=False, border=0, max_rows=CLASSES_SHOWN, show_dimensions=True)
        return f"<div><p style='max-width:44em'>{escape(' '.join(told))}</p>{shown}</div>"

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the attributes; arrays of a cluster are fetched first."""
        state = {k: fetched(v) if backend_of_rows(v) else v for k, v in super().__getstate__().items()}
        if "result_" in state:
            state["result_"] = on_host(state["result_"], fetched)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "_predictor"):
            return
        rows = [
            len(getattr(self, name, ())) for name in ("_given", "transduction_", "reachable_", "bridged_")
        ]
        if not isinstance(self._predictor, Induction) or {*rows, len(self._predictor.reachable)} != {rows[0]}:
            raise ValueError(f"This pickled {type(self).__name__} is damaged; fit it anew.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _parts_without_labels(problem: Problem, engine: Engine, vertices: Any) -> list[Note]:
    """Warnings of rows joined to others by bridges, or out of reach; `vertices` are those of the rows."""
    notes: list[Note] = []
    bridges, reachable = problem.graph.bridges, engine.to_host(problem.reachable)[vertices]
    if bridges is not None:
        rows, parts = bridges.rows[vertices], bridges.n_parts
        told = (
            f"{rows.sum()} of {len(rows)} rows lie in {parts} component{'s' if parts > 1 else ''} of the "
            "graph without any label; they were connected to the nearest one and are the least certain "
            "(bridged_ is True there). If they are many, bring columns to a like scale, drop copies of "
            "rows, or raise n_neighbors."
        )
        notes.append((told, BridgedWarning))
    if not reachable.all():
        parts = len(np.unique(engine.to_host(problem.graph.components)[vertices][~reachable]))
        lost = (
            f"{(~reachable).sum()} of {len(reachable)} rows lie in {parts} "
            f"component{'s' if parts > 1 else ''} of the graph without any label and cannot be decided "
            "(reachable_ is False there); their scores are the class shares of the given labels."
        )
        notes.append((lost, UnreachableWarning))
    return notes


def _copies(backend: Backend, rows: Rows, graph: PlacedGraph | None, labels: Labels) -> IntArray | None:
    """Groups of equal rows with labels, None if there are none; a warning where those labels differ."""
    if graph is not None:
        origin = getattr(rows.values, "origin", None)
        rows = replace(rows, values=None if origin is None else origin.points)
    if rows.values is None or backend.name == "dask":  # rows of a cluster are not looked at here
        return None
    known = np.flatnonzero(labels.codes >= 0)
    parts = (known[begin : begin + ROWS_AT_ONCE] for begin in range(0, len(known), ROWS_AT_ONCE))
    found = equal_rows(*(backend.some_rows(rows, part) for part in parts))
    if found.max() + 1 == len(found):
        return None
    groups = np.full(len(labels.codes), -1)
    groups[known] = found
    told = labels_that_differ(groups, labels.codes, labels.classes.tolist(), np.arange(len(groups)))
    if told is not None:
        warn_user(told, LabelWarning)
    return groups


def _check_names(estimator: Any, X: Any, *, reset: bool) -> None:
    """Have scikit-learn take, or compare, the names of the columns; what it cannot read gets a sentence."""
    try:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    except TypeError as error:
        raise ValueError(
            "The columns of X have names of several types; make them all text: X.columns.astype(str)."
        ) from error
    except ValueError as error:
        if "unique" not in str(error):
            raise
        raise ValueError("Two columns of X have the same name; rename one of them.") from error


def _feature_names(estimator: Any, X: Any, n_features: int) -> dict[str, Any]:
    """Number of the features, and their names where they have any, as scikit-learn keeps them."""
    probe = clone(estimator)
    _check_names(probe, X, reset=True)
    names = {"feature_names_in_": probe.feature_names_in_} if hasattr(probe, "feature_names_in_") else {}
    return {"n_features_in_": n_features, **names}
