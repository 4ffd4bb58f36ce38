"""The coarse level: the problem on graphs of communities, where it has a hundred vertices, not thousands.

Two things are easy there and hard on the vertices. Label propagation is even: a harmonic function on
communities has no spikes at the labels, whatever their number, and classes may be of any size and consist of
several clusters. And the energy of the descent, which for small epsilon is the weight of the cut between
classes plus a pressure on their volumes, can be minimised nearly to its lowest value by simulated annealing.

1. Aggregates of the vertices, and communities of the aggregates at three resolutions in two orders
   (`communities`).
2. Harmonic shares on each graph of communities, averaged, and averaged with the shares of the start.
3. The energy of `choose_classes` is minimised on each graph, with the scores as evidence besides the labels.
4. The solutions of all graphs are compared, and improved, on the aggregates that all communities are made of.

The energy: ``cut + sum_k pressure_k volume_k^2 - sum_c evidence of community c for its class``. All weights
and volumes are shares of the whole. A label counts in the groups that its edges lead to, in proportion to
their weight: a typical member settles the class of its community, while a label at a border, or of a vertex
that hardly belongs anywhere, settles little. As epsilon goes to 0 the energy of the descent becomes this one.

The annealing: in each round every group in turn takes the class with the largest gain plus Gumbel noise,
which is a heat-bath step; the width of the noise falls to 0, and then only gains count.

``docs/few-labels.md`` tells what each part is worth.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._threads import ThreadPool, one_blas_thread
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.aggregation import merged_matrix, unit_of
from graphwell.backends.base import Block, Engine, Vector
from graphwell.graph.compiled import compiled, inner, seen, unsigned
from graphwell.solve.communities import Aggregates, aggregates_of, aggregation_begun, merged_graph
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_prices, evenness_allowed, may_be_random

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


RESOLUTIONS = (4.0, 8.0, 16.0)
"""For ten classes: some 5, 10 and 20 communities each. They grow with the square root of the classes."""
ORDERS = (0, 1)
"""Seeds of the order in which Louvain's method looks at the vertices."""
EVIDENCE, EVIDENCE_UNDER_PRESSURE = 0.05, 0.02
"""Weight of the scores, lower where sizes press, given or even ones. Chosen on label sets with even numbers;
0.02 was looked at on sets 28-39, too."""
LABEL_COUNTS_FOR = 0.25
"""A label counts for so many of the smallest communities, but never for more than its share of the
vertices."""
SMALLEST_SHARE = 0.001
"""Added to shares before their logarithm is taken."""
LOWEST_PRESSURE, HIGHEST_PRESSURE = 0.1, 1.0
"""Pressure on the volumes where classes are uneven by nature, and where they are even. At a highest pressure
of 1.5, digits were 0.3 points better and satimage 5.4 worse."""
CLASSES_FOR_HIGHEST = 10
"""With fewer classes the highest pressure is lower: the same force moves larger classes further. Not
recorded."""
UNEVENNESS_UNDER_PRESSURE, NEARLY_EVEN = 0.02, 0.8
"""Classes at least so even under full pressure are even by nature. The experiments are not recorded."""
KEPT = 4
"""Solutions that are refined."""
FORBIDDEN = -1e6
"""Gain of a class that a group may not have."""
NATURAL, PRESSURE = 1.0, 1.0
"""Resolution and pressure of plain modularity."""


@dataclass(frozen=True, eq=False)
class CoarseSolution:
    """The problem solved on graphs of communities, for each vertex.

    Attributes
    ----------
    shares : Block
        Harmonic scores on the communities, averaged over all graphs.
    scores : Block
        Mean of the start's shares and of these.
    labels : Vector
        Class of each vertex in the solution of lowest energy.
    class_shares : array of shape (n_classes,)
        Sizes of the classes, averaged over the best solutions of all graphs.
    even : float
        How even the classes are by nature, from 0 to 1.
    pressure : array of shape (n_classes,)
        Pressure on the volume of each class that the solution was found under.
    """

    shares: Block
    scores: Block
    labels: Vector
    class_shares: FloatArray
    even: float
    pressure: FloatArray


@dataclass(frozen=True, eq=False)
class Labelling:
    """Classes of the aggregates, their energy, and class sizes averaged over the graphs of communities."""

    labels: IntArray
    energy: float
    class_shares: FloatArray


@dataclass(frozen=True, eq=False)
class CoarseSearch:
    """The graph of the aggregates, those of their communities, and the scores of each aggregate.

    Attributes
    ----------
    finest : CoarseGraph
    graphs : list of CoarseGraph
        Their vertices are groups of aggregates.
    scores : array of shape (n_aggregates, n_classes)
    allowed : array of shape (n_classes,)
        Classes that a group may have.
    pool : ThreadPool
    weight : float
        Of the scores.
    """

    finest: CoarseGraph
    graphs: list[CoarseGraph]
    scores: FloatArray
    allowed: BoolArray
    pool: ThreadPool
    weight: float = EVIDENCE

    @cached_property
    def logs(self) -> list[FloatArray]:
        """Logarithms of the mean scores of each group, for each graph."""
        return [np.log(graph.means(self.scores) + SMALLEST_SHARE) for graph in self.graphs]

    @cached_property
    def evidence(self) -> list[FloatArray]:
        """Gain of each group in each class, for each graph."""
        return [self._gains(graph, logs) for graph, logs in zip(self.graphs, self.logs, strict=True)]

    @cached_property
    def finest_evidence(self) -> FloatArray:
        """Gain of each aggregate in each class, by the mean of the logarithms of its communities."""
        logs = [logs[graph.members] for graph, logs in zip(self.graphs, self.logs, strict=True)]
        return self._gains(self.finest, np.mean(logs, axis=0))

    def _gains(self, graph: CoarseGraph, logs: FloatArray) -> FloatArray:
        """Gains by the scores, and by the labels near each group."""
        gains = self.weight * graph.volumes[:, None] * logs + 2 * graph.label_weights
        return np.where(self.allowed, gains, FORBIDDEN)

    def lowest(self, pressure: FloatArray) -> Labelling:
        """The solution of lowest energy that was found under a pressure."""
        found, sizes, evidence = [], [], self.evidence
        tasks = list(product(range(len(self.graphs)), NOISES))

        def solution(task: tuple[int, float]) -> tuple[IntArray, float]:
            seed, noise = task
            return annealed(self.graphs[seed], evidence[seed], pressure, noise, seed)

        solved = dict(zip(tasks, self.pool.results(solution, tasks), strict=True))
        for seed, graph in enumerate(self.graphs):
            solutions = [solved[seed, noise] for noise in NOISES]
            found += [labels[graph.members] for labels, _ in solutions]
            best = min(solutions, key=lambda solution: solution[1])[0][graph.members]
            sizes.append(np.bincount(best, weights=graph.sizes, minlength=len(pressure)))
        lowest = self.best(found, pressure)
        labels, energy = min(
            self.pool.results(lambda each: self.refine(each, pressure), lowest), key=_energy_of
        )
        return Labelling(labels, energy, np.sum(sizes, axis=0) / np.sum(sizes))

    def best(self, found: list[IntArray], pressure: FloatArray) -> list[IntArray]:
        """The few different solutions of lowest energy, after aggregates at borders changed sides."""
        different = {labels.tobytes(): labels for labels in found}.values()
        evidence = self.finest_evidence  # found here, not by every thread
        tidy = self.pool.results(
            lambda labels: moved_greedily(self.finest, evidence, pressure, labels), list(different)
        )
        return [labels for labels, _ in sorted(tidy, key=_energy_of)[:KEPT]]

    def refine(self, labels: IntArray, pressure: FloatArray) -> tuple[IntArray, float]:
        """Improve a solution by moving parts of communities, and aggregates."""
        partitions = [graph.members for graph in self.graphs[:: len(ORDERS)]]
        return refined(self.finest, partitions, self.finest_evidence, pressure, labels)


def solve_coarse(problem: Problem, engine: Engine, start: Block) -> CoarseSolution:
    """Solve the problem on graphs of communities of several resolutions.

    Examples
    --------
    Two pairs of triangles, each pair with one label:

    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> W = np.kron(np.eye(4), 1 - np.eye(3)) + np.eye(12, k=3) + np.eye(12, k=-3)
    >>> W[5, 8] = W[8, 5] = 0
    >>> problem = Problem(Graph.from_affinity(W), np.array([0] + 10 * [-1] + [1]), n_classes=2)
    >>> solve_coarse(problem, find_backend().engine(problem.graph), np.full((12, 2), 0.5)).labels
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """
    labels, n_classes = engine.to_host(problem.labels), problem.n_classes
    pool = ThreadPool(engine.n_threads)
    trust = None if problem.trust is None else engine.to_host(problem.trust)
    finest, graphs = coarse_graphs(engine, labels, n_classes, pool, trust)
    with one_blas_thread():
        harmonic = pool.results(lambda graph: harmonic_shares(graph)[graph.members], graphs)
    begin, harmonic_block = (
        engine.shares(start),
        engine.spread(shares_of(np.mean(harmonic, axis=0)), finest.members),
    )
    scores = engine.shares(engine.added(begin, harmonic_block))
    finest_scores = engine.group_means(scores, finest.members, len(finest.label_weights))
    if problem.class_shares is not None:
        finest_scores = priced(finest_scores, np.bincount(finest.members), problem.class_shares)
    allowed = allowed_classes(labels, problem.class_shares, n_classes)
    search = CoarseSearch(finest, graphs, finest_scores, allowed, pool)
    solution, even, pressure = lowest_energy(search, problem.class_shares)
    return CoarseSolution(
        shares=harmonic_block,
        scores=scores,
        labels=engine.asarray(np.where(labels >= 0, labels, solution.labels[finest.members])),
        class_shares=solution.class_shares,
        even=even,
        pressure=pressure,
    )


def coarse_graphs(
    engine: Engine, labels: IntArray, n_classes: int, pool: ThreadPool, trust: FloatArray | None = None
) -> tuple[CoarseGraph, list[CoarseGraph]]:
    """The graph of the aggregates, and those of their communities, of several resolutions and orders."""
    aggregates = aggregates_of(engine)
    levels = levels_for(labels, aggregates, pool)
    per_label = vertices_per_label(labels, int(levels[-1][0].max()) + 1)
    finest = aggregate_graph(engine, aggregates, labels, n_classes, per_label, trust)
    return finest, [finest.coarser(*level) for level in levels]


def levels_for(labels: IntArray, aggregates: Aggregates, pool: ThreadPool) -> list[tuple[IntArray, Any]]:
    """Communities of all resolutions and orders, and their graphs; found once for each number of classes."""
    finer = np.sqrt(max(1, len(np.unique(labels[labels >= 0]))) / 10)
    wanted = [(resolution * finer, seed) for resolution in RESOLUTIONS for seed in ORDERS]
    return pool.results(lambda each: aggregates.level(*each), wanted)


@contextmanager
def communities_in_background(problem: Problem, engine: Engine) -> Iterator[None]:
    """Find the communities on the host while the block inside computes elsewhere.

    Where it computes on the host, too, the two would be in each other's way.
    """
    if engine.xp is np:
        yield
        return
    labels, pool = engine.to_host(problem.labels), ThreadPool(engine.n_threads)
    aggregation_begun(engine)  # here: the other thread does not ask the engine
    with ThreadPoolExecutor(1) as beside:
        found = beside.submit(copy_context().run, lambda: levels_for(labels, aggregates_of(engine), pool))
        yield
        found.result()


def aggregate_graph(
    engine: Engine,
    aggregates: Aggregates,
    labels: IntArray,
    n_classes: int,
    per_label: float,
    trust: FloatArray | None = None,
) -> CoarseGraph:
    """The graph of the aggregates, with the weights of labels that count for so many vertices each."""
    known = np.flatnonzero(labels >= 0)
    near, firm = engine.affinities_of(known), None if trust is None else trust[known]
    label_weights = per_label * weights_of_labels(
        near, labels[known], n_classes, aggregates.members, aggregates.W.shape[0], firm
    )
    return CoarseGraph(aggregates.members, aggregates.W, label_weights, np.ones(len(labels)))


def shares_of(scores: FloatArray) -> FloatArray:
    """Rows that sum to 1; even ones where there is no score."""
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), 1 / scores.shape[1])


def priced(scores: FloatArray, sizes: IntArray, class_shares: FloatArray) -> FloatArray:
    """Scores of groups of such sizes, times prices under which the classes have about the given shares."""
    logs = np.log(scores + SMALLEST_SHARE)

    def sizes_under(prices: FloatArray) -> IntArray:
        return np.bincount((logs + prices).argmax(axis=1), weights=sizes, minlength=len(prices))

    return shares_of(np.exp(logs + best_prices(sizes_under, class_shares * sizes.sum())))


def vertices_per_label(labels: IntArray, n_communities: int) -> float:
    """Number of vertices that each label counts for."""
    n = len(labels)
    return float(min(LABEL_COUNTS_FOR * n / n_communities, n / max(1, (labels >= 0).sum())))


def allowed_classes(labels: IntArray, class_shares: FloatArray | None, n_classes: int) -> BoolArray:
    """Classes that have a label, or a size."""
    allowed = np.bincount(labels[labels >= 0], minlength=n_classes) > 0
    return allowed if class_shares is None else allowed | (class_shares > 0)


def lowest_energy(
    search: CoarseSearch, class_shares: FloatArray | None
) -> tuple[Labelling, float, FloatArray]:
    """The solution, how even the classes are by nature, and the pressure that follows from it."""
    # Classes are even by nature if full pressure makes them so: others stay uneven under it.
    n_classes, pressing = len(search.allowed), replace(search, weight=EVIDENCE_UNDER_PRESSURE)
    highest = np.full(n_classes, HIGHEST_PRESSURE * min(1.0, n_classes / CLASSES_FOR_HIGHEST))
    if class_shares is not None:
        unlabelled = (class_shares > 0) & (search.finest.label_weights.sum(axis=0) == 0)
        strength = HIGHEST_PRESSURE if unlabelled.any() else highest  # nothing else speaks for such a class
        pressure = strength / (n_classes * np.maximum(class_shares, SMALLEST_SHARE))
        return pressing.lowest(pressure), 0.0, pressure
    solution = pressing.lowest(highest)
    sizes = np.bincount(solution.labels[search.finest.members], minlength=n_classes)
    even = evenness_allowed(sizes, UNEVENNESS_UNDER_PRESSURE)
    if even > NEARLY_EVEN:
        return solution, 1.0, highest
    pressure = LOWEST_PRESSURE + (highest - LOWEST_PRESSURE) * even
    return search.lowest(pressure), even, pressure


def _energy_of(solution: tuple[IntArray, float]) -> float:
    return solution[1]


def claimed_shares(problem: Problem, engine: Engine) -> tuple[FloatArray, IntArray] | None:
    """Shares of the classes in each aggregate, if every label claims a cluster; the aggregate of each vertex.

    For classes that consist of several clusters. That needs a label in nearly every cluster, so it is tried
    only where there are more labels than communities of highest modularity, and where the labels may have
    been drawn at random: clusters are about equally large, so what a class gets follows from how many labels
    it has. None if the labels do not allow it. Shares are means over the solutions on the graphs of
    communities.
    """
    labels = np.asarray(engine.to_host(problem.labels))
    known = np.flatnonzero(labels >= 0)
    counts = np.bincount(labels[known], minlength=problem.n_classes)
    if not may_be_random(counts):
        return None
    natural = aggregates_of(engine).merged(NATURAL)
    if len(known) <= int(natural.max()) + 1:
        return None
    claims = np.full(len(labels), -1)
    claims[known] = np.arange(len(known))
    pool = ThreadPool(engine.n_threads)
    trust = None if problem.trust is None else engine.to_host(problem.trust)
    finest, graphs = coarse_graphs(engine, claims, len(known), pool, trust)
    everyone = np.ones(len(known), dtype=bool)
    search = CoarseSearch(
        finest, graphs, np.ones((len(finest.label_weights), len(known))), everyone, pool, weight=0.0
    )
    pressure = np.full(len(known), PRESSURE)

    def solution(seed: int) -> FloatArray:
        graph = graphs[seed]
        found = min(anneal(graph, search.evidence[seed], pressure, seed), key=lambda each: each[1])[0]
        return np.eye(problem.n_classes)[labels[known][found[graph.members]]]

    return np.mean(pool.results(solution, range(len(graphs))), axis=0), finest.members
