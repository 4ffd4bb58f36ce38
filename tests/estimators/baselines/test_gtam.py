"""GTAM against its recipe in plain loops."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.estimators.baselines import GTAM, gtam
from tests.estimators.baselines.cases import connected_case
from tests.helpers import blobs, few


def recipe(graph, y, mu):
    """Every slope taken anew after every label."""
    S, degrees, identity = graph.S.toarray(), graph.degrees, np.eye(len(y))
    P = mu / (1 + mu) * np.linalg.inv(identity - S / (1 + mu))
    A = P.T @ (identity - S) @ P + mu * (P - identity).T @ (P - identity)
    labels = y.copy()
    while (labels < 0).any():
        Z = np.zeros((len(y), 3))
        for c in range(3):
            Z[labels == c, c] = degrees[labels == c] / degrees[labels == c].sum()
        slopes = np.where((labels < 0)[:, None], A @ Z, np.inf)
        vertex, label = np.unravel_index(slopes.argmin(), slopes.shape)
        labels[vertex] = label
    return labels


@pytest.mark.parametrize("seed", range(3))
def test_labels_are_given_one_by_one_where_the_slope_is_least(seed):
    graph, y = connected_case(seed)
    np.testing.assert_array_equal(GTAM(mu=9.0).fit(graph, y).transduction_, recipe(graph, y, 9.0))


def test_too_many_rows_and_a_bad_weight_get_a_sentence(monkeypatch):
    X, truth = blobs()
    with pytest.raises(OptionError, match="mu must be positive and finite, got 0"):
        GTAM(mu=0).fit(X, few(truth))
    monkeypatch.setattr(gtam, "MOST_ROWS", 100)
    with pytest.raises(ValueError, match="at most 100 rows, got 180: it inverts a matrix of all pairs"):
        GTAM().fit(X, few(truth))
