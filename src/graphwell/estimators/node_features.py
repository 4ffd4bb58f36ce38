"""Features of the vertices beside a graph that is given: two graphs become one, and classifiers are asked.

What a classifier is asked about is not a row of features but their mean around it, taken twice along the
given graph: neighbours tend to be of one class, and their mean is clearer than any of them. New rows come as
affinities to the fitted ones, and those are all that the mean needs.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Rows
from graphwell.estimators.evidence import Evidence, experts_for
from graphwell.estimators.tuning import Contest, Tuning, compared, heard_of, says
from graphwell.graph import Graph
from graphwell.graph.checks import read_features
from graphwell.metric.candidates import CANDIDATES
from graphwell.metric.maps import dense
from graphwell.metric.rules import Ruled, are_mostly_zero, by_the_data
from graphwell.metric.sample import MOST_COLUMNS, Sample, leading_axes
from graphwell.solve.run import Run

ALONE, JOINED = "graph alone", "graph and features"


@dataclass(frozen=True, eq=False)
class AroundRows:
    """Evidence from the features around rows, which are given as affinities to the fitted rows.

    Attributes
    ----------
    evidence : Evidence
    means : array of shape (n, d)
        Mean of the features around each fitted row, itself among them.
    """

    evidence: Evidence
    means: FloatArray

    @property
    def weight(self) -> float:
        """What it counts beside the graph."""
        return self.evidence.weight

    def __call__(self, X: Any) -> FloatArray:
        """Return what the classifiers say of each row of affinities."""
        return self.evidence(mean_around(X, self.means))


@dataclass(frozen=True)
class GraphContest(Contest):
    """A comparison of two graphs of the same rows."""

    graphs: dict[str, Graph] = field(default_factory=dict)

    def candidates(self, rule: str, n_labels: int) -> list[str]:
        """Both graphs, the joined one first."""
        return [rule, *(name for name in self.graphs if name != rule)]

    def graph_says(self, sample: Sample, name: str) -> FloatArray:
        """Probabilities of every row on one of the graphs."""
        return says(self, self.graphs[name], sample.labels)


def mean_around(A: Any, values: FloatArray) -> FloatArray:
    """Mean of the values of the rows that each row is linked to, by affinity; 0 where there is no link.

    Examples
    --------
    >>> mean_around(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([[0.0], [4.0]]))
    array([[3.],
           [0.]])
    """
    A = sparse.csr_array(A, dtype=np.float64)
    total = A @ np.ones(A.shape[1])
    return (A @ values) / np.where(total > 0, total, 1.0)[:, None]


def joined_graphs(graph: Graph, X: Any, n_neighbors: int, scale_neighbor: int, n_jobs: int | None) -> Graph:
    """The graph plus the nearest-neighbour graph of the features, both of the same total weight."""
    few = min(n_neighbors, X.shape[0] - 1), min(scale_neighbor, X.shape[0] - 1)
    counts = sparse.issparse(X) or are_mostly_zero(X)
    change = CANDIDATES[by_the_data(X).name].fit(Sample(X, np.full(X.shape[0], -1)))
    near = Graph.from_features(X, *few, "cosine" if counts else "euclidean", n_jobs, change=change)
    return Graph.from_affinity(graph.W + near.W * (graph.W.sum() / near.W.sum()))


def tuned_graph(
    graph: Graph,
    features: Any,
    labels: IntArray,
    contest: Contest,
    evidence: Any,
    rng: np.random.Generator,
    run: Run,
    *,
    by_labels: bool,
) -> tuple[Rows, Graph, Tuning, float]:
    """Choose between the graph alone and joined with the features, and what the features are asked.

    Without labels to hide the joined graph is taken, and nothing is asked.

    Parameters
    ----------
    graph : Graph
    features : array or sparse matrix of shape (n, d)
    labels : array of shape (n,)
        Class, or -1 where it is unknown.
    contest, evidence, rng, run, by_labels
        As in `graphwell.estimators.tuning.tuned_rows`.

    Returns
    -------
    rows, graph, tuning, seconds
        The rows are affinities, with the evidence of the features around them.
    """
    began = time.perf_counter()
    X = checked(features, graph.n_vertices)
    sizes = (contest.n_neighbors, contest.scale_neighbor, contest.n_jobs)
    graphs = {JOINED: joined_graphs(graph, X, *sizes), ALONE: graph}
    affinity = sparse.csr_array(graph.W + sparse.eye_array(graph.n_vertices))
    low = leading_axes(X, MOST_COLUMNS)(X) if X.shape[1] > MOST_COLUMNS else dense(X)
    means = mean_around(affinity, low)
    rows = Rows(affinity, affinity, graph.n_vertices, graph.n_vertices)
    tuning, heard = Tuning(JOINED, "features were given"), None
    if by_labels:
        sample = Sample(mean_around(affinity, means), labels)
        asked = experts_for(evidence, int(sample.known.sum()), contest.n_classes)
        both = GraphContest(contest.n_classes, contest.recipe, *sizes, graphs=graphs)
        tuning = compared(sample, Ruled(JOINED, "features were given"), both, asked, rng, run.told)
        found = heard_of(tuning, asked, sample, contest.n_classes)
        heard = None if found is None else AroundRows(found, means)
    rows = Rows(rows.given, rows.values, rows.n_rows, rows.n_features, evidence=heard)
    return rows, graphs[tuning.metric], tuning, time.perf_counter() - began


def checked(features: Any, n: int) -> Any:
    """Features of the vertices, one row for each."""
    X = read_features(features)
    if X.shape[0] != n:
        raise ValueError(f"features has {X.shape[0]} rows but the graph has {n}; give one row per vertex.")
    return X
