"""graphwell's own descent: a diffusion start, sharper weights, large steps, and a guard.

The paper's descent needs a few per cent of the points labelled. This one works from one label per class; what
each part does and where it helps is told in ``docs/few-labels.md``.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from graphwell._arrays import namespace
from graphwell._types import FloatArray
from graphwell.backends.base import Engine, State
from graphwell.graph import Graph
from graphwell.solve.descent import Callback, Reached, descend
from graphwell.solve.guard import balance_for, stands, votes
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, Status
from graphwell.solve.schedule import Annealed
from graphwell.solve.start import STARTS, Start

FIRST_EPSILON, LAST_EPSILON = 2.0, 0.3
LARGEST_STEP = 0.4
STABLE_SHARE = 0.8
POWER_ITERATIONS = 20

EngineMaker = Callable[[Graph], Engine]


@dataclass(frozen=True)
class Recipe:
    """The settings of the descent that are worth choosing.

    Attributes
    ----------
    start : {"auto", "diffusion", "nearest", "random"}
    sharpness : float
        Power that the affinities are raised to.
    time : float
        Time of the descent at each epsilon; 0 keeps the start.
    n_neighbors : int, optional
        Neighbours of the graph where they differ from the graph that is given.
    """

    start: str = "auto"
    sharpness: float = 2.0
    time: float = 8.0
    n_neighbors: int | None = None

    def __str__(self) -> str:
        neighbors = "" if self.n_neighbors is None else f", {self.n_neighbors} neighbours"
        descent = f"time {self.time:g} per epsilon" if self.time else "no descent"
        return f"{self.start} start, sharpness {self.sharpness:g}, {descent}{neighbors}"


@dataclass(frozen=True)
class Prepared:
    """A problem on the graph of a recipe, with its engine and its start: what descents can share."""

    problem: Problem
    engine: Engine
    start: Start
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a recipe came to: the result, and how strongly each class is present at each vertex."""

    result: Result
    scores: FloatArray


def prepare(problem: Problem, recipe: Recipe, make_engine: EngineMaker, rng: np.random.Generator) -> Prepared:
    """Build the engine and the start of a recipe."""
    began = time.perf_counter()
    problem = replace(problem, graph=problem.graph.sharpened(recipe.sharpness), implicit=True)
    engine = make_engine(problem.graph)
    start = STARTS[recipe.start](problem, engine, rng)
    return Prepared(problem, engine, start, time.perf_counter() - began)


def follow(
    prepared: Prepared,
    recipe: Recipe,
    step_size: float | None = None,
    callback: Callback | None = None,
    reached: Reached | None = None,
) -> Outcome:
    """Descend as the recipe says, and go back to the start if the result does not stand."""
    problem, start = prepared.problem, prepared.start
    if recipe.time == 0:
        return _kept(prepared, Status.START_KEPT, 0.0)
    problem = replace(problem, balance=balance_for(problem, start.state.labels))
    step = stable_step(problem.graph, prepared.engine) if step_size is None else step_size
    schedule = schedule_of(recipe, step)
    result = descend(prepared.engine, problem, start.state, schedule, step, callback, reached)
    final = State(result.labels, result.offsets)
    checked = start.scores is not None and result.status is not Status.STOPPED
    if checked and not stands(problem, prepared.engine, final, start.state.labels):
        return _kept(prepared, Status.HELD_BACK, result.seconds, result)
    return Outcome(_with_start(result, start), support(problem, prepared.engine, final))


def schedule_of(recipe: Recipe, step_size: float) -> Annealed:
    """Epsilons of the descent, each with as many sweeps as fill the recipe's time.

    Examples
    --------
    >>> schedule_of(Recipe(time=2.0), step_size=0.2)
    Annealed(start=2.0, stop=0.3, ratio=0.9, sweeps=10)
    """
    return Annealed(FIRST_EPSILON, LAST_EPSILON, ratio=0.9, sweeps=max(1, round(recipe.time / step_size)))


def stable_step(graph: Graph, engine: Engine) -> float:
    """Largest step that is stable and accurate at every epsilon, at most 0.4.

    Steps below ``2 / (eps m + 1 / eps)`` are stable, with `m` the largest eigenvalue of the Laplacian of
    ``S``, found by power iteration.
    """
    row_sums = engine.product(graph.asarray(np.ones((graph.n_vertices, 1))))
    x = graph.asarray(np.random.default_rng(0).random((graph.n_vertices, 1)) - 0.5)
    largest = 1.0
    for _ in range(POWER_ITERATIONS):
        x = row_sums * x - engine.product(x)
        largest = math.sqrt(float((x * x).sum()))
        if largest == 0:
            return LARGEST_STEP
        x = x / largest
    return step_for(largest)


def step_for(largest: float) -> float:
    """Step that is stable at every epsilon, for the largest eigenvalue of the Laplacian of ``S``."""
    limits = (2 / (epsilon * largest + 1 / epsilon) for epsilon in (FIRST_EPSILON, LAST_EPSILON))
    return min(LARGEST_STEP, STABLE_SHARE * min(limits))


def support(problem: Problem, engine: Engine, state: State) -> FloatArray:
    """Presence of each class around each vertex, the vertex itself included."""
    scores = votes(problem, engine, state)
    scores[namespace(scores).arange(len(scores)), state.labels] += 0.5 - abs(state.offsets)
    return scores


def _kept(prepared: Prepared, status: Status, seconds: float, tried: Result | None = None) -> Outcome:
    """The start as the outcome."""
    start, state = prepared.start, prepared.start.state
    tried = tried or Result(state.labels, state.offsets, status)
    result = replace(tried, labels=state.labels, offsets=state.offsets, status=status, seconds=seconds)
    if start.scores is None:
        return Outcome(result, support(prepared.problem, prepared.engine, state))
    positive = namespace(start.scores.values).maximum(start.scores.values, 0.0)
    return Outcome(_with_start(result, start), positive)


def _with_start(result: Result, start: Start) -> Result:
    if start.scores is None:
        return result
    return replace(result, solver_iterations=start.scores.iterations, solver_residual=start.scores.residual)
