"""What all classifiers on a graph share: reading input, answering for every vertex, and new points."""

import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from graphwell._arrays import divided, namespace, to_host
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import on_device
from graphwell.backends.dask import is_dask
from graphwell.estimators.labels import read_labels
from graphwell.graph import Graph
from graphwell.graph.features import METRICS
from graphwell.progress import Progress, silent
from graphwell.solve.problem import Problem


class UnreachableWarning(UserWarning):
    """Some rows lie in a part of the graph that holds no label."""


class GraphClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: everything but the method itself.

    A subclass names its parameters in ``__init__`` (`n_neighbors`, `scale_neighbor`, `metric` and `n_jobs`
    among them) and implements ``_solve``.
    """

    n_neighbors: int
    scale_neighbor: int
    metric: str
    n_jobs: int | None
    device: str = "cpu"
    _progress: Progress = staticmethod(silent)

    def _solve(self, problem: Problem) -> tuple[IntArray, FloatArray]:
        """Return a class for every vertex and a score for every vertex and class."""
        raise NotImplementedError

    def _problem(self, graph: Graph, labels: IntArray) -> Problem:
        """Put the graph and the known labels together."""
        return Problem(graph, graph.asarray(labels), len(self.classes_))

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
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None.")
        began = time.perf_counter()
        given = X
        X = self._read_rows(X)
        n_rows = X.n_vertices if isinstance(X, Graph) else X.shape[0]
        labels = read_labels(self._fetched(y), n_rows)
        self.classes_ = labels.classes
        self._announce(n_rows)
        graph = on_device(self._build_graph(X), self.device)
        self.graph_ = graph.on_host()
        self.timings_ = {"graph": time.perf_counter() - began}
        problem = self._problem(graph, labels.codes)
        self.class_prior_ = self._prior(problem)
        self.reachable_ = to_host(problem.reachable)
        assigned, scores = self._solve(problem)
        found = distributions(assigned, scores)
        if not self.reachable_.all():
            found[~problem.reachable] = graph.asarray(self.class_prior_)
        self.label_distributions_ = self._like(given, found)
        assigned = np.where(self.reachable_, to_host(assigned), self.class_prior_.argmax())
        self.transduction_ = self._like(given, self.classes_[assigned])
        self._warn_of_unreachable(problem)
        return self

    def predict(self, X: Any) -> Any:
        """Class of each new row.

        Parameters
        ----------
        X : array of shape (m, d)
            Features; with ``metric="precomputed"`` affinities of shape (m, n) to the fitted rows.
        """
        best = self._scores_of_new(X).argmax(axis=1)
        if is_dask(best):
            return best.map_blocks(self.classes_.take, dtype=self.classes_.dtype)
        return self._like(X, self.classes_[best])

    def predict_proba(self, X: Any) -> FloatArray:
        """Scores of each new row: the vote of its nearest fitted rows under the kernel of the graph.

        Each row is answered by itself, whatever other rows are asked.
        """
        scores = self._scores_of_new(X)
        return scores if is_dask(scores) else self._like(X, scores)

    def _scores_of_new(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        if is_dask(self.label_distributions_):
            from graphwell.backends.dask.predict import predict_proba

            return predict_proba(self, X)
        affinity = self._read_new_rows(self._fetched(X))
        scores = affinity @ self._fetched(self.label_distributions_)
        support = np.asarray(affinity.sum(axis=1)).ravel()
        lost = (support == 0) | (affinity @ self.reachable_.astype(float) == 0)
        if lost.any():
            warnings.warn(
                f"{lost.sum()} of {len(lost)} rows are linked to no fitted row that a label reached; "
                "their scores are the class shares of the given labels.",
                UnreachableWarning,
                stacklevel=3,
            )
        scores[support == 0] = self.class_prior_
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def doubtful(self, k: int = 10) -> IntArray:
        """Indices of the `k` rows to look at first: the least certain ones, unreachable rows before all.

        Certainty is the distance between the two highest scores of a row.
        """
        check_is_fitted(self)
        if is_dask(self.label_distributions_):
            from graphwell.backends.dask.predict import doubtful

            return doubtful(self, k)
        ranked = np.sort(self._fetched(self.label_distributions_), axis=1)
        margin = ranked[:, -1] - ranked[:, -2] if ranked.shape[1] > 1 else np.ones(len(ranked))
        margin = np.where(self.reachable_, margin, -1.0)
        return np.argsort(margin, kind="stable")[:k]

    def _announce(self, n_rows: int) -> None:
        """Say what is about to begin."""

    def _read_rows(self, X: Any) -> Any:
        """Return the rows, checked, or the graph in place of them."""
        if isinstance(X, Graph):
            self.n_features_in_ = X.n_vertices if X.origin is None else X.origin.n_features
            return X
        if self.metric == "precomputed":
            graph = Graph.from_affinity(X)
            self.n_features_in_ = graph.n_vertices
            return graph
        if self.metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, precomputed; got {self.metric!r}.")
        if self._lies_on_gpu(X):
            self.n_features_in_ = int(X.shape[-1])
            return X
        return validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )

    def _build_graph(self, X: Any) -> Graph:
        if isinstance(X, Graph):
            return X
        return Graph.from_features(
            X,
            self.n_neighbors,
            self.scale_neighbor,
            self.metric,
            self.n_jobs,
            device=self.device,
            progress=self._progress,
        )

    def _read_new_rows(self, X: Any) -> Any:
        if self.graph_.origin is not None:
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
            return self.graph_.affinity_to(X)
        X = sparse.csr_array(X, dtype=np.float64)
        if X.shape[1] != self.graph_.n_vertices:
            raise ValueError(
                f"X must hold the affinities of each new row to the {self.graph_.n_vertices} fitted rows, "
                f"got {X.shape[1]} columns."
            )
        if not np.isfinite(X.data).all() or (X.nnz and X.data.min() < 0):
            raise ValueError("X must hold affinities that are finite and not negative.")
        return X

    def _lies_on_gpu(self, array: Any) -> bool:
        if self.device != "cuda":
            return False
        from graphwell.backends.cuda.dlpack import is_on_gpu

        return is_on_gpu(array)

    def _fetched(self, array: Any) -> Any:
        """An array of the caller on the host; one that lies there is left as it is."""
        if not self._lies_on_gpu(array):
            return array
        from graphwell.backends.cuda.dlpack import fetched

        return fetched(array)

    def _like(self, X: Any, array: Any) -> Any:
        """Results go back to where the caller's rows lie; labels that are no numbers stay on the host."""
        if not self._lies_on_gpu(X):
            return to_host(array)
        if array.dtype.kind not in "biuf":
            return array
        from graphwell.backends.cuda.dlpack import given_back

        return given_back(array, X)

    def _prior(self, problem: Problem) -> FloatArray:
        if problem.class_shares is not None:
            return problem.class_shares
        counts = np.bincount(to_host(problem.labels[problem.is_known]), minlength=problem.n_classes)
        return np.asarray(counts / counts.sum())

    def _warn_of_unreachable(self, problem: Problem) -> None:
        if self.reachable_.all():
            return
        parts = len(np.unique(to_host(problem.graph.components)[~self.reachable_]))
        warnings.warn(
            f"{(~self.reachable_).sum()} of {len(self.reachable_)} rows lie in {parts} "
            f"part{'s' if parts > 1 else ''} of the graph without any label and cannot be decided "
            "(reachable_ is False there); their scores are the class shares of the given labels.",
            UnreachableWarning,
            stacklevel=3,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def distributions(assigned: IntArray, scores: FloatArray) -> FloatArray:
    """Rows that sum to 1 and whose largest entry is the assigned class."""
    scores = scores.astype(np.float64)
    xp = namespace(scores)
    highest = scores.max(axis=1)
    beaten = xp.flatnonzero(scores.argmax(axis=1) != assigned)
    scores[beaten, assigned[beaten]] = xp.nextafter(highest[beaten], np.inf)
    total = scores.sum(axis=1, keepdims=True)
    empty = xp.flatnonzero(total[:, 0] == 0)
    scores = divided(scores, total, where=total > 0)
    scores[empty, assigned[empty]] = 1.0
    return scores
