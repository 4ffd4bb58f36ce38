"""Candidates and their judge: the start, the communities, the coarse solution, and the descent from it."""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._once import once
from graphwell.backends.base import Block, Engine, State
from graphwell.solve.balance import class_counts, likeliest
from graphwell.solve.candidates import measured_candidates
from graphwell.solve.guard import accepts, not_contradicted, several_clusters, swallowed
from graphwell.solve.multilevel import Overview, overview
from graphwell.solve.parts import claimed_shares
from graphwell.solve.problem import Problem
from graphwell.solve.result import Candidate, Status
from graphwell.solve.sizes import refuted, settled_sizes
from graphwell.solve.start import Start, from_labels


@dataclass(frozen=True)
class Setting:
    """A problem on the graph of a recipe, with its engine and its start: what descents can share.

    Where the graph of communities was looked at, `above` is what it said, and `first` the state that the
    descent begins at.
    """

    problem: Problem
    engine: Engine
    start: Start
    seconds: float = 0.0
    above: Overview | None = None
    first: State | None = None

    @once
    def several(self) -> Block:
        """Shares of the classes if they may consist of several clusters."""
        assert self.above is not None
        claimed = claimed_shares(self.problem, self.engine)
        return self.above.shares if claimed is None else self.engine.spread(*claimed)


def seen_from_above(setting: Setting, rng: np.random.Generator) -> Setting:
    """Add what the graph of communities says to the scores of the start, and begin the descent there."""
    problem, engine, scores = setting.problem, setting.engine, setting.start.scores
    assert scores is not None
    given = engine.to_host(problem.labels)
    above = overview(problem, engine, scores.values)
    if problem.size_bounds is not None:
        counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
        sizes = settled_sizes(counts, above.class_shares, problem.size_bounds)
        if sizes is not None:
            problem = replace(problem, class_shares=sizes)
            above = overview(problem, engine, scores.values)
    best = engine.asarray(likeliest(engine, above.scores, given, problem.class_shares))
    labels = engine.xp.where(problem.reachable, best, -1)
    start = Start(from_labels(problem, engine, labels, rng), replace(scores, values=above.scores))
    coarse = engine.xp.where(problem.reachable, above.labels, -1)
    first = from_labels(problem, engine, coarse, rng)
    return replace(setting, problem=problem, start=start, above=above, first=first)


def verdict(setting: Setting, final: State) -> Status | None:
    """Why the result of a descent is not accepted; None if it is."""
    problem, engine, above = setting.problem, setting.engine, setting.above
    start_sizes = class_counts(engine, setting.start.state.labels, problem.n_classes)
    if above is None:
        return None if accepts(problem, engine, final, start_sizes) else Status.HELD_BACK
    sizes = class_counts(engine, final.labels, problem.n_classes)
    if problem.class_shares is None and several_clusters(problem, sizes, start_sizes):
        given = np.asarray(engine.to_host(problem.labels))
        alone = np.bincount(likeliest(engine, setting.several, given), minlength=problem.n_classes)
        counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
        if not all(refuted(each / each.sum(), counts) for each in (start_sizes, alone)):
            took_all = swallowed(alone, start_sizes)
            return Status.HELD_BACK if took_all else Status.COMMUNITIES_KEPT
    kept = not swallowed(sizes, start_sizes) and not_contradicted(problem, engine, final)
    return None if kept else Status.HELD_BACK


def communities_start(setting: Setting) -> Start:
    """What the graph of communities says by itself, as a start."""
    problem, engine, begin = setting.problem, setting.engine, setting.start
    assert begin.scores is not None
    found = engine.asarray(likeliest(engine, setting.several, engine.to_host(problem.labels)))
    labels = engine.xp.where(problem.reachable, found, begin.state.labels).astype(np.int32)
    return Start(State(labels, begin.state.offsets), replace(begin.scores, values=setting.several))


def all_candidates(setting: Setting, final: State, status: Status | None) -> tuple[Candidate, ...]:
    """The labellings that were compared, measured, and which of them the verdict chose."""
    problem, engine, above = setting.problem, setting.engine, setting.above
    if above is None:
        return ()
    given, host = engine.to_host(problem.labels), engine.to_host
    alone = setting.several if status is Status.COMMUNITIES_KEPT else above.shares
    tried = {
        "start": host(setting.start.state.labels),
        "communities": likeliest(engine, alone, given),
        "coarse": host(above.labels),
        "descent": host(final.labels),
    }
    chosen = {Status.HELD_BACK: "start", Status.COMMUNITIES_KEPT: "communities", None: "descent"}[status]
    return measured_candidates(problem, engine, tried, above.pressure, chosen)
