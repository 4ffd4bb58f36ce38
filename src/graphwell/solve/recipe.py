"""The descents: graphwell's own, which needs few labels, and the paper's.

graphwell's starts from diffused scores, on sharper weights, takes large steps, and is held back by a guard.
What each part does and where it helps is told in ``docs/few-labels.md``.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from graphwell.backends.base import Backend, Block, Engine, State
from graphwell.solve.balance import class_counts
from graphwell.solve.descent import descend
from graphwell.solve.guard import accepts, balance_for, support
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, Status
from graphwell.solve.run import Run
from graphwell.solve.schedule import Annealed, Schedule
from graphwell.solve.start import STARTS, Start

FIRST_EPSILON, LAST_EPSILON = 2.0, 0.3
LARGEST_STEP = 0.4
STABLE_SHARE = 0.8
POWER_ITERATIONS = 20
PAPER_SCHEDULE = Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
PAPER_STEP = 0.01


@dataclass(frozen=True)
class Recipe:
    """The settings of a descent.

    Attributes
    ----------
    start : str
        A name in `graphwell.solve.start.STARTS`.
    sharpness : float
        Power that the affinities are raised to.
    time : float
        Time of the descent at each epsilon; 0 keeps the start.
    n_neighbors : int, optional
        Neighbours of the graph where they differ from the graph that is given.
    step_size : float, optional
        Time step; as large as is stable by default.
    schedule : Schedule, optional
        Of the paper's descent, which is followed in place of graphwell's own.
    """

    start: str = "auto"
    sharpness: float = 2.0
    time: float = 8.0
    n_neighbors: int | None = None
    step_size: float | None = None
    schedule: Schedule | None = None

    def __str__(self) -> str:
        neighbors = "" if self.n_neighbors is None else f", {self.n_neighbors} neighbours"
        descent = f"time {self.time:g} per epsilon" if self.time else "no descent"
        return f"{self.start} start, sharpness {self.sharpness:g}, {descent}{neighbors}"


def paper_recipe(start: str, schedule: Schedule | None = None, step_size: float | None = None) -> Recipe:
    """The paper's descent: plain weights, explicit steps under a schedule, no guard.

    Examples
    --------
    >>> paper_recipe("random").step_size
    0.01
    """
    return Recipe(
        start,
        sharpness=1.0,
        step_size=PAPER_STEP if step_size is None else step_size,
        schedule=PAPER_SCHEDULE if schedule is None else schedule,
    )


@dataclass(frozen=True)
class Setting:
    """A problem on the graph of a recipe, with its engine and its start: what descents can share."""

    problem: Problem
    engine: Engine
    start: Start
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a recipe came to: the result, and how strongly each class is present at each vertex."""

    result: Result
    scores: Block


def set_out(problem: Problem, recipe: Recipe, backend: Backend, rng: np.random.Generator) -> Setting:
    """Build the engine and the start of a recipe."""
    began = time.perf_counter()
    graph = problem.graph.sharpened(recipe.sharpness)
    problem = replace(problem, graph=graph, implicit=recipe.schedule is None)
    engine = backend.engine(graph)
    start = STARTS[recipe.start].find(problem, engine, rng)
    return Setting(problem, engine, start, time.perf_counter() - began)


def follow(setting: Setting, recipe: Recipe, run: Run | None = None) -> Outcome:
    """Descend as the recipe says, and go back to the start if the result is not accepted."""
    run = Run() if run is None else run
    problem, engine, start = setting.problem, setting.engine, setting.start
    if recipe.schedule is not None:
        return _by_schedule(setting, recipe.schedule, recipe.step_size or PAPER_STEP, run)
    if recipe.time == 0:
        return _kept(setting, Status.START_KEPT)
    start_sizes = class_counts(engine, start.state.labels, problem.n_classes)
    problem = replace(problem, balance=balance_for(problem, start_sizes))
    step = stable_step(engine) if recipe.step_size is None else recipe.step_size
    schedule = schedule_of(recipe, step)
    callback, reached = run.saved(setting.problem, schedule, engine.to_host)
    result = descend(engine, problem, start.state, schedule, step, callback, reached)
    final = State(result.labels, result.offsets)
    checked = start.scores is not None and result.status is not Status.STOPPED
    if checked and not accepts(problem, engine, final, start_sizes):
        return _kept(setting, Status.HELD_BACK, result)
    return Outcome(_with_start(result, start), support(problem, engine, final))


def schedule_of(recipe: Recipe, step_size: float) -> Annealed:
    """Epsilons of the descent, each with as many sweeps as fill the recipe's time.

    Examples
    --------
    >>> schedule_of(Recipe(time=2.0), step_size=0.2)
    Annealed(start=2.0, stop=0.3, ratio=0.9, sweeps=10)
    """
    return Annealed(FIRST_EPSILON, LAST_EPSILON, ratio=0.9, sweeps=max(1, round(recipe.time / step_size)))


def stable_step(engine: Engine) -> float:
    """Largest step that is stable and accurate at every epsilon, at most 0.4.

    Steps below ``2 / (eps m + 1 / eps)`` are stable, with `m` the largest eigenvalue of the Laplacian of
    ``S``, found by power iteration.
    """
    largest = engine.largest_eigenvalue(POWER_ITERATIONS)
    limits = (2 / (epsilon * largest + 1 / epsilon) for epsilon in (FIRST_EPSILON, LAST_EPSILON))
    return min(LARGEST_STEP, STABLE_SHARE * min(limits))


def one_class(problem: Problem, backend: Backend) -> tuple[Engine, Outcome]:
    """The outcome where all labels are of one class."""
    engine = backend.engine(problem.graph)
    labels = engine.asarray(np.zeros(problem.graph.n_vertices, dtype=np.int32))
    offsets = labels.astype(float)
    scores = engine.indicator(labels, offsets + 1.0, 1)
    return engine, Outcome(Result(labels, offsets, Status.ONE_CLASS), scores)


def _by_schedule(setting: Setting, schedule: Schedule, step_size: float, run: Run) -> Outcome:
    problem, engine = setting.problem, setting.engine
    callback, reached = run.saved(problem, schedule, engine.to_host)
    result = descend(engine, problem, setting.start.state, schedule, step_size, callback, reached)
    return Outcome(result, support(problem, engine, State(result.labels, result.offsets)))


def _kept(setting: Setting, status: Status, tried: Result | None = None) -> Outcome:
    """The start as the outcome."""
    start, state = setting.start, setting.start.state
    tried = tried or Result(state.labels, state.offsets, status)
    result = replace(tried, labels=state.labels, offsets=state.offsets, status=status)
    if start.scores is None:
        return Outcome(result, support(setting.problem, setting.engine, state))
    return Outcome(_with_start(result, start), start.scores.values)


def _with_start(result: Result, start: Start) -> Result:
    if start.scores is None:
        return result
    return replace(result, solver_iterations=start.scores.iterations, solver_residual=start.scores.residual)
