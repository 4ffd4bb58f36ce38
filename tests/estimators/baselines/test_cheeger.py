"""Cheeger cuts on graphs solved by hand."""

import numpy as np

from graphwell.estimators.baselines import NormalisedOneCut, RatioCheegerCut


def test_a_chain_is_cut_off_a_clique():
    """Five rows in a clique, then a chain of three, which is the smaller side for both measures."""
    W = np.zeros((8, 8))
    W[:5, :5] = 1 - np.eye(5)
    for i, j, w in ((4, 5, 0.5), (5, 6, 0.45), (6, 7, 0.45)):
        W[i, j] = W[j, i] = w
    by_size = RatioCheegerCut(2, metric="precomputed", n_starts=4, random_state=0).fit_predict(W)
    by_volume = NormalisedOneCut(2, metric="precomputed", n_starts=4, random_state=0).fit_predict(W)
    expected = np.repeat([0, 1], [5, 3])  # 0.5 / 3 rows, and 0.5 / 2.3 of volume
    assert (by_size == by_size[0]).tolist() == (expected == 0).tolist()
    assert (by_volume == by_volume[0]).tolist() == (expected == 0).tolist()


def test_a_random_start_can_only_help():
    rng = np.random.default_rng(3)
    W = np.triu(rng.random((14, 14)) * (rng.random((14, 14)) < 0.4), 1)
    W[np.arange(13), np.arange(1, 14)] += 0.1
    W = W + W.T

    def cut(clusters):
        side = clusters == 0
        return W[side][:, ~side].sum() / min(side.sum(), (~side).sum())

    one, eight = (RatioCheegerCut(2, metric="precomputed", n_starts=n, random_state=0) for n in (1, 8))
    assert cut(eight.fit_predict(W)) <= cut(one.fit_predict(W))
