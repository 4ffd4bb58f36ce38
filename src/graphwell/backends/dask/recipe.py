"""The descent on a cluster: the paper's and graphwell's own, as `graphwell.solve.recipe` has them."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import State
from graphwell.backends.dask.block import Block
from graphwell.backends.dask.engine import ClusterEngine
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.harmonic import exported, placed
from graphwell.backends.dask.start import STARTS, ClusterStart
from graphwell.backends.dask.tasks import Handle
from graphwell.solve.balance import evenness
from graphwell.solve.descent import Callback, Reached, descend
from graphwell.solve.guard import EVENNESS_KEPT, balance_for, borne_out
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import LARGEST_STEP, POWER_ITERATIONS, Recipe, schedule_of, step_for
from graphwell.solve.result import Result, Status


@dataclass(frozen=True)
class ClusterOutcome:
    """What a descent came to: the result, and the scores of each block on its worker."""

    result: Result
    scores: list[Handle]


@dataclass(frozen=True)
class ClusterPrepared:
    """A problem on the sharpened graph, with its engine and its start."""

    problem: Problem
    engine: ClusterEngine
    start: ClusterStart
    seconds: float


def prepare(
    problem: Problem, graph: ClusterGraph, recipe: Recipe, rng: np.random.Generator
) -> ClusterPrepared:
    """Build the engine and the start of a recipe."""
    began = time.perf_counter()
    graph = graph.sharpened(recipe.sharpness)
    problem = replace(problem, graph=as_graph(graph), implicit=True)
    graph.tasks.wait(graph.blocks)
    start = STARTS[recipe.start](problem, graph, rng)
    return ClusterPrepared(problem, ClusterEngine(graph), start, time.perf_counter() - began)


def follow(
    prepared: ClusterPrepared,
    recipe: Recipe,
    step_size: float,
    callback: Callback | None = None,
    reached: Reached | None = None,
) -> ClusterOutcome:
    """Descend as the recipe says, and go back to the start if the result does not stand."""
    start, engine = prepared.start, prepared.engine
    problem = replace(prepared.problem, balance=balance_for(prepared.problem, start.state.labels))
    schedule = schedule_of(recipe, step_size)
    result = descend(engine, problem, start.state, schedule, step_size, callback, reached)
    final = State(result.labels, result.offsets)
    checked = start.scores is not None and result.status is not Status.STOPPED
    if checked and not _stands(engine, problem, final, start.state.labels):
        return _held_back(engine, problem, start, result)
    return ClusterOutcome(_with_start(result, start), _support(engine, problem, final))


def as_in_the_paper(
    prepared: ClusterPrepared,
    schedule: Any,
    step_size: float,
    callback: Callback | None = None,
    reached: Reached | None = None,
) -> ClusterOutcome:
    """Algorithm 1 with explicit steps under a schedule."""
    problem = replace(prepared.problem, implicit=False)
    result = descend(prepared.engine, problem, prepared.start.state, schedule, step_size, callback, reached)
    final = State(result.labels, result.offsets)
    return ClusterOutcome(result, _support(prepared.engine, problem, final))


def stable_step(graph: ClusterGraph) -> float:
    """Largest step that is stable and accurate at every epsilon; see `graphwell.solve.recipe.stable_step`."""
    tasks, n = graph.tasks, graph.n_blocks
    x = np.random.default_rng(0).random((graph.n_vertices, 1)) - 0.5
    vectors = placed(graph, x)
    for _ in range(POWER_ITERATIONS):
        near = graph.every(exported(graph, vectors))
        images = tasks.each("power-product", _laplacian, graph.blocks, vectors, near)
        norms = tasks.each("power-norm", _squared, images)
        vectors = tasks.each("power-scale", _scaled, images, [norms] * n)
    largest = math.sqrt(sum(tasks.results(norms)))
    return step_for(largest) if largest > 0 else LARGEST_STEP


def _stands(engine: ClusterEngine, problem: Problem, final: State, start_labels: IntArray) -> bool:
    """`graphwell.solve.guard.stands`, with the votes from the workers."""
    first, last = (evenness(labels, problem.n_classes) for labels in (start_labels, final.labels))
    voted = _given_votes(engine, problem, final).argmax(axis=1)
    return last >= EVENNESS_KEPT * first and borne_out(problem, final.labels, voted)


def _given_votes(engine: ClusterEngine, problem: Problem, state: State) -> FloatArray:
    """Votes of the neighbours of the given labels, in the order of the user's rows."""
    graph = engine.graph
    found = graph.tasks.results(engine.presence(problem, state, only_known=True))
    vertices = [part[problem.is_known[part]] for part in graph.vertices]
    return np.concatenate(found)[np.argsort(np.concatenate(vertices), kind="stable")]


def _support(engine: ClusterEngine, problem: Problem, state: State) -> list[Handle]:
    return engine.graph.tasks.keep(engine.presence(problem, state, only_known=False))


def _held_back(engine: ClusterEngine, problem: Problem, start: ClusterStart, tried: Result) -> ClusterOutcome:
    """The start as the outcome."""
    state = start.state
    result = replace(tried, labels=state.labels, offsets=state.offsets, status=Status.HELD_BACK)
    if start.scores is None:
        return ClusterOutcome(result, _support(engine, problem, state))
    tasks, n = engine.graph.tasks, engine.graph.n_blocks
    positive = tasks.keep(tasks.each("scores", np.maximum, start.scores.values, [0.0] * n))
    return ClusterOutcome(_with_start(result, start), positive)


def _with_start(result: Result, start: ClusterStart) -> Result:
    if start.scores is None:
        return result
    return replace(result, solver_iterations=start.scores.iterations, solver_residual=start.scores.residual)


def as_graph(graph: ClusterGraph) -> Any:
    """What a `Problem` and a descent ask of a graph, sizes, degrees and components, a `ClusterGraph` has."""
    return graph


def _laplacian(block: Block, vectors: FloatArray, exports: Sequence[FloatArray]) -> FloatArray:
    return block.rows.row_sums[:, None] * vectors - block.product(vectors, exports)


def _squared(vectors: FloatArray) -> float:
    return float(np.einsum("ij,ij->", vectors, vectors, dtype=np.float64))


def _scaled(vectors: FloatArray, norms: Sequence[float]) -> FloatArray:
    largest = math.sqrt(sum(norms))
    return vectors / np.float32(largest) if largest > 0 else vectors
