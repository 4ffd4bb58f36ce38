"""Sizes of classes: estimates and bounds, labels with given sizes, the pressure on the descent.

Sizes that are not given are read off the labels, where these may be a random sample, and off the solutions
on the coarse level. They enter the start and the stacked scores as prices (`best_classes`), the annealing of
the coarse level as a pressure on volumes (`coarse`), and the descent as the null-model term of modularity
(`balance_for`, `holding_balance`).
"""

from collections.abc import Callable

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Block, Engine, Vector
from graphwell.solve.problem import Balance, Problem

# Pressure towards balanced classes: better in 17 of 21 pairs of set and label rate, worse in 1.
EVEN_STRENGTH = 0.3
# Towards given sizes, and towards those of a coarse solution. The experiments are not recorded.
GIVEN_STRENGTH, HOLDING_STRENGTH = 1.0, 3.0
# Classes less balanced than this are taken to differ in size. Gates of 0.03 / 0.06 / 0.10 / 0.15 changed
# the error of the start by -0.41 / -0.69 / -0.64 / -0.62 points in the mean.
UNEVENNESS_ALLOWED = 0.06
# Of raising and lowering prices, at most.
ROUNDS = 200
SMALLEST_SIZE = 1e-4
# Its logarithm stands for that of 0. Not recorded.
SMALLEST_SCORE = 1e-30
# Counts of labels that deviate from the coarse sizes hardly more than by chance tell nothing. Not recorded.
TRUST_NEEDED = 0.5
# Probability below which a result is not put down to chance.
HARDLY_EVER = 0.05


def best_classes(
    engine: Engine, scores: Block, class_shares: FloatArray | None = None, among: BoolArray | None = None
) -> Vector:
    """Class with the highest score of each vertex, under prices that give the classes among some their sizes.

    Without sizes there are no prices.
    """
    if class_shares is None:
        return engine.argmax(scores)
    xp, sizes = engine.xp, class_shares * row_count(engine, among)
    logs = xp.log(xp.maximum(scores, SMALLEST_SCORE)).astype(np.float64)

    def sizes_under(prices: FloatArray) -> IntArray:
        found = engine.argmax(logs + xp.asarray(prices))
        if among is not None:
            found = xp.where(among, found, len(sizes))
        return class_counts(engine, found, len(sizes) + 1)[:-1]

    return engine.argmax(logs + xp.asarray(best_prices(sizes_under, sizes)))


def best_prices(sizes_under: Callable[[FloatArray], IntArray], sizes: FloatArray) -> FloatArray:
    """Prices under which the classes come nearest to the sizes asked for; `sizes_under` tries some.

    The price of a class too large falls and that of one too small rises until the sizes fit.
    """
    prices = np.zeros(len(sizes))
    best, smallest_miss = prices, np.inf
    step = 0.5
    for _ in range(ROUNDS):
        found = sizes_under(prices)
        miss = float(np.abs(found - sizes).sum())
        if miss < smallest_miss:
            best, smallest_miss = prices, miss
        else:
            step *= 0.9
        if miss <= 0.002 * sizes.sum():
            break
        # b_k += eta log(T_k / size_k): prices are relative, so what fits 10 rows fits 10,000
        prices = prices + step * np.log(np.maximum(sizes, 0.5) / np.maximum(found, 0.5))
    return best


def class_counts(engine: Engine, labels: Vector, n_classes: int) -> IntArray:
    """Number of rows of each class, by the classes of all vertices, on the host."""
    if engine.masses is not None:
        return np.bincount(labels, engine.masses, minlength=n_classes)
    return np.asarray(engine.to_host(engine.xp.bincount(labels, minlength=n_classes)))


def row_count(engine: Engine, among: BoolArray | None = None) -> float:
    """Number of rows that the vertices, or some of them, stand for."""
    if engine.masses is not None:
        return float((engine.masses if among is None else engine.masses[among]).sum())
    return engine.graph.n_vertices if among is None else int(among.sum())


def evenness(counts: IntArray) -> float:
    """Entropy of class sizes as a share of its largest value: 1 if all are equal, 0 if only one is there."""
    shares = counts / counts.sum()
    positive = shares[shares > 0]
    return float(abs((positive * np.log(positive)).sum()) / np.log(len(counts))) if len(counts) > 1 else 1.0


def likeliest(
    engine: Engine, scores: Block, labels: IntArray, class_shares: FloatArray | None = None
) -> IntArray:
    """Class with the highest score, given labels kept, on the host; priced if sizes are given."""
    best = best_classes(engine, scores, class_shares)
    return np.where(labels >= 0, labels, engine.to_host(best))


# ------------------------------------------------------------------------ the pressure on sizes in a descent


def balance_for(problem: Problem, start_sizes: IntArray) -> Balance | None:
    """The pressure on class sizes: towards given shares, or equal ones from a nearly balanced start."""
    if problem.class_shares is not None:
        return Balance(GIVEN_STRENGTH, problem.class_shares)
    strength = EVEN_STRENGTH * (1 - (1 - evenness(start_sizes)) / UNEVENNESS_ALLOWED)
    if strength <= 0:
        return None
    return Balance(round(float(strength), 12), np.full(problem.n_classes, 1 / problem.n_classes))


def holding_balance(problem: Problem, engine: Engine, first: Vector, balanced: float) -> Balance:
    """The pressure of a descent that begins at a coarse solution: towards its sizes, or balanced ones."""
    if problem.class_shares is not None:
        return Balance(GIVEN_STRENGTH, problem.class_shares)
    weights = engine.xp.sqrt(problem.graph.degrees)  # phi_i, but for a factor
    if engine.masses is not None:
        weights = weights * np.sqrt(engine.masses)
    mass = np.asarray(engine.to_host(engine.grouped(first, weights, problem.n_classes)))
    present = mass > 0
    strength = balanced * EVEN_STRENGTH + (1 - balanced) * HOLDING_STRENGTH
    # Mass M_k of each class to be held: equal ones, or those of the coarse solution, or between.
    shares = balanced * present / max(1, present.sum()) + (1 - balanced) * mass / (mass.sum() or 1.0)
    return Balance(round(float(strength), 12), shares)


# -------------------------------------------------------------------------------- sizes that are not given


def settled_sizes(counts: IntArray, coarse: FloatArray, bounds: FloatArray) -> FloatArray | None:
    """Sizes to press for: None where neither the labels nor the bounds contradict the coarse ones."""
    moved = within_bounds(estimated_shares(counts, coarse), *bounds)
    return None if np.allclose(moved, coarse, atol=1e-3) else moved


def estimated_shares(counts: IntArray, coarse: FloatArray) -> FloatArray:
    """Sizes of the classes from the labels, as far as they tell, and from the coarse solutions otherwise.

    Labels that are a random sample have shares near those of the classes. They are trusted as far as they
    deviate from the coarse sizes by more than chance would have it. Equal counts were chosen, not drawn, and
    tell nothing.
    """
    if not may_be_random(counts):
        return coarse
    expected = np.maximum(coarse, SMALLEST_SIZE) * counts.sum()
    deviation = float(((counts - expected) ** 2 / expected).sum())  # chi-square of the counts
    # By chance alone, chi-square is as large as the classes less one, in the mean.
    trust = max(0.0, 1 - ((counts > 0).sum() - 1) / deviation) if deviation > 0 else 0.0
    if trust < TRUST_NEEDED:
        return coarse
    return trust * counts / counts.sum() + (1 - trust) * coarse


def may_be_random(counts: IntArray) -> bool:
    """Whether labels with these counts may have been drawn at random; about equal ones were chosen."""
    return int(np.ptp(counts[counts > 0])) > 1


def refuted(shares: FloatArray, counts: IntArray) -> bool:
    """Whether labels drawn at random would hardly ever have these counts if the classes had such shares."""
    from scipy.stats import binom

    if not may_be_random(counts):
        return False
    return bool((binom.sf(counts - 1, counts.sum(), shares) < HARDLY_EVER).any())


def within_bounds(shares: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Shares moved into bounds, as little as it takes; they sum to 1.

    All shares are multiplied by the same factor, found by bisection, before they are cut off at their bounds.
    """
    positive = np.maximum(shares, SMALLEST_SIZE)
    low, high = 0.0, 1.0
    while np.clip(high * positive, lower, upper).sum() < min(1.0, upper.sum()) - 1e-12 and high < 1e9:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        short = np.clip(middle * positive, lower, upper).sum() < 1
        low, high = (middle, high) if short else (low, middle)
    moved = np.clip(high * positive, lower, upper)
    return moved / moved.sum()
