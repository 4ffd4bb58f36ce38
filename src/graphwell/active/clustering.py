"""Clusters without any label: a query chooses rows, and each is answered with a new cluster."""

import warnings

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import IntArray
from graphwell.active.prepared import SHARPNESS
from graphwell.active.session import suggest
from graphwell.errors import BridgedWarning, LabelWarning, UnreachableWarning, warn_user
from graphwell.estimators.diffuse import DiffuseInterfaceClassifier
from graphwell.estimators.methods.base import Clusterer
from graphwell.graph import Graph
from graphwell.solve.communities import modularity


class DiffuseInterfaceClustering(Clusterer):
    """Clusters of lowest energy: the coarse level and the descent of graphwell without any label.

    The energy of the paper needs no labels: it counts the cut between clusters and, by its null model, what
    chance would put inside them. What labels do is to tell the clusters apart. So the rows that graphwell
    would ask first, the centres of as many communities as there are clusters, are each taken for a cluster of
    their own. From there the problem is solved as with one label per class: on graphs of communities, then
    by the descent. Communities depend on the order in which vertices are looked at; of several orders the
    clusters of highest modularity are kept.

    Cost: that of so many fits from one label per class, 12 s in all on MNIST. It needs to be told the number
    of clusters. It fails where clusters are of very different sizes, as large communities are asked before
    small clusters, and where a class is long and thin, as moons are: its middle may be cut more cheaply than
    its border.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number of classes, where labels are given.
    n_starts : int
        Orders in which communities are found.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    random_state : int, Generator or RandomState, optional
        Seed of the orders, and of the start.

    Attributes
    ----------
    labels_ : array of shape (n,)
        Cluster of each row after ``fit_predict(X)``; -1 in parts of a given graph that hold no cluster.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2]]
    >>> found = DiffuseInterfaceClustering(2, n_neighbors=2, scale_neighbor=2, random_state=0).fit_predict(X)
    >>> found
    array([0, 0, 0, 0, 1, 1, 1])
    """

    sources = ("garciacardona2013multiclass", "calder2020poisson", "blondel2008fast")

    def __init__(
        self,
        n_clusters: int | None = None,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_starts: int = 3,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters, n_neighbors, scale_neighbor, metric, n_jobs=n_jobs, random_state=random_state
        )
        self.n_starts = n_starts

    def _clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        seeds = stream(self.random_state, "orders").integers(2**31, size=self.n_starts)
        W = graph.sharpened(SHARPNESS).W
        found = [self._solved(graph, n_clusters, int(seed)) for seed in seeds]
        best = max(
            found, key=lambda clusters: round(modularity(W, clusters + 1), 9)
        )  # whatever is added first
        lost = int((best < 0).sum())
        if lost:
            warn_user(
                f"{lost:,} rows lie in components of the graph that hold no cluster (labels_ is -1 there); "
                "give a larger n_clusters, or a graph of fewer components."
            )
        return best

    def _solved(self, graph: Graph, n_clusters: int, seed: int) -> IntArray:
        """Clusters from one order; -1 for rows that none reaches."""
        centres = list(suggest(graph, n=n_clusters, random_state=seed, n_jobs=self.n_jobs))
        answers = np.full(graph.n_vertices, -1)
        answers[centres] = np.arange(n_clusters)
        classifier = DiffuseInterfaceClassifier(models=None, n_jobs=self.n_jobs, random_state=seed)
        with warnings.catch_warnings():
            for of_labels in (BridgedWarning, LabelWarning, UnreachableWarning):  # a user gave none
                warnings.simplefilter("ignore", of_labels)
            classifier.fit(graph, answers)
        return np.where(classifier.reachable_, classifier.transduction_, -1)
