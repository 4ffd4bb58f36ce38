"""A connected graph with known labels, for closed forms."""

from typing import Any

import numpy as np

from tests.helpers import random_graph


def connected_case(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 24, 0.6)
    labels = np.full(24, -1)
    labels[:6] = [0, 0, 1, 1, 2, 2]
    return graph, labels


def normalised(scores: Any) -> Any:
    return scores / scores.sum(axis=1, keepdims=True)
