"""A graph of groups of vertices, what the labels say about each group, and its classes of lowest energy.

    cut + sum_k pressure_k volume_k^2 - sum_c evidence of community c for its class

All weights and volumes are shares of the whole. A label is heard by the groups that its edges lead to, in
proportion to their weight: a typical member settles the class of its community, while a label at a border, or
of a vertex that hardly belongs anywhere, settles little.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.solve.communities import merged_graph

NOISES, ROUNDS = (0.0, 0.0006, 0.002), 80
"""First widths of the noise of each search, as shares of all weight, and rounds until it is gone."""
LARGEST_DENSE = 1_500
REFINEMENTS = 3


@dataclass(frozen=True, eq=False)
class CoarseGraph:
    """A graph whose vertices are groups of vertices of another one.

    Attributes
    ----------
    members : array of shape (n,)
        Group of each vertex of the other graph.
    W : scipy.sparse.csr_array of shape (n_groups, n_groups)
        Sums of the weights between groups; the diagonal holds those inside.
    voices : array of shape (n_groups, n_classes)
        Weight of the edges from the labels of each class, times the number of vertices a label speaks for.
    sizes : array of shape (n,)
        What each vertex counts where means are taken.
    """

    members: IntArray
    W: Any
    voices: FloatArray
    sizes: FloatArray

    @cached_property
    def volumes(self) -> FloatArray:
        """Sum of the degrees in each group."""
        return self.W @ np.ones(self.W.shape[0])

    @cached_property
    def group_sizes(self) -> FloatArray:
        """Sum of what the vertices of each group count."""
        return summed_rows(self.members, self.sizes[:, None], len(self.voices))

    def means(self, values: FloatArray) -> FloatArray:
        """Mean over each group of values of the vertices, one column per class."""
        sums = summed_rows(self.members, self.sizes[:, None] * values, len(self.voices))
        return sums / np.maximum(self.group_sizes, 1e-300)

    def coarser(self, groups: IntArray, W: Any = None) -> "CoarseGraph":
        """The graph whose vertices are groups of the groups; `W` are its weights, where they are known."""
        W = merged_graph(self.W, groups) if W is None else W
        return CoarseGraph(groups, W, summed_rows(groups, self.voices, W.shape[0]), self.group_sizes[:, 0])


def summed_rows(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Sum of the rows of each group.

    Examples
    --------
    >>> summed_rows(np.array([0, 0, 1]), np.array([[1.0], [3.0], [5.0]]), 2)
    array([[4.],
           [5.]])
    """
    from graphwell.backends.cpu.coarse_kernels import add_rows
    from graphwell.graph.compiled import seen

    sums = np.zeros((count, values.shape[1]))
    add_rows(seen(groups.astype(np.int64, copy=False)), values, sums)
    return sums


def heard(
    near: Any, labels: IntArray, n_classes: int, groups: IntArray, count: int, trust: FloatArray | None = None
) -> FloatArray:
    """Weight of the edges from the labels of each class to each group, times the trust in each label.

    Parameters
    ----------
    near : scipy.sparse.csr_array of shape (n_labels, n)
        Affinities of the labelled vertices.
    labels : array of shape (n_labels,)
    n_classes : int
    groups : array of shape (n,)
        Group of each vertex.
    count : int
        Number of groups.
    trust : array of shape (n_labels,), optional

    Examples
    --------
    >>> near = sparse.csr_array([[1.0, 0.0, 3.0]])
    >>> heard(near, np.array([1]), 2, np.array([0, 1, 1]), 2)
    array([[0., 1.],
           [0., 3.]])
    """
    edges = np.diff(near.indptr)
    places = groups[near.indices] * np.int64(n_classes) + np.repeat(labels, edges)
    weights = near.data if trust is None else near.data * np.repeat(trust, edges)
    return np.bincount(places, weights=weights, minlength=count * n_classes).reshape(count, n_classes)


def harmonic_shares(graph: CoarseGraph) -> FloatArray:
    """Shares that are the mean of those of the neighbours and of the labels that are heard.

    Groups that no label reaches get zeros.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1], [1, 0]])
    >>> voices = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> harmonic_shares(CoarseGraph(np.arange(2), W, voices, np.ones(2))).round(6)
    array([[0.666667, 0.333333],
           [0.333333, 0.666667]])
    """
    n, W = len(graph.voices), graph.W
    inside = np.repeat(np.arange(n), np.diff(W.indptr)) == W.indices
    between = sparse.csr_array((np.where(inside, 0.0, W.data), W.indices, W.indptr), shape=(n, n))
    degrees = between @ np.ones(n) + graph.voices.sum(axis=1)
    diagonal = degrees * (1 + 1e-9) + 1e-300
    if n <= LARGEST_DENSE:
        system = -between.toarray()
        np.fill_diagonal(system, diagonal)
        shares = np.linalg.solve(system, graph.voices)
    else:
        shares = sparse.linalg.splu((sparse.diags_array(diagonal) - between).tocsc()).solve(graph.voices)
    return np.clip(shares, 0.0, 1.0)


def minimise(
    graph: CoarseGraph, evidence: FloatArray, pressure: FloatArray, seed: int = 0
) -> list[tuple[IntArray, float]]:
    """Classes of the groups with a low energy, and that energy, from several searches.

    Each begins at the classes of most evidence: the first goes downhill, the others under noise at first.

    Parameters
    ----------
    graph : CoarseGraph
    evidence : array of shape (n_groups, n_classes)
        What each group gains in each class, in the unit of the weights.
    pressure : array of shape (n_classes,)
    seed : int
        Of the noise.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1, 0], [1, 0, 3], [0, 3, 0]])
    >>> graph = CoarseGraph(np.arange(3), W, np.zeros((3, 2)), np.ones(3))
    >>> evidence = np.array([[9.0, 0], [0, 0], [0, 9]])
    >>> minimise(graph, evidence, pressure=np.zeros(2))[0]
    (array([0, 1, 1]), -2.0)
    """
    return [searched(graph, evidence, pressure, noise, seed) for noise in NOISES]


def searched(
    graph: CoarseGraph, evidence: FloatArray, pressure: FloatArray, noise: float, seed: int
) -> tuple[IntArray, float]:
    """One of the searches of `minimise`; the width of its noise is a share of all weight."""
    fading = np.linspace(1, 0, ROUNDS if noise else 0, endpoint=False)
    width = noise * float(graph.volumes.sum()) * fading
    return settled(graph, evidence, pressure, evidence.argmax(axis=1), width, seed)


def settled(
    graph: CoarseGraph,
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
    noise: FloatArray | None = None,
    seed: int = 0,
) -> tuple[IntArray, float]:
    """Classes after groups changed theirs one by one until no change lowers the energy, and the energy."""
    from graphwell.backends.cpu.coarse_kernels import NO_NOISE, choose_classes

    labels, width = labels.copy(), NO_NOISE if noise is None else noise
    return labels, choose_classes(graph.W, labels, graph.volumes, evidence, pressure, width, seed)


def refined(
    graph: CoarseGraph,
    partitions: list[IntArray],
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
) -> tuple[IntArray, float]:
    """Lower the energy by moving what lies in one class of each part as a whole, then single groups."""
    from graphwell.backends.cpu.group_kernels import unit_of

    unit = unit_of(float(graph.W.data.max(initial=0.0)), graph.W.nnz)
    found, lowest = settled(graph, evidence, pressure, labels)
    for _ in range(REFINEMENTS):
        before = lowest
        for parts in partitions:
            found = _moved_together(graph.W, unit, parts, evidence, pressure, found)
        found, lowest = settled(graph, evidence, pressure, found)
        if lowest >= before:
            break
    return found, lowest


def _moved_together(
    W: Any, unit: float, parts: IntArray, evidence: FloatArray, pressure: FloatArray, labels: IntArray
) -> IntArray:
    """Classes after what lies in one class of each part moved as a whole until no move gains anything.

    `unit` is that of sums of the weights, see `graphwell.backends.cpu.group_kernels.unit_of`.
    """
    from graphwell.backends.cpu.coarse_kernels import choose_classes, number_codes
    from graphwell.backends.cpu.group_kernels import merged_matrix

    blocks = parts * evidence.shape[1] + labels
    count = number_codes(blocks, np.full(blocks.max() + 1, -1))
    above = merged_matrix(W, blocks, count, unit)
    found = np.empty(count, np.int64)
    found[blocks] = labels
    gains = summed_rows(blocks, evidence, count)
    choose_classes(above, found, above @ np.ones(count), gains, pressure)
    return found[blocks]
