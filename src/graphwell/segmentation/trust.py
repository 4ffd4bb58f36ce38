"""How far colours are trusted: marks are hidden in turn, and named by their colours alone.

Colours that name hidden marks rightly may carry a class to regions that nobody marked. Where colours of
classes overlap, only place tells. A stroke is hidden as a whole, as its pixels repeat each other.
"""

from itertools import product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.seeds import Seeds

MOST_ASKED, LEAST_OF_A_CLASS = 400, 10
"""Marked pixels whose colours are compared with each other: in all, and at least of each class."""


def share_named(rows: FloatArray, seeds: Seeds, spread: float) -> float:
    """Share of the marks that the colours of the others name rightly; classes count alike.

    Parameters
    ----------
    rows : array of shape (n, n_channels)
        Colours of the seeds.
    seeds : Seeds
    spread : float
        Colour difference that counts as one.

    Examples
    --------
    >>> seeds = Seeds.of(np.array([[0, -1, 0, -1, 1, -1, 1]]))
    >>> share_named(np.array([[0.1], [0.2], [0.8], [0.9]]), seeds, 0.1)
    1.0
    >>> share_named(np.array([[0.1], [0.9], [0.2], [0.8]]), seeds, 0.1)
    0.0
    """
    asked = _thinned(seeds.codes)
    rows, codes, parts = rows[asked].astype(np.float64), seeds.codes[asked], parts_of(seeds)[asked]
    classes = np.unique(codes)
    squares = (rows**2).sum(axis=1)
    nearness = (2 * rows @ rows.T - squares[:, None] - squares) / (2 * spread**2)
    shown = parts[:, None] != parts
    alone = ~(shown & (codes[:, None] == codes)).any(axis=1)  # a single pixel must speak for itself
    nearness[~shown & ~alone[:, None]] = -np.inf
    likelihood = np.stack([_log_mean_exp(nearness[:, codes == k]) for k in classes], axis=1)
    own = codes[:, None] == classes
    right = likelihood[own] > np.where(own, -np.inf, likelihood).max(axis=1)
    return float(np.mean([right[codes == k].mean() for k in classes]))


def parts_of(seeds: Seeds) -> IntArray:
    """Number of the part of each seed: a stroke; half of it where its class has no other.

    Examples
    --------
    >>> parts_of(Seeds.of(np.array([[0, 0, -1, 0, -1, 1, 1, 1, 1]])))
    array([0, 0, 1, 2, 2, 3, 3])
    """
    parts = strokes_of(seeds)
    n_parts = int(parts.max(initial=-1)) + 1
    places = np.stack(seeds.coordinates, axis=1).astype(np.float64)
    for k in np.unique(seeds.codes):
        members = np.flatnonzero(seeds.codes == k)
        if (parts[members] == parts[members[0]]).all():
            away = places[members] - places[members].mean(axis=0)
            along = away @ np.linalg.eigh(away.T @ away)[1][:, -1]
            parts[members[along > np.median(along)]] = n_parts
            n_parts += 1
    return np.unique(parts, return_inverse=True)[1]


def strokes_of(seeds: Seeds) -> IntArray:
    """Number of the stroke of each seed: seeds of one class that touch, corners too.

    Examples
    --------
    >>> strokes_of(Seeds.of(np.array([[0, -1, 1], [-1, 0, 1], [0, -1, -1]])))
    array([0, 1, 0, 1, 0])
    """
    wider = tuple(side + 1 for side in seeds.shape)  # so that a step over an edge meets no seed
    places = np.ravel_multi_index(seeds.coordinates, wider)
    strides = np.cumprod((1, *wider[:0:-1]))[::-1]
    steps = np.array(list(product((-1, 0, 1), repeat=len(wider)))) @ strides
    firsts, seconds = [], []
    for step in np.unique(steps[steps > 0]):
        found = np.searchsorted(places, places + step) % max(len(places), 1)
        touch = (places[found] == places + step) & (seeds.codes[found] == seeds.codes)
        firsts.append(np.flatnonzero(touch))
        seconds.append(found[touch])
    pairs = np.concatenate(firsts), np.concatenate(seconds)
    links = coo_array((np.ones(len(pairs[0])), pairs), shape=(len(places), len(places)))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def _thinned(codes: IntArray) -> IntArray:
    """Places of every second, third, ... seed of each class, as many as may be asked."""
    classes = np.unique(codes)
    most = max(LEAST_OF_A_CLASS, MOST_ASKED // len(classes))
    every = [np.flatnonzero(codes == k) for k in classes]
    return np.concatenate([members[:: -(-len(members) // most)] for members in every])


def _log_mean_exp(values: FloatArray) -> FloatArray:
    """Logarithm of the mean of exponentials along the last axis."""
    largest = values.max(axis=1, keepdims=True)
    sums = np.exp(values - largest).sum(axis=1)
    return np.asarray(np.log(sums / np.isfinite(values).sum(axis=1)) + largest[:, 0])
