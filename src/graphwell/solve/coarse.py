"""The problem on a coarse graph: its energy, harmonic functions, and simulated annealing.

    cut + sum_k pressure_k volume_k^2 - sum_c evidence of community c for its class

All weights and volumes are shares of the whole. A label counts in the groups that its edges lead to, in
proportion to their weight: a typical member settles the class of its community, while a label at a border,
or of a vertex that hardly belongs anywhere, settles little. As epsilon goes to 0 the energy of the descent
becomes this one, and here it has a hundred variables instead of one per vertex.

The annealing: in each round every group in turn takes the class with the largest gain plus Gumbel noise,
which is a heat-bath step; the width of the noise falls to 0, and then only gains count.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.aggregation import merged_matrix, unit_of
from graphwell.graph.compiled import compiled, inner, seen, unsigned
from graphwell.solve.communities import merged_graph

NOISES, ROUNDS = (0.0, 0.0006, 0.002), 80
"""First widths of the noise of each search, as shares of all weight, and rounds until it is gone.
Other values that were tried
are not recorded."""
LARGEST_DENSE = 1_500
"""Groups up to which a dense solver is taken. Not recorded."""
REFINEMENTS = 3
"""Rounds of `refined`, at most. Not recorded."""


@dataclass(frozen=True, eq=False)
class CoarseGraph:
    """A graph whose vertices are groups of vertices of another one.

    Attributes
    ----------
    members : array of shape (n,)
        Group of each vertex of the other graph.
    W : scipy.sparse.csr_array of shape (n_groups, n_groups)
        Sums of the weights between groups; the diagonal holds those inside.
    label_weights : array of shape (n_groups, n_classes)
        Weight of the edges from the labels of each class, times the number of vertices that a label counts
        for.
    sizes : array of shape (n,)
        What each vertex counts where means are taken.
    """

    members: IntArray
    W: Any
    label_weights: FloatArray
    sizes: FloatArray

    @cached_property
    def volumes(self) -> FloatArray:
        """Sum of the degrees in each group."""
        return self.W @ np.ones(self.W.shape[0])

    @cached_property
    def group_sizes(self) -> FloatArray:
        """Sum of what the vertices of each group count."""
        return summed_rows(self.members, self.sizes[:, None], len(self.label_weights))

    def means(self, values: FloatArray) -> FloatArray:
        """Mean over each group of values of the vertices, one column per class."""
        sums = summed_rows(self.members, self.sizes[:, None] * values, len(self.label_weights))
        return sums / np.maximum(self.group_sizes, 1e-300)

    def coarser(self, groups: IntArray, W: Any = None) -> "CoarseGraph":
        """The graph whose vertices are groups of the groups; `W` are its weights, where they are known."""
        W = merged_graph(self.W, groups) if W is None else W
        return CoarseGraph(
            groups, W, summed_rows(groups, self.label_weights, W.shape[0]), self.group_sizes[:, 0]
        )


def summed_rows(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Sum of the rows of each group."""
    sums = np.zeros((count, values.shape[1]))
    add_rows(seen(groups.astype(np.int64, copy=False)), values, sums)
    return sums


def weights_of_labels(
    near: Any, labels: IntArray, n_classes: int, groups: IntArray, count: int, trust: FloatArray | None = None
) -> FloatArray:
    """Weight of the edges from the labels of each class to each group, times the trust in the labels.

    `near` are the rows of the affinities that belong to the labelled vertices.
    """
    edges = np.diff(near.indptr)
    places = groups[near.indices] * np.int64(n_classes) + np.repeat(labels, edges)
    weights = near.data if trust is None else near.data * np.repeat(trust, edges)
    return np.bincount(places, weights=weights, minlength=count * n_classes).reshape(count, n_classes)


def harmonic_shares(graph: CoarseGraph) -> FloatArray:
    """Shares that are the weighted mean of those of the neighbours and of the labels near by.

    Groups that no label reaches get zeros.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1], [1, 0]])
    >>> label_weights = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> harmonic_shares(CoarseGraph(np.arange(2), W, label_weights, np.ones(2))).round(6)
    array([[0.666667, 0.333333],
           [0.333333, 0.666667]])
    """
    n, W = len(graph.label_weights), graph.W
    inside = np.repeat(np.arange(n), np.diff(W.indptr)) == W.indices
    between = sparse.csr_array((np.where(inside, 0.0, W.data), W.indices, W.indptr), shape=(n, n))
    degrees = between @ np.ones(n) + graph.label_weights.sum(axis=1)
    diagonal = degrees * (1 + 1e-9) + 1e-300
    if n <= LARGEST_DENSE:
        system = -between.toarray()
        np.fill_diagonal(system, diagonal)
        shares = np.linalg.solve(system, graph.label_weights)
    else:
        shares = sparse.linalg.splu((sparse.diags_array(diagonal) - between).tocsc()).solve(
            graph.label_weights
        )
    return np.clip(shares, 0.0, 1.0)


def anneal(
    graph: CoarseGraph, evidence: FloatArray, pressure: FloatArray, seed: int = 0
) -> list[tuple[IntArray, float]]:
    """Classes with a low energy, and that energy, by simulated annealing from several temperatures.

    Each begins at the classes of most evidence: the first goes downhill, the others under noise at first.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1, 0], [1, 0, 3], [0, 3, 0]])
    >>> graph = CoarseGraph(np.arange(3), W, np.zeros((3, 2)), np.ones(3))
    >>> evidence = np.array([[9.0, 0], [0, 0], [0, 9]])
    >>> anneal(graph, evidence, pressure=np.zeros(2))[0]
    (array([0, 1, 1]), -2.0)
    """
    return [annealed(graph, evidence, pressure, noise, seed) for noise in NOISES]


def annealed(
    graph: CoarseGraph, evidence: FloatArray, pressure: FloatArray, noise: float, seed: int
) -> tuple[IntArray, float]:
    """One of the searches of `anneal`; the width of its noise is a share of all weight."""
    fading = np.linspace(1, 0, ROUNDS if noise else 0, endpoint=False)
    width = noise * float(graph.volumes.sum()) * fading
    return moved_greedily(graph, evidence, pressure, evidence.argmax(axis=1), width, seed)


def moved_greedily(
    graph: CoarseGraph,
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
    noise: FloatArray | None = None,
    seed: int = 0,
) -> tuple[IntArray, float]:
    """Classes after groups changed theirs one by one until no change lowers the energy, and the energy."""
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
    unit = unit_of(float(graph.W.data.max(initial=0.0)), graph.W.nnz)
    found, lowest = moved_greedily(graph, evidence, pressure, labels)
    for _ in range(REFINEMENTS):
        before = lowest
        for parts in partitions:
            found = _moved_together(graph.W, unit, parts, evidence, pressure, found)
        found, lowest = moved_greedily(graph, evidence, pressure, found)
        if lowest >= before:
            break
    return found, lowest


def _moved_together(
    W: Any, unit: float, parts: IntArray, evidence: FloatArray, pressure: FloatArray, labels: IntArray
) -> IntArray:
    """Classes after what lies in one class of each part moved as a whole until no move gains anything."""
    blocks = parts * evidence.shape[1] + labels
    count = number_codes(blocks, np.full(blocks.max() + 1, -1))
    merged = merged_matrix(W, blocks, count, unit)
    found = np.empty(count, np.int64)
    found[blocks] = labels
    gains = summed_rows(blocks, evidence, count)
    choose_classes(merged, found, merged @ np.ones(count), gains, pressure)
    return found[blocks]


MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
"""Of Knuth's linear congruential generator; its upper bits are used."""
NO_NOISE = np.zeros(0)
LINKS_KEPT = 256
"""Classes up to which the links of all communities are kept; of more, they would take much memory."""
HIGHEST = np.append(-np.log(-np.log(np.arange(1, 32) / 32)) + 1e-9, 37.0)
"""Gumbel noise is at most so much, by the five highest bits of what the generator drew."""


def choose_classes(
    W: Any,
    labels: IntArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    noise: FloatArray = NO_NOISE,
    seed: int = 0,
) -> float:
    """Let each community in turn take the class with the largest gain plus Gumbel noise; return the energy.

    `labels` is changed in place. There is one round for each value of `noise`, then rounds without noise
    until nothing changes. The gain of a class is twice the weight to it, less what the `pressure` on
    its volume rises by, plus the evidence.
    """
    (n, n_classes), found = evidence.shape, labels.astype(np.uint32)
    graph = (unsigned(W.indptr), unsigned(W.indices), seen(W.data), volumes, evidence, pressure)
    links = np.empty((n if n_classes <= LINKS_KEPT else 1, n_classes)), np.zeros(n, np.bool_)
    room = np.zeros((3, n_classes)), np.empty((2, n_classes + 1), np.uint64)
    _choose(*graph, noise, seed, found, *links, room[0][:2], room[1])
    labels[:] = found
    return float(energy(*graph, found, room[0][2]))


@compiled(nogil=True)
def _choose(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    noise: FloatArray,
    seed: int,
    labels: IntArray,
    links: FloatArray,
    is_known: BoolArray,
    room: FloatArray,
    jumps: IntArray,
) -> None:
    """`links` is room for the weight to each class, of all communities or of one at a time.

    That of all is known until a neighbour changes. `room` is room for two numbers for each class, all zero.
    `jumps` is room for what carries the generator on by no number to as many as there are classes.
    """
    n, n_classes = evidence.shape
    keeps, class_volumes, gains = len(links) == n, room[0], room[1]
    jumps[0, 0], jumps[1, 0] = 1, 0
    for k in range(n_classes):
        jumps[0, k + 1] = jumps[0, k] * MULTIPLIER
        jumps[1, k + 1] = jumps[1, k] * MULTIPLIER + INCREMENT
    total = 0.0
    for c in range(n):
        total += volumes[c]
        class_volumes[labels[c]] += volumes[c]
    press = 2 / total if total > 0 else 0.0
    state = np.uint64(seed) * MULTIPLIER + INCREMENT
    for turn in range(len(noise) + 100):
        width = noise[turn] if turn < len(noise) else 0.0
        changed = False
        for c in range(n):
            place = c if keeps else 0
            if not is_known[c]:
                is_known[c] = keeps
                for k in range(n_classes):
                    links[place, k] = 0.0
                for at in range(indptr[c], indptr[c + 1]):
                    if indices[at] != c:
                        links[place, labels[indices[at]]] += weights[at]
            own = labels[c]
            class_volumes[own] -= volumes[c]
            for k in range(n_classes):
                force = press * pressure[k] * (class_volumes[k] + volumes[c] / 2)
                gains[k] = 2 * links[place, k] - force * volumes[c] + evidence[c, k]
            best, best_gain = own, gains[own]
            if width > 0:
                best_gain += width * noise_of(state * jumps[0, own + 1] + jumps[1, own + 1])
            for k in range(n_classes):
                gain = gains[k]
                if width > 0:
                    drawn = state * jumps[0, k + 1] + jumps[1, k + 1]
                    if gain + width * HIGHEST[drawn >> np.uint64(59)] <= best_gain:
                        continue  # logarithms take long
                    gain += width * noise_of(drawn)
                if gain > best_gain:
                    best, best_gain = k, gain
            if width > 0:
                state = state * jumps[0, n_classes] + jumps[1, n_classes]
            class_volumes[best] += volumes[c]
            if best != own:
                labels[c] = best
                changed = True
                for at in range(indptr[c], indptr[c + 1]):
                    is_known[indices[at]] = False
        if turn >= len(noise) and not changed:
            break


@inner
def noise_of(drawn: int) -> float:
    """Gumbel noise of what the generator drew."""
    uniform = (np.float64(drawn >> np.uint64(12)) + 0.5) / 4503599627370496.0
    return -np.log(-np.log(uniform))


@compiled(nogil=True)
def energy(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
    class_volumes: FloatArray,
) -> float:
    """Weight of the cut, plus the pressure on class volumes, minus the evidence; as shares of all weight.

    `class_volumes` is room for a number for each class, all zero.
    """
    total, cut, gained = 0.0, 0.0, 0.0
    for c in range(len(volumes)):
        total += volumes[c]
        class_volumes[labels[c]] += volumes[c]
        gained += evidence[c, labels[c]]
        for at in range(indptr[c], indptr[c + 1]):
            if labels[indices[at]] != labels[c]:
                cut += weights[at]
    if total == 0:
        return 0.0
    pressed = 0.0
    for k in range(len(pressure)):
        pressed += pressure[k] * (class_volumes[k] * class_volumes[k])
    return (cut - gained) / total + pressed / (total * total)


@compiled(nogil=True)
def add_rows(groups: IntArray, values: FloatArray, sums: FloatArray) -> None:
    """Add each row of the values to the row of its group, one after the other."""
    for i in range(len(groups)):
        for c in range(sums.shape[1]):
            sums[groups[i], c] += values[i, c]


@compiled(nogil=True)
def number_codes(codes: IntArray, rank: IntArray) -> int:
    """Replace each code by its rank among those that occur; return how many do.

    `rank` is room for a number for each code there may be, all -1.
    """
    for i in range(len(codes)):
        rank[codes[i]] = 0
    count = 0
    for code in range(len(rank)):
        if rank[code] == 0:
            rank[code] = count
            count += 1
    for i in range(len(codes)):
        codes[i] = rank[codes[i]]
    return count
