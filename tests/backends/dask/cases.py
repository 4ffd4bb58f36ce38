"""Rows that a cluster and one machine fit alike."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from graphwell import Annealed, DiffuseInterfaceClassifier, Graph
from graphwell.backends.dask.backend import BlockBackend
from graphwell.backends.dask.graph import BlockGraph

SHORT = Annealed(2.0, 0.5, ratio=0.5, sweeps=4)
QUICK = {"start": "nearest", "schedule": SHORT}


@cache
def rows_and_labels() -> tuple[Any, Any, Any]:
    """Three clusters, some labels, and the truth, in the order in which one machine fits them."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=600)
    X = rng.normal(size=(600, 10)) + 3 * np.eye(10)[truth]
    return in_order(X, np.where(np.arange(600) % 30 == 0, truth, -1), truth)[0]


def in_order(X: Any, y: Any, truth: Any, **parameters: Any) -> tuple[tuple[Any, Any, Any], Any]:
    """Rows, labels and truth in the order in which one machine fits them, and the order of the classes."""
    order = fitted(X, y, **{**QUICK, **parameters})._predictor.order
    truth = order.class_places[truth][order.firsts]
    y = np.where(y[order.firsts] >= 0, truth, -1)
    return (X[order.firsts][:, order.columns], y, truth), order.classes


def fitted(X: Any, y: Any, **parameters: Any) -> DiffuseInterfaceClassifier:
    """A fit with a fixed seed."""
    return DiffuseInterfaceClassifier(**{"models": None, "random_state": 0, "n_jobs": 1, **parameters}).fit(
        X, y
    )


class Worker(BlockBackend):
    """The backend of a worker that takes its rows of a graph of the host, too."""

    def place(self, graph: Any) -> Any:
        """Take the own rows of a graph of the host."""
        if not isinstance(graph, Graph):
            return graph
        starts = np.arange(self.comm.size + 1) * graph.n_vertices // self.comm.size
        own = np.arange(starts[self.comm.rank], starts[self.comm.rank + 1])
        found = BlockGraph.from_rows(self.comm, own, graph.W[own])
        return replace(found, recall_=graph.recall_)
