"""Clusterers, with and without labels."""

import numpy as np
import pandas as pd
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.estimators.baselines import (
    NormalisedOneCut,
    PLaplacianClustering,
    RatioCheegerCut,
    SpectralClustering,
)
from graphwell.estimators.baselines.clusterer import named_clusters, second_eigenvector
from graphwell.metrics import matched_error
from tests.solve.test_cuts import random_piece

CLUSTERERS = (NormalisedOneCut, PLaplacianClustering, RatioCheegerCut, SpectralClustering)
TRUTH = np.repeat([0, 1, 2], 20)
X = np.random.default_rng(0).normal(size=(60, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH]
each = pytest.mark.parametrize("clusterer", CLUSTERERS)


@each
def test_three_clusters_without_labels_and_named_by_three(clusterer):
    found = clusterer(3, random_state=0, n_jobs=1).fit_predict(X)
    assert matched_error(found, TRUTH) <= 0.05
    assert (clusterer(3, random_state=0, n_jobs=1).fit_predict(pd.DataFrame(X)) >= 0).all()
    y = np.full(60, None, dtype=object)
    y[[0, 25, 45]] = ["ant", "bee", "cat"]
    named = clusterer(random_state=0, n_jobs=1).fit_predict(X, y)
    assert (named == np.array(["ant", "bee", "cat"])[TRUTH]).mean() >= 0.95


@each
def test_a_graph_in_parts_and_a_single_cluster(clusterer):
    W = np.kron(np.eye(3), 1 - np.eye(4))
    found = clusterer(3, metric="precomputed", random_state=0).fit_predict(W).reshape(3, 4)
    assert (found == found[:, :1]).all()
    assert len(np.unique(found)) == 3
    assert (clusterer(1, metric="precomputed").fit_predict(W) == 0).all()


@each
def test_equal_seeds_and_any_number_of_threads_give_equal_clusters(clusterer):
    runs = [clusterer(3, n_jobs=jobs, random_state=1).fit_predict(X) for jobs in (1, 1, 2)]
    assert (runs[0] == runs[1]).all()
    assert (runs[0] == runs[2]).all()


@each
def test_numbers_that_make_no_sense_get_a_sentence(clusterer):
    with pytest.raises(OptionError, match="n_clusters must be given"):
        clusterer().fit_predict(X)
    with pytest.raises(OptionError, match="n_clusters is 61, but there are 60 rows"):
        clusterer(61, n_jobs=1).fit_predict(X)
    with pytest.raises(OptionError, match="n_clusters must be"):
        clusterer(0).fit_predict(X)


def test_clusters_without_labels_take_after_the_others():
    W = np.kron(np.eye(4), 1 - np.eye(2))
    W[1, 2] = W[2, 1] = 1.0
    W[3, 4] = W[4, 3] = 3.0
    graph, clusters = gw.Graph.from_affinity(W), np.repeat([0, 1, 2, 3], 2)
    shares = named_clusters(graph, clusters, np.array([0, 0, -1, -1, 1, 0, -1, -1]), 2)
    np.testing.assert_allclose(shares, [[1, 0], [0.625, 0.375], [0.5, 0.5], [0, 0]], atol=1e-12)


def test_the_second_eigenvector_solves_its_equation():
    piece = random_piece(5)
    W, f = piece.W.toarray(), second_eigenvector(piece)
    degrees = W.sum(axis=1)
    value = (f @ W @ f) / (f @ (degrees * f))
    np.testing.assert_allclose(W @ f, value * degrees * f, atol=1e-8)
    assert abs(degrees @ f) < 1e-8
