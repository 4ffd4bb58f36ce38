"""Votes of the partitions about new rows, computed by hand."""

import numpy as np
import pytest

from graphwell.backends.blocks.partition import Answer
from graphwell.backends.blocks.votes import Candidates, checked_queries, heard_besides, vote
from graphwell.graph.weights import kernel


def answer_of(neighbors, distances):
    places, numbers = np.array([0]), np.array([neighbors])
    fields = {
        "places": places,
        "positions": numbers,
        "neighbors": numbers,
        "distances": np.array([distances]),
    }
    return Answer(**{name: fields[name] for name in Answer._fields})


def test_the_nearest_of_all_partitions_vote():
    sure = np.eye(2)
    near = Candidates(answer_of([0, 1], [1.0, 9.0]), np.ones((1, 2)), sure[[[0, 1]]], np.ones((1, 2), bool))
    far = Candidates(answer_of([2, 3], [2.0, 8.0]), np.ones((1, 2)), sure[[[1, 1]]], np.ones((1, 2), bool))
    found = vote([near, far], 1, 2, 2, 1, 0.0, np.array([0.5, 0.5]))
    weights = kernel(np.array([1.0, 2.0]), 1.0, np.ones(2))
    np.testing.assert_allclose(found[0, :2], weights / weights.sum())
    assert found[0, 2] == pytest.approx(weights.sum())


def test_rows_that_nobody_speaks_for_have_the_prior():
    mute = Candidates(answer_of([0], [1.0]), np.ones((1, 1)), np.zeros((1, 1, 2)), np.zeros((1, 1), bool))
    assert vote([mute], 1, 1, 1, 1, 0.0, np.array([0.25, 0.75])).tolist() == [[0.25, 0.75, 0.0]]


def test_rows_without_a_number_are_refused():
    with pytest.raises(ValueError, match="X holds NaN or infinite values"):
        checked_queries(np.array([[np.nan]]), None, 1, 1)
    with pytest.raises(ValueError, match="X holds values beyond"):
        checked_queries(np.array([[1e200]]), None, 1, 1)


def test_votes_without_evidence_stay_as_they_are():
    votes = np.array([[0.5, 0.5, 1.0]])
    assert heard_besides(votes, np.zeros((1, 2)), None) is votes
