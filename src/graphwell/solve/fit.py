"""A fit from a problem to labels and scores, on any backend: start, coarse level, descent, selection.

Two recipes. The paper's: plain affinities, a start and explicit steps under a schedule (Algorithm 1). And
graphwell's own, which needs few labels:

1. square the affinities, so that near neighbours count more;
2. start from the scores of label propagation (`start`);
3. from few labels, solve the problem on graphs of communities first (`coarse`);
4. descend from there in large steps, under a pressure on the class sizes (`descent`, `sizes`);
5. keep the result unless the given labels contradict it (`select`).

``docs/few-labels.md`` tells of each step, ``docs/decisions.md`` how the constants were chosen.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from graphwell.backends.base import Backend, Block, Engine, PlacedGraph, State
from graphwell.errors import OptionError
from graphwell.progress import CancelledError, Progress, in_pieces, listening, silent
from graphwell.solve.coarse import solve_coarse
from graphwell.solve.communities import communities_in_background
from graphwell.solve.descent import (
    Callback,
    Result,
    Status,
    Step,
    descend,
)
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import FIRST_EPSILON, LAST_EPSILON, RATIO, Annealed, Schedule, stable_step
from graphwell.solve.select import (
    LABELS_PER_CLASS_ENOUGH,
    Prepared,
    communities_start,
    contradictions,
    select,
    support,
)
from graphwell.solve.sizes import balance_for, class_counts, holding_balance, likeliest, settled_sizes
from graphwell.solve.start import STARTS, Start, from_labels

# The paper's annealed schedule for the three moons, and its time step.
PAPER_SCHEDULE, PAPER_STEP = Annealed(2.0, 0.1, ratio=0.9, sweeps=40), 0.01
# Sweeps at each epsilon, at most: a star of 10^6 leaves would ask for 10,000. Above the stability limit only
# hubs oscillate: their offsets wrap around, and they take the class of most neighbours. On three graphs of
# 1,500 vertices with hubs of 350 to 450 edges, at 5 and 20 labels per class, 6.2 % were wrong in the mean
# with as many sweeps as the stable step needs (some 105), 6.0 % with 50 and 5.8 % with 20.
MOST_SWEEPS = 50
# Minimum graph size for early stopping, which is after two steps without a change of class. On smaller
# graphs late changes mattered: every rule that was tried lost 0.1 points or more somewhere.
EARLY_STOPPING_MIN_VERTICES = 100_000
# No coarse level at or above this many labels per class,
LABELS_PER_CLASS_PLENTY = 100
# nor at this many labelled classes, unless their sizes are to be estimated: its work grows with their
# square, and it helps little. On 12 sets of 500 to 1,000 Gaussian classes of 2 to 20 rows, 1 to 3 labels
# each, 59.8 % were wrong with it and 59.3 % without it.
CLASSES_PLENTY = 500


@dataclass(frozen=True)
class Recipe:
    """The settings of a fit."""

    start: str = "auto"  # a name in `graphwell.solve.start.STARTS`
    sharpness: float = 2.0  # power of the affinities; squares were better in 18 of 21 comparisons
    time: float = 8.0  # pseudo-time (step times sweeps) at each epsilon; 0 keeps the start
    step_size: float | None = None  # as large as is stable by default
    schedule: Schedule | None = None  # of the paper's descent, which is followed in place of graphwell's own
    coarse: bool = True  # solve on graphs of communities first, if the start has scores and labels are few
    candidate: Status | None = None  # fixed by cross-validation; None: `select` decides


def paper_recipe(start: str, schedule: Schedule | None = None, step_size: float | None = None) -> Recipe:
    """The paper's descent: plain weights, explicit steps under a schedule; its result is always kept."""
    step = PAPER_STEP if step_size is None else step_size
    return Recipe(start, 1.0, step_size=step, schedule=PAPER_SCHEDULE if schedule is None else schedule)


@dataclass(frozen=True)
class Run:
    """How one run is watched and ended."""

    callback: Callback | None = None  # called after each step of the descent; a true answer ends it there
    progress: Progress = silent  # told the stage and the share of it that is done
    cancel: Any = None  # a `threading.Event`: once set, the run ends in a second, but for compilation

    def __post_init__(self) -> None:
        for name in ("callback", "progress"):
            value = getattr(self, name)
            if not callable(value) and not (name == "callback" and value is None):
                raise OptionError(name, "{field} must be a function, got {!r}.", value)
        if self.cancel is not None and not hasattr(self.cancel, "is_set"):
            raise OptionError("cancel", "{field} must be a flag with is_set, got {!r}.", self.cancel)

    def report(self, stage: str, share: float | None) -> None:
        """Report how far a stage is."""
        self.check()
        self.progress(stage, share)

    def check(self) -> None:
        """End a run that was cancelled."""
        if self.cancel is not None and self.cancel.is_set():
            raise CancelledError("The run was cancelled.")

    @contextmanager
    def stage(self, name: str, work: tuple[float, ...] = (1.0,)) -> Iterator[None]:
        """Report the work of the block as one stage."""
        self.report(name, None)
        with listening(in_pieces(self.report, name, work)):
            yield

    def each_step(self, step: Step) -> object:
        """Report a step of the descent; a true answer ends it there."""
        self.report("descent", step.number / step.of)
        return None if self.callback is None else self.callback(step)


class EngineCache:
    """The engine of the graph that was fitted last."""

    entry: tuple[PlacedGraph, Any, tuple[PlacedGraph, Engine]] | None = None

    @contextmanager
    def open(self) -> Iterator[None]:
        """Let the fits inside the block take this engine, and leave theirs."""
        token = _cache.set(self)
        try:
            yield
        finally:
            _cache.reset(token)


_cache: ContextVar[EngineCache | None] = ContextVar("engine cache", default=None)


def engine_of(backend: Backend, graph: PlacedGraph, sharpness: float) -> tuple[PlacedGraph, Engine]:
    """A graph with every affinity raised to a power, and its engine; from the cache that is open, if any."""
    cache, key = _cache.get(), (backend.name, getattr(backend, "n_jobs", None), sharpness)
    if cache is not None and cache.entry is not None:
        cached_graph, cached_key, cached = cache.entry
        if cached_graph is graph and cached_key == key:
            return cached
        cache.entry = None  # its memory is needed for the next one
    sharpened = graph.sharpened(sharpness)
    found = sharpened, backend.engine(sharpened)
    if cache is not None:
        cache.entry = graph, key, found
    return found


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
    """Fit a problem on a graph that lies where the backend computes; `rng` is for the start.

    Without a run the progress of the fit counts towards the caller's stage.
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
    solved = prepared.start.scores
    if solved is not None:
        result = replace(result, solver_iterations=solved.iterations, solver_residual=solved.residual)
    return Fitted(problem, prepared.engine, result, scores, {"start": seconds, "descent": result.seconds})


def prepare(backend: Backend, problem: Problem, recipe: Recipe, rng: np.random.Generator) -> Prepared:
    """Find the start of a recipe, and from few labels the solution on the coarse level."""
    graph, engine = engine_of(backend, problem.graph, recipe.sharpness)  # step 1
    labels = engine.asarray(problem.labels)
    problem = replace(problem, graph=graph, labels=labels, implicit=recipe.schedule is None)
    start, given = STARTS[recipe.start], engine.to_host(problem.labels)
    counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
    n_labelled = int((counts > 0).sum())
    per_class = int(counts.sum()) / max(1, n_labelled)
    # With size bounds the sizes are to be estimated, however many labels there are.
    replace_start = per_class < LABELS_PER_CLASS_ENOUGH or problem.size_bounds is not None
    second_descent = per_class < LABELS_PER_CLASS_PLENTY and recipe.candidate is None and recipe.time > 0
    use_coarse = replace_start or second_descent
    use_coarse = use_coarse and (n_labelled < CLASSES_PLENTY or problem.size_bounds is not None)
    if not (recipe.coarse and recipe.schedule is None and start.scored and use_coarse):
        return Prepared(problem, engine, start.find(problem, engine, rng))
    # On the CPU, communities and propagation compete for threads.
    with nullcontext() if engine.xp is np else communities_in_background(given, engine):
        found = start.find(problem, engine, rng)  # step 2
    assert found.scores is not None
    coarse = solve_coarse(problem, engine, found.scores.values)  # step 3
    if problem.size_bounds is not None:
        sizes = settled_sizes(counts, coarse.class_shares, problem.size_bounds)
        if sizes is not None:
            problem = replace(problem, class_shares=sizes)
            coarse = solve_coarse(problem, engine, found.scores.values)
    if not replace_start:
        initial = from_labels(problem, engine, coarse.labels, rng)
        return Prepared(problem, engine, found, second=Prepared(problem, engine, found, coarse, initial))
    best = engine.asarray(likeliest(engine, coarse.scores, given, problem.class_shares))
    state, initial = (from_labels(problem, engine, classes, rng) for classes in (best, coarse.labels))
    scores = replace(found.scores, values=coarse.scores)
    return Prepared(problem, engine, Start(state, scores), coarse, initial)


def _descended(prepared: Prepared, recipe: Recipe, run: Run) -> tuple[Result, Block]:
    """Steps 4 and 5: the result that is kept, and its scores."""
    problem, engine, start, coarse = prepared.problem, prepared.engine, prepared.start, prepared.coarse
    if recipe.schedule is not None:  # the paper's
        step = PAPER_STEP if recipe.step_size is None else recipe.step_size
        result = descend(engine, problem, start.state, recipe.schedule, step, run.each_step)
        return result, support(problem, engine, State(result.labels, result.offsets))
    if recipe.time == 0:
        return _result_of_start(prepared, start, Status.START_KEPT)
    if recipe.candidate in (Status.HELD_BACK, Status.START_KEPT, Status.COMMUNITIES_KEPT):
        if recipe.candidate is Status.COMMUNITIES_KEPT and coarse is not None:
            start = communities_start(prepared)
        return _result_of_start(prepared, start, recipe.candidate)
    result, balanced = _descent(prepared, recipe, run)  # step 4
    if prepared.second is not None and result.status is not Status.STOPPED:
        prepared, result, balanced = _better_descent(prepared, result, balanced, recipe)
    final = State(result.labels, result.offsets)
    if start.scores is None:
        return result, support(balanced, engine, final)
    if recipe.candidate is None and result.status is not Status.STOPPED:
        status = select(prepared, final)  # step 5
        result = replace(result, coarse=prepared.coarse is not None)
        if status is not None:
            candidate = communities_start(prepared) if status is Status.COMMUNITIES_KEPT else start
            return _result_of_start(prepared, candidate, status, result)
    # Presence after the descent, averaged with the scores of the start. The descent makes nearly every vertex
    # sure of its class; which ones are uncertain, the start knows better: the area under the risk-coverage
    # curve was 2 to 9 times smaller so. Averaging flattens the scores; squaring sharpens them.
    present = engine.shares(support(balanced, engine, final))
    scores = engine.shares(present + engine.shares(start.scores.values), power=2.0)
    return result, scores


def _better_descent(
    prepared: Prepared, result: Result, balanced: Problem, recipe: Recipe
) -> tuple[Prepared, Result, Problem]:
    """Choose between the descents from the start and from the coarse solution.

    A class may be several clusters with few labels each. The second descent is tried where `select` rejects
    the first, or where the coarse solution has a smaller cut than the start. The one that `select` accepts
    wins, then the one with fewer overruled labels, then the one with the smaller cut.
    """
    # % wrong on label sets that nothing was chosen on, 20 / 50 labels per class: MNIST's digits modulo 3
    # 10.5 -> 8.6 / 7.9 -> 2.2; 20: usps_2class 21.8 -> 20.6, satimage 15.1 -> 15.4. More: docs/benchmarks.md.
    second, final = prepared.second, State(result.labels, result.offsets)
    assert second is not None
    assert second.initial is not None
    rejected = select(prepared, final) is not None
    (_, cut), (_, coarse_cut) = contradictions(prepared, prepared.start.state.labels, second.initial.labels)
    if not rejected and coarse_cut >= cut:
        return prepared, result, balanced
    found, its_balanced = _descent(second, recipe, Run())
    its_final = State(found.labels, found.offsets)
    conflicts_start, conflicts_coarse = contradictions(prepared, final.labels, its_final.labels)
    if (select(second, its_final) is not None, conflicts_coarse) < (rejected, conflicts_start):
        return second, found, its_balanced
    return prepared, result, balanced


def _descent(prepared: Prepared, recipe: Recipe, run: Run) -> tuple[Result, Problem]:
    """The result of a descent, and the problem with the pressure on sizes that it was under."""
    problem, engine, start, coarse = prepared.problem, prepared.engine, prepared.start, prepared.coarse
    if coarse is None:
        balance = balance_for(problem, class_counts(engine, start.state.labels, problem.n_classes))
    else:
        balance = holding_balance(problem, engine, coarse.labels, coarse.balanced)
    if recipe.step_size is None:
        step = max(stable_step(engine), recipe.time / MOST_SWEEPS)
    else:
        step = recipe.step_size
    sweeps = max(1, round(recipe.time / step))  # what counts is time, not sweeps
    schedule = Annealed(FIRST_EPSILON, LAST_EPSILON, RATIO, sweeps)
    balanced, initial = replace(problem, balance=balance), prepared.initial or start.state
    many = problem.graph.n_vertices >= EARLY_STOPPING_MIN_VERTICES
    result = descend(engine, balanced, initial, schedule, step, run.each_step, may_stop_early=many)
    return result, balanced


def _result_of_start(
    prepared: Prepared, start: Start, status: Status, tried: Result | None = None
) -> tuple[Result, Block]:
    """A start as the result of a fit, with the figures of the descent that was tried."""
    state = start.state
    tried = tried or Result(state.labels, state.offsets, status)
    result = replace(tried, labels=state.labels, offsets=state.offsets, status=status)
    if start.scores is None:
        return result, support(prepared.problem, prepared.engine, state)
    return result, start.scores.values
