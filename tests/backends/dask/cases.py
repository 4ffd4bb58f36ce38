"""Rows that a cluster and one machine fit alike."""

from typing import Any

import numpy as np

from graphwell import Annealed, DiffuseInterfaceClassifier

SHORT = Annealed(2.0, 0.5, ratio=0.5, sweeps=4)
QUICK = {"start": "nearest", "schedule": SHORT}


def rows_and_labels() -> tuple[Any, Any, Any]:
    """Three clusters, some labels, and the truth."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=600)
    X = rng.normal(size=(600, 10)) + 3 * np.eye(10)[truth]
    return X, np.where(np.arange(600) % 30 == 0, truth, -1), truth


def fitted(X: Any, y: Any, **parameters: Any) -> DiffuseInterfaceClassifier:
    """A fit with a fixed seed."""
    return DiffuseInterfaceClassifier(**{"random_state": 0, "n_jobs": 1, **parameters}).fit(X, y)


def rounds_of(client: Any, monkeypatch: Any) -> list[int]:
    """Grows by the number of tasks wanted of each graph that the client hands over from now on."""
    rounds, get = [], client.get

    def counted(graph: Any, keys: Any, **options: Any) -> Any:
        rounds.append(len(keys))
        return get(graph, keys, **options)

    monkeypatch.setattr(client, "get", counted)
    return rounds
