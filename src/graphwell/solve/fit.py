"""A fit from a problem to labels and scores, on any backend: start, coarse level, descent, selection.

Two recipes. The paper's: plain affinities, a start and explicit steps under a schedule (Algorithm 1). And
graphwell's own, which needs few labels:

1. square the affinities, so that near neighbours count more;
2. start from the scores of label propagation (`start`);
3. from few labels, solve the problem on graphs of communities first (`coarse`);
4. descend from there in large steps, under a pressure on the class sizes (`descent`, `sizes`);
5. keep the result unless the given labels contradict it (`select`).

``docs/few-labels.md`` says what each step is worth.
"""

import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np

from graphwell.backends.base import Backend, Block, Engine, State
from graphwell.solve.coarse import solve_coarse
from graphwell.solve.communities import communities_in_background
from graphwell.solve.descent import Result, Status, descend
from graphwell.solve.problem import Problem, engine_of
from graphwell.solve.run import Run
from graphwell.solve.schedule import Annealed, Schedule, schedule_of, stable_step
from graphwell.solve.select import (
    Prepared,
    candidates_of,
    communities_start,
    presence,
    select,
    support,
    votes,
)
from graphwell.solve.sizes import balance_for, class_counts, holding_balance, likeliest, settled_sizes
from graphwell.solve.start import STARTS, Start, from_labels

PAPER_SCHEDULE = Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
PAPER_STEP = 0.01
"""The paper's annealed schedule for the three moons, and its time step."""
STOP_EARLY_FROM = 100_000
"""Vertices from which on two steps without a change of class end the descent. On smaller graphs late changes
mattered: every rule to stop early that was tried lost 0.1 points or more somewhere."""
LABELS_PER_CLASS_ENOUGH = 20
"""From so many labels per class on the coarse level gains nothing: MNIST 2.44 -> 2.50 %."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a fit."""

    start: str = "auto"  # a name in `graphwell.solve.start.STARTS`
    sharpness: float = 2.0  # power of the affinities; squares were better in 18 of 21 comparisons
    time: float = 8.0  # of the descent at each epsilon; 0 keeps the start
    step_size: float | None = None  # as large as is stable by default
    schedule: Schedule | None = None  # of the paper's descent, which is followed in place of graphwell's own
    coarse: bool = True  # solve on graphs of communities first, if the start has scores and labels are few
    keep: Status | None = None  # keep what a run with this status kept: held-out scores must be of that kind


def paper_recipe(start: str, schedule: Schedule | None = None, step_size: float | None = None) -> Recipe:
    """The paper's descent: plain weights, explicit steps under a schedule; its result is always kept."""
    step = PAPER_STEP if step_size is None else step_size
    return Recipe(start, 1.0, step_size=step, schedule=PAPER_SCHEDULE if schedule is None else schedule)


@dataclass(frozen=True)
class Fitted:
    """The result of a fit: a value, whatever backend it ran on."""

    problem: Problem  # on the graph as it was given, not sharpened
    engine: Engine  # whose blocks `scores` belongs to
    result: Result  # its labels and offsets lie where the backend computes
    scores: Block  # how strongly each class is present at each vertex
    seconds: dict[str, float] = field(default_factory=dict)  # of each stage


def fit(
    backend: Backend,
    problem: Problem,
    recipe: Recipe,
    run: Run | None = None,
    rng: np.random.Generator | None = None,
) -> Fitted:
    """Fit a problem.

    Parameters
    ----------
    backend : Backend
    problem : Problem
        On a graph that lies where the backend computes.
    recipe : Recipe
    run : Run, optional
        Told the stages; without one the fit is a piece of somebody else's stage.
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
        engine = backend.engine(problem.graph)
        labels = engine.asarray(np.zeros(problem.graph.n_vertices, dtype=np.int32))
        offsets = labels.astype(float)
        result = Result(labels, offsets, Status.ONE_CLASS)
        return Fitted(problem, engine, result, engine.indicator(labels, offsets + 1.0, 1))
    began = time.perf_counter()
    with nullcontext() if run is None else run.stage("start", STARTS[recipe.start].work):
        prepared = prepare(backend, problem, recipe, rng or np.random.default_rng())
    seconds = time.perf_counter() - began
    with nullcontext() if run is None else run.stage("descent"):
        result, scores = _descended(prepared, recipe, run or Run())
    return Fitted(problem, prepared.engine, result, scores, {"start": seconds, "descent": result.seconds})


def prepare(backend: Backend, problem: Problem, recipe: Recipe, rng: np.random.Generator) -> Prepared:
    """Find the start of a recipe, and from few labels the solution on the coarse level."""
    graph, engine = engine_of(backend, problem.graph, recipe.sharpness)  # step 1
    labels = engine.asarray(problem.labels)
    problem = replace(problem, graph=graph, labels=labels, implicit=recipe.schedule is None)
    start, given = STARTS[recipe.start], engine.to_host(problem.labels)
    counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
    few = int(counts.sum()) < LABELS_PER_CLASS_ENOUGH * int((counts > 0).sum())
    helped = few or problem.size_bounds is not None  # sizes are to be estimated
    if not (recipe.coarse and recipe.schedule is None and start.scored and helped):
        return Prepared(problem, engine, start.find(problem, engine, rng))
    with communities_in_background(given, engine):
        found = start.find(problem, engine, rng)  # step 2
    assert found.scores is not None
    coarse = solve_coarse(problem, engine, found.scores.values)  # step 3
    if problem.size_bounds is not None:
        sizes = settled_sizes(counts, coarse.class_shares, problem.size_bounds)
        if sizes is not None:
            problem = replace(problem, class_shares=sizes)
            coarse = solve_coarse(problem, engine, found.scores.values)
    best = engine.asarray(likeliest(engine, coarse.scores, given, problem.class_shares))
    state, begin = (
        from_labels(problem, engine, engine.xp.where(problem.reachable, classes, -1), rng)
        for classes in (best, coarse.labels)
    )
    scores = replace(found.scores, values=coarse.scores)
    return Prepared(problem, engine, Start(state, scores), coarse, begin)


def _descended(prepared: Prepared, recipe: Recipe, run: Run) -> tuple[Result, Block]:
    """Steps 4 and 5: the result that is kept, and its scores."""
    problem, engine, start, coarse = prepared.problem, prepared.engine, prepared.start, prepared.coarse
    if recipe.schedule is not None:  # the paper's
        callback, reached = run.saved(problem, recipe.schedule, engine.to_host)
        step = PAPER_STEP if recipe.step_size is None else recipe.step_size
        result = descend(engine, problem, start.state, recipe.schedule, step, callback, reached)
        return result, support(problem, engine, State(result.labels, result.offsets))
    if recipe.time == 0:
        return _kept(prepared, start, Status.START_KEPT)
    if recipe.keep in (Status.HELD_BACK, Status.START_KEPT, Status.COMMUNITIES_KEPT):
        communities = recipe.keep is Status.COMMUNITIES_KEPT and coarse is not None
        return _kept(prepared, communities_start(prepared) if communities else start, recipe.keep)
    if coarse is None:
        balance = balance_for(problem, class_counts(engine, start.state.labels, problem.n_classes))
    else:
        balance = holding_balance(problem, engine, coarse.labels, coarse.even)
    step = stable_step(engine) if recipe.step_size is None else recipe.step_size
    schedule = schedule_of(recipe.time, step)
    callback, reached = run.saved(problem, schedule, engine.to_host)
    balanced, begin = replace(problem, balance=balance), prepared.begin or start.state
    many = problem.graph.n_vertices >= STOP_EARLY_FROM
    result = descend(
        engine, balanced, begin, schedule, step, callback, reached, may_stop_early=many
    )  # step 4
    final = State(result.labels, result.offsets)
    if start.scores is None:
        return result, support(balanced, engine, final)
    if recipe.keep is None and result.status is not Status.STOPPED:
        status = select(prepared, final)  # step 5
        result = replace(result, candidates=candidates_of(prepared, final, status))
        if status is not None:
            kept = communities_start(prepared) if status is Status.COMMUNITIES_KEPT else start
            return _kept(prepared, kept, status, result)
    # Presence after the descent, averaged with the scores of the start. The descent makes nearly every vertex
    # sure of its class; which ones are uncertain, the start knows better: the area under the risk-coverage
    # curve was 2 to 9 times smaller so. The square makes up for the mean.
    around = votes(balanced, engine, final)
    engine.release()  # of a million rows, what only sweeps and products need takes a quarter of the memory
    present = engine.shares(engine.added(around, presence(balanced, engine, final)))
    del around
    scores = engine.shares(engine.added(present, engine.shares(start.scores.values)), power=2.0)
    return _with_solver(result, start), scores


def _kept(
    prepared: Prepared, start: Start, status: Status, tried: Result | None = None
) -> tuple[Result, Block]:
    """A start as the result of a fit, with the figures of the descent that was tried."""
    state = start.state
    tried = tried or Result(state.labels, state.offsets, status)
    result = replace(tried, labels=state.labels, offsets=state.offsets, status=status)
    if start.scores is None:
        return result, support(prepared.problem, prepared.engine, state)
    return _with_solver(result, start), start.scores.values


def _with_solver(result: Result, start: Start) -> Result:
    """A result that says what the linear systems of its start took."""
    if start.scores is None:
        return result
    return replace(result, solver_iterations=start.scores.iterations, solver_residual=start.scores.residual)
