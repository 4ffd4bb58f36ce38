"""Graphs of groups of vertices: brute force on tiny graphs."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from graphwell.solve.coarse import CoarseGraph, harmonic_shares, heard, minimise, refined, summed_rows


def dense_energy(W, labels, evidence, pressure):
    volumes, total = W.sum(axis=1), W.sum()
    cut = (W * (labels[:, None] != labels[None, :])).sum() / total
    shares = np.array([volumes[labels == k].sum() for k in range(len(pressure))]) / total
    return cut + (pressure * shares**2).sum() - evidence[np.arange(len(labels)), labels].sum() / total


def tiny(seed, n=7, n_classes=3):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.6), 1)
    voices = np.zeros((n, n_classes))
    voices[np.arange(n_classes), np.arange(n_classes)] = 1.0
    return upper + upper.T, voices, 0.1 * rng.random((n, n_classes)), rng.random(n_classes)


def coarse(W, voices):
    return CoarseGraph(np.arange(len(voices)), sparse.csr_array(W), voices, np.ones(len(voices)))


@pytest.mark.parametrize("seed", range(10))
def test_no_single_change_lowers_the_energy(seed):
    W, voices, evidence, pressure = tiny(seed)
    for labels, energy in minimise(coarse(W, voices), evidence, pressure):
        assert energy == pytest.approx(dense_energy(W, labels, evidence, pressure))
        for vertex, other in itertools.product(range(7), range(3)):
            changed = labels.copy()
            changed[vertex] = other
            assert dense_energy(W, changed, evidence, pressure) >= energy - 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_refining_moves_whole_parts_where_single_moves_are_stuck(seed):
    triangles = np.kron(np.eye(4), 1 - np.eye(3)) + 0.4 * (np.eye(12, k=3) + np.eye(12, k=-3))
    evidence = np.zeros((12, 2))
    evidence[:3, 0] = evidence[9:, 1] = 9.0
    labels = np.repeat([0, 1, 0, 1], 3)
    parts = [np.random.default_rng(seed).permutation(4)[np.arange(12) // 3]]
    graph = coarse(triangles, np.zeros((12, 2)))
    found, energy = refined(graph, parts, evidence, np.full(2, 0.1), labels)
    assert energy == pytest.approx(dense_energy(triangles, found, evidence, np.full(2, 0.1)))
    assert energy < dense_energy(triangles, labels, evidence, np.full(2, 0.1))


def test_noise_finds_the_lowest_energy_of_a_chain_of_communities():
    n = 60
    W = np.zeros((n, n))
    W[np.arange(n - 1), np.arange(1, n)] = np.where(np.arange(n - 1) == 44, 0.1, 1.0)
    W = W + W.T
    evidence = np.zeros((n, 2))
    evidence[0, 0] = evidence[-1, 1] = 99.0
    lowest = min(energy for _, energy in minimise(coarse(W, evidence), evidence, np.zeros(2)))
    assert lowest <= dense_energy(W, np.repeat([0, 1], [30, 30]), evidence, np.zeros(2))


def test_harmonic_shares_are_means_of_their_neighbours_and_of_the_voices():
    W, voices, _, _ = tiny(1)
    shares = harmonic_shares(coarse(W, voices))
    weight = W.sum(axis=1) + voices.sum(axis=1)
    np.testing.assert_allclose(shares, (W @ shares + voices) / weight[:, None], atol=1e-6)


def test_communities_that_no_label_reaches_get_no_share():
    W = np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]])
    voices = np.zeros((6, 2))
    voices[[0, 2], [0, 1]] = 1.0
    shares = harmonic_shares(coarse(W, voices))
    np.testing.assert_allclose(shares[4:], 0.0)
    np.testing.assert_allclose(shares[[1, 3]], np.eye(2), atol=1e-6)


def test_a_large_coarse_graph_is_solved_too():
    n = 1_600
    W = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()
    voices = np.zeros((n, 2))
    voices[[0, -1], [0, 1]] = 1e6
    shares = harmonic_shares(coarse(W, voices))
    np.testing.assert_allclose(shares[:, 1], np.linspace(0, 1, n), atol=1e-2)


def test_a_label_is_heard_where_its_edges_lead():
    W, _, _, _ = tiny(3)
    groups, known, trust = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 3, 5]), np.array([1.0, 0.5, 0.25])
    near, labels = sparse.csr_array(W[known]), np.array([1, 0, 1])
    plain, trusted = heard(near, labels, 2, groups, 3), heard(near, labels, 2, groups, 3, trust)
    for group, label in itertools.product(range(3), range(2)):
        said = W[known][:, groups == group].sum(axis=1) * (labels == label)
        assert plain[group, label] == pytest.approx(said.sum())
        assert trusted[group, label] == pytest.approx((said * trust).sum())


def test_rows_are_added_as_bincount_adds_them():
    rng = np.random.default_rng(0)
    groups, values = rng.integers(7, size=300), rng.normal(size=(300, 3))
    expected = [np.bincount(groups, weights=column, minlength=9) for column in values.T]
    np.testing.assert_array_equal(summed_rows(groups, values, 9), np.transpose(expected))
