"""How far colours are trusted: marks are hidden in turn, and named by their colours alone.

Colours that name hidden marks rightly may carry a class to regions that nobody marked. Where colours of
classes overlap, only place tells. A stroke is hidden as a whole, as its pixels repeat each other. A pixel
alone says little where there is texture, so those beside a mark are heard too.
"""

from itertools import product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.seeds import Seeds

PULL, IN_A_ROW, UNHEARD = 8.0, 32, 0.25
"""How strongly colours that name every hidden mark draw points to classes. Others draw less, by the chance
that they name so many marks in a row; all draw less by what would hardly be noticed."""
MOST_ASKED, LEAST_OF_A_CLASS = 400, 10
"""Marked pixels whose colours are compared with each other: in all, and at least of each class."""


def pull_strength(trust: float, seeds: Seeds) -> float:
    """How strongly colours draw points to classes, where they name this share of the hidden marks.

    The more strokes a class has, the nearer is one to any point, and the more place tells: distances between
    strokes fall with the root of their number, the cube root in volumes.

    Examples
    --------
    >>> seeds = Seeds.of(np.array([[0, -1, 1]]))
    >>> pull_strength(1.0, seeds), round(pull_strength(0.95, seeds), 1), pull_strength(0.85, seeds)
    (7.75, 1.3, 0.0)
    >>> pull_strength(1.0, Seeds.of(np.array([[0, -1, 1, -1] * 4])))
    3.875
    """
    per_class = (strokes_of(seeds).max() + 1) / len(np.unique(seeds.codes))
    return float(max(0.0, PULL * trust**IN_A_ROW - UNHEARD) / per_class ** (1 / len(seeds.shape)))


def share_named(around: FloatArray, seeds: Seeds, spread: float) -> float:
    """Share of the marks that the colours of the others name rightly; classes count alike.

    Parameters
    ----------
    around : array of shape (n_around, n, n_channels)
        Colours of the seeds first, then of points beside them, which are heard as well.
    seeds : Seeds
    spread : float
        Colour difference that counts as one.

    Examples
    --------
    >>> seeds = Seeds.of(np.array([[0, -1, 0, -1, 1, -1, 1]]))
    >>> share_named(np.array([[[0.1], [0.2], [0.8], [0.9]]]), seeds, 0.1)
    1.0
    >>> share_named(np.array([[[0.1], [0.9], [0.2], [0.8]]]), seeds, 0.1)
    0.0
    """
    asked = _thinned(seeds.codes)
    around, codes, parts = around[:, asked].astype(np.float64), seeds.codes[asked], parts_of(seeds)[asked]
    shown = parts[:, None] != parts
    alone = ~(shown & (codes[:, None] == codes)).any(axis=1)  # a single pixel must speak for itself
    hidden = ~shown & ~alone[:, None]
    logs = (_log_likelihoods(rows, around[0], hidden, codes, spread) for rows in around)
    said = np.sum([lead_of(of_rows) for of_rows in logs], axis=0)
    own = np.unique(codes)[:, None] == codes
    right = said.T[own.T] > np.where(own, -np.inf, said).max(axis=0)
    return float(np.mean([right[codes == k].mean() for k in np.unique(codes)]))


def _log_likelihoods(
    rows: FloatArray, known: FloatArray, hidden: BoolArray, codes: IntArray, spread: float
) -> FloatArray:
    """Of each row under each class, of shape (n_classes, n), by those known rows that are shown to it."""
    squares = (rows**2).sum(axis=1)[:, None] + (known**2).sum(axis=1)
    nearness = np.where(hidden, -np.inf, (2 * rows @ known.T - squares) / (2 * spread**2))
    return np.stack([_log_mean_exp(nearness[:, codes == k]) for k in np.unique(codes)])


def lead_of(logs: FloatArray) -> FloatArray:
    """What log-likelihoods of shape (n_classes, *shape) say for each class.

    That is the share of the class, times the lead of the first class over the second: where two are as
    likely, nothing is said.

    Examples
    --------
    >>> lead_of(np.array([[0.0, 0.0], [-40.0, 0.0]])).round(3)
    array([[1., 0.],
           [0., 0.]])
    """
    found = np.exp(logs - logs.max(axis=0))
    found /= found.sum(axis=0)
    first, second = found[0].copy(), np.zeros_like(found[0])
    for plane in found[1:]:
        np.maximum(second, np.minimum(first, plane), out=second)
        np.maximum(first, plane, out=first)
    found *= first - second
    return found


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
