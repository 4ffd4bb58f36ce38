"""The problem on a coarse graph."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from graphwell.solve.coarse import (
    HIGHEST,
    INCREMENT,
    LINKS_KEPT,
    MULTIPLIER,
    CoarseGraph,
    anneal,
    choose_classes,
    energy,
    harmonic_shares,
    noise_of,
    number_codes,
    refined,
    weights_of_labels,
)
from tests.helpers import random_graph


def dense_energy(W, labels, evidence, pressure):
    volumes, total = W.sum(axis=1), W.sum()
    cut = (W * (labels[:, None] != labels[None, :])).sum() / total
    shares = np.array([volumes[labels == k].sum() for k in range(len(pressure))]) / total
    return cut + (pressure * shares**2).sum() - evidence[np.arange(len(labels)), labels].sum() / total


def tiny(seed, n=7, n_classes=3):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.6), 1)
    label_weights = np.zeros((n, n_classes))
    label_weights[np.arange(n_classes), np.arange(n_classes)] = 1.0
    return upper + upper.T, label_weights, 0.1 * rng.random((n, n_classes)), rng.random(n_classes)


def coarse(W, label_weights):
    return CoarseGraph(
        np.arange(len(label_weights)), sparse.csr_array(W), label_weights, np.ones(len(label_weights))
    )


@pytest.mark.parametrize("seed", range(10))
def test_no_single_change_lowers_the_energy(seed):
    W, label_weights, evidence, pressure = tiny(seed)
    for labels, found in anneal(coarse(W, label_weights), evidence, pressure):
        assert found == pytest.approx(dense_energy(W, labels, evidence, pressure))
        for vertex, other in itertools.product(range(7), range(3)):
            changed = labels.copy()
            changed[vertex] = other
            assert dense_energy(W, changed, evidence, pressure) >= found - 1e-12


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
    lowest = min(energy for _, energy in anneal(coarse(W, evidence), evidence, np.zeros(2)))
    assert lowest <= dense_energy(W, np.repeat([0, 1], [30, 30]), evidence, np.zeros(2))


def test_harmonic_shares_are_means_of_their_neighbours_and_of_the_labels():
    W, label_weights, _, _ = tiny(1)
    shares = harmonic_shares(coarse(W, label_weights))
    weight = W.sum(axis=1) + label_weights.sum(axis=1)
    np.testing.assert_allclose(shares, (W @ shares + label_weights) / weight[:, None], atol=1e-6)


def test_communities_that_no_label_reaches_get_no_share():
    W = np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]])
    label_weights = np.zeros((6, 2))
    label_weights[[0, 2], [0, 1]] = 1.0
    shares = harmonic_shares(coarse(W, label_weights))
    np.testing.assert_allclose(shares[4:], 0.0)
    np.testing.assert_allclose(shares[[1, 3]], np.eye(2), atol=1e-6)


def test_a_large_coarse_graph_is_solved_too():
    n = 1_600
    W = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()
    label_weights = np.zeros((n, 2))
    label_weights[[0, -1], [0, 1]] = 1e6
    shares = harmonic_shares(coarse(W, label_weights))
    np.testing.assert_allclose(shares[:, 1], np.linspace(0, 1, n), atol=1e-2)


def test_a_label_counts_where_its_edges_lead():
    W, _, _, _ = tiny(3)
    groups, known, trust = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 3, 5]), np.array([1.0, 0.5, 0.25])
    near, labels = sparse.csr_array(W[known]), np.array([1, 0, 1])
    plain, trusted = (
        weights_of_labels(near, labels, 2, groups, 3),
        weights_of_labels(near, labels, 2, groups, 3, trust),
    )
    for group, label in itertools.product(range(3), range(2)):
        said = W[known][:, groups == group].sum(axis=1) * (labels == label)
        assert plain[group, label] == pytest.approx(said.sum())
        assert trusted[group, label] == pytest.approx((said * trust).sum())


def plain_choice(W, volumes, evidence, pressure, noise, seed, labels):
    """Every gain with its noise, and then the largest."""
    n, n_classes = evidence.shape
    numbers = uniforms(seed)
    for width in [*noise, *[0.0] * 100]:
        for c in range(n):
            others = np.arange(n) != c
            inside = np.array([volumes[others & (labels == k)].sum() for k in range(n_classes)])
            links = np.array([W[c, others & (labels == k)].sum() for k in range(n_classes)])
            force = 2 / volumes.sum() * pressure * (inside + volumes[c] / 2)
            gains = 2 * links - force * volumes[c] + evidence[c]
            if width > 0:
                gains -= width * np.log(-np.log([next(numbers) for _ in range(n_classes)]))
            if gains[labels[c]] < gains.max():
                labels[c] = np.argmax(gains)


def uniforms(seed):
    state = seed
    state = (state * int(MULTIPLIER) + int(INCREMENT)) % 2**64
    while True:
        state = (state * int(MULTIPLIER) + int(INCREMENT)) % 2**64
        yield ((state >> 12) + 0.5) / 2**52


@pytest.mark.parametrize("n_classes", [1, 2, 40, LINKS_KEPT + 1])
@pytest.mark.parametrize("seed", range(3))
def test_choices_are_those_of_the_plain_rule(n_classes, seed):
    rng = np.random.default_rng(seed)
    W = random_graph(rng, 30, 0.2).W.tolil()
    W[4, :] = W[:, 4] = 0.0  # alone
    W[7, 7] = 3.0  # with weight inside, as a community has
    W = W.tocsr()
    volumes, pressure = W.sum(axis=1) + 0.1, np.ones(n_classes)
    evidence = 0.1 * rng.random((30, n_classes))
    noise = np.array([0.5, 0.1, 0.01])
    found = rng.integers(n_classes, size=30)
    expected = found.copy()
    choose_classes(W, found, volumes, evidence, pressure, noise, seed)
    plain_choice(W.toarray(), volumes, evidence, pressure, noise, seed, expected)
    np.testing.assert_array_equal(found, expected)


def test_noise_is_at_most_what_it_is_said_to_be():
    ends = [number << 59 for number in range(1, 33)]
    for drawn in np.array([0, *(end - 1 for end in ends), *ends[:-1]], dtype=np.uint64):
        noise = noise_of.py_func(drawn)
        assert noise == -np.log(-np.log(((int(drawn) >> 12) + 0.5) / 2**52))
        assert noise < HIGHEST[drawn >> np.uint64(59)]


def test_codes_become_their_ranks():
    codes = np.array([7, 2, 7, 0, 2])
    assert number_codes(codes, np.full(9, -1)) == 3
    np.testing.assert_array_equal(codes, [2, 1, 2, 0, 1])


@pytest.mark.parametrize("n_classes", [1, 3])
def test_the_energy_is_the_cut_and_the_pressure_less_the_evidence(n_classes):
    rng = np.random.default_rng(n_classes)
    W = random_graph(rng, 30, 0.2).W
    volumes, pressure, evidence = W.sum(axis=1), rng.random(n_classes), rng.random((30, n_classes))
    labels = rng.integers(n_classes, size=30)
    cut = W.toarray()[labels[:, None] != labels].sum()
    inside = np.bincount(labels, weights=volumes, minlength=n_classes)
    said, total = evidence[np.arange(30), labels].sum(), volumes.sum()
    found = energy(W.indptr, W.indices, W.data, volumes, evidence, pressure, labels, np.zeros(n_classes))
    np.testing.assert_allclose(found, (cut - said) / total + pressure @ inside**2 / total**2, rtol=1e-6)
