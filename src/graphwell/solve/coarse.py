"""The coarse level: the problem on graphs of communities, where it has a hundred vertices, not thousands.

Two things are easy there and hard on the vertices. Label propagation is smooth: a harmonic function on
communities has no spikes at the labels, whatever their number, and classes may be of any size and consist of
several clusters. And the energy of the descent, which for small epsilon is the weight of the cut between
classes plus a pressure on their volumes, can be minimised nearly to its lowest value by simulated annealing.

1. Aggregates of the vertices, and communities of the aggregates at three resolutions in two orders
   (`communities`).
2. Harmonic shares on each graph of communities, averaged, and averaged with the shares of the start.
3. The energy is minimised on each graph, with the scores as evidence besides the labels.
4. The solutions of all graphs are compared, and improved, on the aggregates that all communities are made of.

The energy: ``cut + sum_k pressure_k volume_k^2 - sum_c evidence of community c for its class``. All weights
and volumes are shares of the whole; the cut counts each edge in both directions. A label's weight is spread
over its neighbours' groups, in proportion to edge weight. As epsilon goes to 0 the energy of the descent
becomes this one.

The annealing: in each round every group in turn takes the class with the largest gain plus Gumbel noise,
which is a heat-bath step; the temperature, the width of the noise, falls to 0, and then only gains count.

How the constants were chosen is in ``docs/decisions.md``; where neither it nor a comment says so, the
experiment was not recorded.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from graphwell._threads import ThreadPool, one_blas_thread
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.aggregation import merged_matrix
from graphwell.backends.base import Block, Engine, Vector
from graphwell.graph.compiled import compiled, seen, unsigned
from graphwell.solve.communities import ORDERS, Aggregates, aggregates_of, levels_for
from graphwell.solve.problem import Problem
from graphwell.solve.sizes import best_prices, evenness, may_be_random, row_count

# Of each search, as shares of all weight; and rounds until the temperature is 0.
INITIAL_TEMPERATURES, ROUNDS = (0.0, 0.0006, 0.002), 80
# A dense solver is taken up to so many groups, and where more than this share of all pairs is joined: on the
# complete graph of 3,000 the sparse one, whose factors fill in, took minutes.
LARGEST_DENSE, DENSE_FROM = 1_500, 0.1
# Rounds of `refined`, at most.
REFINEMENTS = 3
# Solutions that are refined.
SOLUTIONS_REFINED = 4
# Weight of the scores, lower while a size penalty acts. Chosen on even-numbered label sets; 0.02 was looked
# at on sets 28-39, too.
EVIDENCE, EVIDENCE_UNDER_PRESSURE = 0.05, 0.02
# A label weighs as this share of the mean community at the finest resolution.
LABEL_COUNTS_FOR = 0.25
# Added to shares before their logarithm is taken.
SHARE_OFFSET = 0.001
# Given sizes of classes are at least this where a pressure is divided by them.
SMALLEST_SHARE = 0.001
# Pressure on the volumes where classes differ in size, and where they are balanced. At a highest pressure of
# 1.5, digits were 0.3 points better and satimage 5.4 worse.
LOWEST_PRESSURE, HIGHEST_PRESSURE = 0.1, 1.0
# With fewer classes the highest pressure is lower: the same force moves larger classes further.
CLASSES_FOR_HIGHEST = 10
# How unbalanced classes may be under full pressure until they count as not balanced at all (0), and how
# balanced they must be (0 to 1) for full pressure.
UNEVENNESS_UNDER_PRESSURE, NEARLY_BALANCED = 0.02, 0.8
# Gain of a class that a group may not have.
FORBIDDEN = -1e6
# Of plain modularity.
MODULARITY_RESOLUTION, MODULARITY_PRESSURE = 1.0, 1.0
# Class of each group, and the energy.
Labelling: TypeAlias = tuple[IntArray, float]


@dataclass(frozen=True, eq=False)
class CoarseGraph:
    """A graph whose vertices are groups of vertices of another one."""

    members: IntArray  # group of each vertex of the other graph
    W: Any  # sums of the weights between groups, a `csr_array`; the diagonal holds twice those inside
    label_weights: FloatArray  # label weight per group and class
    sizes: FloatArray  # what each vertex counts where means are taken

    @cached_property
    def volumes(self) -> FloatArray:
        """Sum of the degrees in each group."""
        return self.W @ np.ones(self.W.shape[0])

    def means(self, values: FloatArray) -> FloatArray:
        """Mean over each group of values of the vertices, one column per class."""
        count = len(self.label_weights)
        sums = summed_rows(self.members, self.sizes[:, None] * values, count)
        return sums / np.maximum(np.bincount(self.members, self.sizes, count), 1e-300)[:, None]


def summed_rows(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Sum of the rows of each group."""
    n = len(groups)
    return np.asarray(sparse.csr_array((np.ones(n), (groups, np.arange(n))), shape=(count, n)) @ values)


def harmonic_shares(graph: CoarseGraph) -> FloatArray:
    """Shares that are the weighted mean of those of the neighbours and of the labels near by.

    Groups that no label reaches get zeros.
    """
    n, W = len(graph.label_weights), graph.W
    between = sparse.csr_array(W - sparse.diags_array(W.diagonal()))
    # (D - W) f = label weights, where D counts the labels too: groups are never set to a label, as vertices
    # are.
    degrees = between @ np.ones(n) + graph.label_weights.sum(axis=1)
    diagonal = degrees * (1 + 1e-9) + 1e-300
    if n <= LARGEST_DENSE or W.nnz > DENSE_FROM * n * n:
        system = -between.toarray()
        np.fill_diagonal(system, diagonal)
        shares = np.linalg.solve(system, graph.label_weights)
    else:
        system = (sparse.diags_array(diagonal) - between).tocsc()
        shares = sparse.linalg.splu(system).solve(graph.label_weights)
    return np.clip(shares, 0.0, 1.0)


# ------------------------------------------------------------------------------------- simulated annealing


def annealed(
    graph: CoarseGraph, evidence: FloatArray, pressure: FloatArray, temperature: float, seed: int = 0
) -> Labelling:
    """Classes with a low energy by simulated annealing from the classes of most evidence.

    The initial temperature is a share of all weight; at 0 the energy only falls.
    """
    hot = temperature * float(graph.volumes.sum())
    noise = hot * np.linspace(1, 0, ROUNDS if temperature else 0, endpoint=False)
    labels = evidence.argmax(axis=1)
    return labels, choose_classes(graph.W, labels, evidence, pressure, noise, seed)


def refined(
    graph: CoarseGraph,
    partitions: list[IntArray],
    evidence: FloatArray,
    pressure: FloatArray,
    labels: IntArray,
) -> Labelling:
    """Lower the energy by block moves (all groups of a community that share a class), then single moves."""
    found = labels.copy()
    lowest = choose_classes(graph.W, found, evidence, pressure)
    for _ in range(REFINEMENTS):
        before = lowest
        for parts in partitions:
            of_blocks, blocks = np.unique(parts * evidence.shape[1] + found, return_inverse=True)
            chosen, unary = of_blocks % evidence.shape[1], summed_rows(blocks, evidence, len(of_blocks))
            choose_classes(merged_matrix(graph.W, blocks), chosen, unary, pressure)
            found = chosen[blocks]
        lowest = choose_classes(graph.W, found, evidence, pressure)
        if lowest >= before:
            break
    return found, lowest


# Of Knuth's linear congruential generator; its upper bits are used.
MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
NO_NOISE = np.zeros(0)
# Classes up to which the links of all communities are kept; of more, they would take much memory.
LINKS_KEPT = 256
# Gumbel noise is at most so much, by the five highest bits of what the generator drew.
GUMBEL_BOUND = np.append(-np.log(-np.log(np.arange(1, 32) / 32)) + 1e-9, 37.0)


def choose_classes(
    W: Any,
    labels: IntArray,
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
    graph = (unsigned(W.indptr), unsigned(W.indices), seen(W.data), W @ np.ones(n))
    links = np.empty((n if n_classes <= LINKS_KEPT else 1, n_classes)), np.zeros(n, np.bool_)
    room = np.zeros((2, n_classes)), np.empty((2, n_classes + 1), np.uint64)
    lowest = float(_choose(graph, evidence, pressure, noise, seed, found, links, room))
    labels[:] = found
    return lowest


@compiled(nogil=True)
def _choose(
    graph: tuple[IntArray, IntArray, FloatArray, FloatArray],
    evidence: FloatArray,
    pressure: FloatArray,
    noise: FloatArray,
    seed: int,
    labels: IntArray,
    links: tuple[FloatArray, BoolArray],
    room: tuple[FloatArray, IntArray],
) -> float:
    """`links` has room for the weight to each class, of all communities or of one at a time."""
    # A row of `links` is known until a neighbour changes. `room` is for two numbers for each class, all zero,
    # and for the jump-ahead factors of the generator for 0 to K draws.
    (indptr, indices, weights, volumes), (to_class, is_known), (numbers, jumps) = graph, links, room
    n, n_classes = evidence.shape
    cache_rows, class_volumes, gains = len(to_class) == n, numbers[0], numbers[1]
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
            row = c if cache_rows else 0
            if not is_known[c]:
                is_known[c] = cache_rows
                for k in range(n_classes):
                    to_class[row, k] = 0.0
                for at in range(indptr[c], indptr[c + 1]):
                    if indices[at] != c:
                        to_class[row, labels[indices[at]]] += weights[at]
            own = labels[c]
            class_volumes[own] -= volumes[c]
            for k in range(n_classes):
                force = press * pressure[k] * (class_volumes[k] + volumes[c] / 2)
                # What the energy falls by if c joins class k, up to a constant.
                gains[k] = 2 * to_class[row, k] - force * volumes[c] + evidence[c, k]
            best, best_gain = own, -np.inf
            for place in range(-1, n_classes):  # its own first, which wins a tie
                k = own if place < 0 else place
                gain = gains[k]
                if width > 0:
                    drawn = state * jumps[0, k + 1] + jumps[1, k + 1]
                    if gain + width * GUMBEL_BOUND[drawn >> np.uint64(59)] <= best_gain:
                        continue  # logarithms take long
                    uniform = (np.float64(drawn >> np.uint64(12)) + 0.5) / 4503599627370496.0
                    gain -= width * np.log(-np.log(uniform))  # Gumbel noise
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
    if total == 0:
        return 0.0
    cut, gained, pressed = 0.0, 0.0, 0.0  # the energy, from scratch: sums that were kept up have drifted
    for k in range(n_classes):
        class_volumes[k] = 0.0
    for c in range(n):
        class_volumes[labels[c]] += volumes[c]
        gained += evidence[c, labels[c]]
        for at in range(indptr[c], indptr[c + 1]):
            if labels[indices[at]] != labels[c]:
                cut += weights[at]
    for k in range(n_classes):
        pressed += pressure[k] * (class_volumes[k] * class_volumes[k])
    return (cut - gained) / total + pressed / (total * total)


# ---------------------------------------------------------------------------------- the search on all graphs


@dataclass(frozen=True, eq=False)
class CoarseSearch:
    """The graph of the aggregates, those of their communities, and the scores of each aggregate."""

    finest: CoarseGraph
    graphs: list[CoarseGraph]  # their vertices are groups of aggregates
    scores: FloatArray
    allowed: BoolArray  # classes that a group may have
    pool: ThreadPool
    weight: float = EVIDENCE  # of the scores

    @cached_property
    def evidence(self) -> tuple[list[FloatArray], FloatArray]:
        """Gain of each group in each class, for each graph; and of each aggregate, by means of logarithms."""

        def unary(graph: CoarseGraph, logs: FloatArray) -> FloatArray:
            gained = self.weight * graph.volumes[:, None] * logs + 2 * graph.label_weights
            return np.where(self.allowed, gained, FORBIDDEN)

        logs = [np.log(graph.means(self.scores) + SHARE_OFFSET) for graph in self.graphs]
        pairs = list(zip(self.graphs, logs, strict=True))
        of_aggregates = np.mean([each[graph.members] for graph, each in pairs], axis=0)
        return [unary(*each) for each in pairs], unary(self.finest, of_aggregates)

    def lowest(self, pressure: FloatArray) -> tuple[IntArray, FloatArray]:
        """Classes of the aggregates of the lowest energy that was found, and class sizes over all graphs."""
        of_graphs, finest = self.evidence
        tasks = list(product(range(len(self.graphs)), INITIAL_TEMPERATURES))

        def solution(task: tuple[int, float]) -> Labelling:  # step 3
            index, temperature = task
            return annealed(self.graphs[index], of_graphs[index], pressure, temperature, index)

        def tidied(labels: IntArray) -> Labelling:
            labels = labels.copy()
            return labels, choose_classes(self.finest.W, labels, finest, pressure)

        solved = self.pool.results(solution, tasks)
        found, sizes = [], np.zeros(len(pressure))
        n_searches = len(INITIAL_TEMPERATURES)
        for index, graph in enumerate(self.graphs):
            solutions = solved[index * n_searches : (index + 1) * n_searches]
            found += [labels[graph.members] for labels, _ in solutions]
            best = min(solutions, key=itemgetter(1))[0][graph.members]
            sizes += np.bincount(best, weights=graph.sizes, minlength=len(pressure))
        different = {labels.tobytes(): labels for labels in found}.values()  # step 4
        best_tidied = sorted(self.pool.results(tidied, list(different)), key=itemgetter(1))
        partitions = [graph.members for graph in self.graphs[:: len(ORDERS)]]
        refine = partial(refined, self.finest, partitions, finest, pressure)
        lowest = self.pool.results(refine, [labels for labels, _ in best_tidied[:SOLUTIONS_REFINED]])
        return min(lowest, key=itemgetter(1))[0], sizes / sizes.sum()


@dataclass(frozen=True, eq=False)
class CoarseSolution:
    """The problem solved on graphs of communities, for each vertex."""

    shares: Block  # harmonic scores on the communities, averaged over all graphs
    scores: Block  # mean of the start's shares and of these
    labels: Vector  # class of each vertex in the solution of lowest energy
    class_shares: FloatArray  # sizes of the classes, averaged over the best solutions of all graphs
    balanced: float  # how balanced the classes are under full pressure, from 0 to 1


def solve_coarse(problem: Problem, engine: Engine, start: Block) -> CoarseSolution:
    """Solve the problem on graphs of communities of several resolutions."""
    labels, n_classes, given = engine.to_host(problem.labels), problem.n_classes, problem.class_shares
    pool = ThreadPool(engine.n_threads)
    finest, graphs = coarse_graphs(engine, labels, n_classes, pool, problem.trust)  # step 1
    members = finest.members
    with one_blas_thread():  # step 2
        harmonic = pool.results(harmonic_shares, graphs)
    of_aggregates = [each[graph.members] for each, graph in zip(harmonic, graphs, strict=True)]
    shares = prolonged(engine, shares_of(np.mean(of_aggregates, axis=0)), members)
    scores = engine.shares(engine.shares(start) + shares)
    finest_scores = engine.group_means(scores, members, len(finest.label_weights))
    has_rows = np.bincount(labels[labels >= 0], minlength=n_classes) > 0
    if given is not None:
        # class biases (prices) under which the classes of the aggregates have about the given sizes
        logs, counts = np.log(finest_scores + SHARE_OFFSET), np.bincount(members, finest.sizes)

        def sizes_under(prices: FloatArray) -> IntArray:
            return np.bincount((logs + prices).argmax(axis=1), weights=counts, minlength=n_classes)

        finest_scores = shares_of(np.exp(logs + best_prices(sizes_under, given * counts.sum())))
        has_rows |= given > 0
    search = CoarseSearch(finest, graphs, finest_scores, has_rows, pool)
    found, class_shares, balanced = lowest_energy(search, given)
    best = engine.asarray(np.where(labels >= 0, labels, found[members]))
    return CoarseSolution(shares, scores, best, class_shares, balanced)


def lowest_energy(
    search: CoarseSearch, class_shares: FloatArray | None
) -> tuple[IntArray, FloatArray, float]:
    """Classes of the aggregates, class sizes, and how balanced classes are under full pressure.

    Classes that full pressure balances are taken to be balanced: others stay unbalanced under it.
    """
    n_classes, pressing = len(search.allowed), replace(search, weight=EVIDENCE_UNDER_PRESSURE)
    highest = np.full(n_classes, HIGHEST_PRESSURE * min(1.0, n_classes / CLASSES_FOR_HIGHEST))
    if class_shares is not None:
        unlabelled = (class_shares > 0) & (search.finest.label_weights.sum(axis=0) == 0)
        strength = HIGHEST_PRESSURE if unlabelled.any() else highest  # nothing else supports such a class
        pressure = strength / (n_classes * np.maximum(class_shares, SMALLEST_SHARE))
        return *pressing.lowest(pressure), 0.0
    labels, shares = pressing.lowest(highest)
    sizes = np.bincount(labels[search.finest.members], search.finest.sizes, minlength=n_classes)
    balanced = max(0.0, 1 - (1 - evenness(sizes[sizes > 0])) / UNEVENNESS_UNDER_PRESSURE)
    if balanced > NEARLY_BALANCED:
        return labels, shares, 1.0
    pressure = LOWEST_PRESSURE + (highest - LOWEST_PRESSURE) * balanced
    return *search.lowest(pressure), balanced


def coarse_graphs(
    engine: Engine, labels: IntArray, n_classes: int, pool: ThreadPool, trust: Vector | None
) -> tuple[CoarseGraph, list[CoarseGraph]]:
    """The graph of the aggregates, and those of their communities, of several resolutions and orders."""
    aggregates = aggregates_of(engine)
    levels = levels_for(labels, aggregates, pool)
    finest = aggregate_graph(engine, aggregates, labels, n_classes, int(levels[-1][0].max()) + 1, trust)
    count, weights = len(finest.label_weights), finest.label_weights
    sizes = np.bincount(finest.members, finest.sizes, count)
    graphs = [CoarseGraph(at, W, summed_rows(at, weights, W.shape[0]), sizes) for at, W in levels]
    return finest, graphs


def aggregate_graph(
    engine: Engine,
    aggregates: Aggregates,
    labels: IntArray,
    n_classes: int,
    n_communities: int,
    trust: Vector | None = None,
) -> CoarseGraph:
    """The graph of the aggregates; a label weighs as a share of the mean of so many communities."""
    known, n = np.flatnonzero(labels >= 0), row_count(engine)
    rows = np.ones(len(labels)) if engine.masses is None else engine.masses  # that each vertex stands for
    given = rows if trust is None else np.asarray(engine.to_host(trust))  # how often each label was given
    n_labels = max(1.0, float(len(known) if trust is None else given[known].sum()))
    # At most n / n_labels: labels may be many.
    per_label = min(LABEL_COUNTS_FOR * n / n_communities, n / n_labels)
    # A label counts in the aggregates that its edges lead to.
    near, count = engine.affinities_of(known), aggregates.W.shape[0]
    edges = np.diff(near.indptr)
    places = aggregates.members[near.indices] * np.int64(n_classes) + np.repeat(labels[known], edges)
    values = near.data * np.repeat(given[known] / rows[known], edges)
    weights = np.bincount(places, values, count * n_classes).reshape(count, n_classes)
    return CoarseGraph(aggregates.members, aggregates.W, per_label * weights, rows)


def shares_of(scores: FloatArray) -> FloatArray:
    """Rows that sum to 1; uniform ones where there is no score."""
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), 1 / scores.shape[1])


def prolonged(engine: Engine, values: FloatArray, groups: IntArray) -> Block:
    """Rows of the groups as a block of the vertices in them."""
    return engine.asarray(values.astype(np.float32))[engine.own(engine.asarray(groups))]


def claimed_shares(problem: Problem, engine: Engine) -> Block | None:
    """Shares of the classes at each vertex if each label is a class of its own, then summed by class.

    For classes that consist of several clusters. That needs a label in nearly every cluster, so it is tried
    only where there are more labels than communities of highest modularity, and where the labels may have
    been drawn at random: clusters are about equally large, so what a class gets follows from how many labels
    it has. None if the labels do not allow it. Shares are means over the solutions on the graphs of
    communities.
    """
    labels = np.asarray(engine.to_host(problem.labels))
    known = np.flatnonzero(labels >= 0)
    if not may_be_random(np.bincount(labels[known], minlength=problem.n_classes)):
        return None
    if len(known) <= int(aggregates_of(engine).level(MODULARITY_RESOLUTION)[0].max()) + 1:
        return None
    claims, pool = np.full(len(labels), -1), ThreadPool(engine.n_threads)
    claims[known] = np.arange(len(known))
    finest, graphs = coarse_graphs(engine, claims, len(known), pool, problem.trust)
    scores = np.ones((len(finest.label_weights), len(known)))
    search = CoarseSearch(finest, graphs, scores, np.ones(len(known), dtype=bool), pool, weight=0.0)
    pressure = np.full(len(known), MODULARITY_PRESSURE)

    def solution(index: int) -> FloatArray:
        graph, evidence = graphs[index], search.evidence[0][index]
        searches = (annealed(graph, evidence, pressure, each, index) for each in INITIAL_TEMPERATURES)
        found = min(searches, key=itemgetter(1))[0]
        return np.eye(problem.n_classes)[labels[known][found[graph.members]]]

    shares = np.mean(pool.results(solution, range(len(graphs))), axis=0)
    return prolonged(engine, shares, finest.members)
