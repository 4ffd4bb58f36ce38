"""The descents: graphwell's own, which needs few labels, and the paper's.

graphwell's starts from diffused scores, on sharper weights, takes large steps, and is held back by a guard.
What each part does and where it helps is told in ``docs/few-labels.md``.


One fit, from a problem to labels and scores: a value, whatever backend it ran on.
"""

import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np

from graphwell.backends.base import Backend, Block, Engine, State
from graphwell.solve.descent import descend
from graphwell.solve.multilevel import communities_meanwhile
from graphwell.solve.problem import Balance, Problem, engine_of
from graphwell.solve.result import Result, Status
from graphwell.solve.run import Run
from graphwell.solve.schedule import Annealed, Schedule, schedule_of, stable_step
from graphwell.solve.select import (
    Setting,
    all_candidates,
    balance_for,
    communities_start,
    few_labels,
    holding_balance,
    presence,
    seen_from_above,
    support,
    verdict,
    votes,
)
from graphwell.solve.sizes import class_counts
from graphwell.solve.start import STARTS, Start

PAPER_SCHEDULE = Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
PAPER_STEP = 0.01
QUIET_TELLS_FROM = 100_000
"""Vertices from which on two steps without a change of class are taken to say that none is to come."""


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
    coarse : bool
        Look at the graph of communities first, if the start has scores and the labels are few.
    """

    start: str = "auto"
    sharpness: float = 2.0
    time: float = 8.0
    n_neighbors: int | None = None
    step_size: float | None = None
    schedule: Schedule | None = None
    coarse: bool = True

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
class Outcome:
    """What a recipe came to: the result, and how strongly each class is present at each vertex."""

    result: Result
    scores: Block


def set_out(problem: Problem, recipe: Recipe, backend: Backend, rng: np.random.Generator) -> Setting:
    """Build the engine and the start of a recipe; few labels are looked at on the graph of communities."""
    began = time.perf_counter()
    graph, engine = engine_of(backend, problem.graph, recipe.sharpness)
    labels = engine.asarray(problem.labels)
    problem = replace(problem, graph=graph, labels=labels, implicit=recipe.schedule is None)
    start = STARTS[recipe.start]
    above = recipe.coarse and recipe.schedule is None and start.scored
    above = above and (few_labels(problem, engine) or problem.size_bounds is not None)
    with communities_meanwhile(problem, engine) if above else nullcontext():
        setting = Setting(problem, engine, start.find(problem, engine, rng))
    if above:
        setting = seen_from_above(setting, rng)
    return replace(setting, seconds=time.perf_counter() - began)


def follow(setting: Setting, recipe: Recipe, run: Run | None = None, *, judged: bool = True) -> Outcome:
    """Descend as the recipe says, and go back to the start if the result is judged and not accepted."""
    run = Run() if run is None else run
    problem, engine, start = setting.problem, setting.engine, setting.start
    if recipe.schedule is not None:
        return _by_schedule(setting, recipe.schedule, recipe.step_size or PAPER_STEP, run)
    if recipe.time == 0:
        return _kept(setting, start, Status.START_KEPT)
    problem = replace(problem, balance=_balance(setting))
    step = stable_step(engine) if recipe.step_size is None else recipe.step_size
    schedule = schedule_of(recipe.time, step)
    callback, reached = run.saved(setting.problem, schedule, engine.to_host)
    begin, many = setting.first or start.state, problem.graph.n_vertices >= QUIET_TELLS_FROM
    result = descend(engine, problem, begin, schedule, step, callback, reached, hurries=many)
    final = State(result.labels, result.offsets)
    status = None
    if judged and start.scores is not None and result.status is not Status.STOPPED:
        status = verdict(setting, final)
        result = replace(result, candidates=all_candidates(setting, final, status))
    if status is not None:
        start = communities_start(setting) if status is Status.COMMUNITIES_KEPT else start
        return _kept(setting, start, status, result)
    return Outcome(_with_start(result, start), _combined(problem, engine, final, start))


def scores_as(status: Status, setting: Setting, recipe: Recipe) -> Block:
    """Scores of a setting, found as they were in a run that ended with this status."""
    if status is Status.COMMUNITIES_KEPT and setting.above is not None:
        return _kept(setting, communities_start(setting), status).scores
    if status in (Status.HELD_BACK, Status.START_KEPT, Status.COMMUNITIES_KEPT):
        return _kept(setting, setting.start, status).scores
    return follow(setting, recipe, judged=False).scores


def _balance(setting: Setting) -> Balance | None:
    problem, engine, above = setting.problem, setting.engine, setting.above
    if above is not None:
        return holding_balance(problem, engine, above.labels, above.even)
    return balance_for(problem, class_counts(engine, setting.start.state.labels, problem.n_classes))


def _combined(problem: Problem, engine: Engine, final: State, start: Start) -> Block:
    """Presence of the classes after the descent, averaged with the scores of the start, and squared.

    The descent makes nearly every vertex sure of its class; which ones are doubtful, the start knows better.
    The square makes up for the modesty of the mean.
    """
    if start.scores is None:
        return support(problem, engine, final)
    around = votes(problem, engine, final)
    engine.rest()  # of a million rows, what only sweeps and products need takes a quarter of the memory
    present = engine.shares(engine.added(around, presence(problem, engine, final)))
    del around
    return engine.shares(engine.added(present, engine.shares(start.scores.values)), power=2.0)


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


def _kept(setting: Setting, start: Start, status: Status, tried: Result | None = None) -> Outcome:
    """A start as the outcome."""
    state = start.state
    tried = tried or Result(state.labels, state.offsets, status)
    result = replace(tried, labels=state.labels, offsets=state.offsets, status=status)
    if start.scores is None:
        return Outcome(result, support(setting.problem, setting.engine, state))
    return Outcome(_with_start(result, start), start.scores.values)


def _with_start(result: Result, start: Start) -> Result:
    if start.scores is None:
        return result
    return replace(result, solver_iterations=start.scores.iterations, solver_residual=start.scores.residual)


@dataclass(frozen=True)
class Fitted:
    """What a fit came to.

    Attributes
    ----------
    problem : Problem
        On the graph as it was given, not sharpened.
    engine : Engine
        Whose blocks `scores` belongs to.
    result : Result
        Its labels and offsets lie where the backend computes.
    scores : Block
        How strongly each class is present at each vertex.
    seconds : dict
        Time of each stage.
    """

    problem: Problem
    engine: Engine
    result: Result
    scores: Block
    seconds: dict[str, float] = field(default_factory=dict)


def fit(
    backend: Backend, problem: Problem, recipe: Recipe, run: Run, rng: np.random.Generator | None = None
) -> Fitted:
    """Find a start, descend from it, and let the guard judge.

    Parameters
    ----------
    backend : Backend
    problem : Problem
        On a graph that lies where the backend computes.
    recipe : Recipe
    run : Run
    rng : numpy.random.Generator, optional
        Of the start.

    Examples
    --------
    >>> from graphwell import Graph
    >>> from graphwell.backends.registry import find_backend
    >>> chain = Graph.from_affinity([[0, 1, 0], [1, 0, 0.1], [0, 0.1, 0]])
    >>> problem = Problem(chain, np.array([0, -1, 1]), n_classes=2)
    >>> fit(find_backend("cpu"), problem, Recipe(), Run(), np.random.default_rng(0)).result.labels
    array([0, 0, 1], dtype=int32)
    """
    if problem.n_classes == 1:
        engine, outcome = one_class(problem, backend)
        return Fitted(problem, engine, outcome.result, outcome.scores)
    with run.stage("start", STARTS[recipe.start].work):
        setting = set_out(problem, recipe, backend, rng or np.random.default_rng())
    with run.stage("descent"):
        outcome = follow(setting, recipe, run)
    seconds = {"start": setting.seconds, "descent": outcome.result.seconds}
    return Fitted(problem, setting.engine, outcome.result, outcome.scores, seconds)
