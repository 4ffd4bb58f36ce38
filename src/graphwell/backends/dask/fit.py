"""`DiffuseInterfaceClassifier.fit` on a Dask array: the same method, block by block on the workers."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._random import stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.dask.graph import ClusterGraph
from graphwell.backends.dask.inputs import Input, read_input
from graphwell.backends.dask.recipe import (
    ClusterOutcome,
    as_graph,
    as_in_the_paper,
    follow,
    prepare,
    stable_step,
)
from graphwell.backends.dask.search import build_graph
from graphwell.backends.dask.tasks import Handle, Tasks, array_of, connected_client
from graphwell.estimators.base import distributions
from graphwell.estimators.labels import read_labels
from graphwell.graph.graph import at_most, positive
from graphwell.progress import in_pieces, listening
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe, schedule_of
from graphwell.solve.result import Result, Status
from graphwell.solve.start import SYSTEMS

if TYPE_CHECKING:
    from graphwell.estimators.diffuse import DiffuseInterfaceClassifier


@dataclass(frozen=True)
class Answers:
    """What the fit found, on the workers: by partition for new rows, by block of the input for the user."""

    by_partition: list[Handle]
    labels: Any
    distributions: Any
    reachable: Any


def fit_on_cluster(classifier: "DiffuseInterfaceClassifier", X: Any, y: Any) -> None:
    """Fit a classifier on a Dask array; sets what `fit` sets."""
    _check_choices(classifier)
    tasks = Tasks(connected_client())
    began = time.perf_counter()
    source = read_input(tasks, X, classifier.metric)
    labels = read_labels(y.compute() if hasattr(y, "compute") else y, source.n)
    n_neighbors = at_most(source.n - 1, positive(classifier.n_neighbors, "n_neighbors"), "n_neighbors")
    scale_neighbor = min(positive(classifier.scale_neighbor, "scale_neighbor"), source.n - 1)
    graph = build_graph(tasks, source, n_neighbors, scale_neighbor, progress=classifier._progress)
    classifier.n_features_in_, classifier.classes_ = source.n_features, labels.classes
    classifier.graph_ = as_graph(graph)
    problem = classifier._problem(classifier.graph_, labels.codes)
    classifier.class_prior_ = classifier._prior(problem)
    classifier.reachable_ = problem.reachable
    classifier.timings_ = {"graph": time.perf_counter() - began}
    outcome = _solve(classifier, problem, graph)
    classifier.result_, classifier.n_iter_ = outcome.result, outcome.result.n_sweeps
    classifier._warn_of_unreachable(problem)
    answers = _answers(source, X.chunks[0], graph, problem, outcome, classifier)
    classifier.transduction_, classifier.label_distributions_ = answers.labels, answers.distributions
    classifier.reachable_, classifier._answers = answers.reachable, answers.by_partition


def _check_choices(classifier: "DiffuseInterfaceClassifier") -> None:
    if classifier.tune is True:
        raise ValueError("tune=True is not available for a Dask array; tune on a sample of the rows instead.")
    if classifier.device != "cpu":
        raise ValueError(f"device must be cpu for a Dask array, got {classifier.device!r}.")


def _solve(classifier: "DiffuseInterfaceClassifier", problem: Problem, graph: ClusterGraph) -> ClusterOutcome:
    if problem.n_classes == 1:
        zeros = np.zeros(graph.n_vertices, dtype=np.int32)
        ones = [np.ones((len(part), 1)) for part in graph.vertices]
        scores = graph.tasks.keep(graph.tasks.each("scores", np.asarray, ones))
        return ClusterOutcome(Result(zeros, zeros.astype(float), Status.ONE_CLASS), scores)
    in_the_paper = classifier.schedule is not None or classifier.start == "random"
    recipe = Recipe(classifier.start, sharpness=1.0 if in_the_paper else 2.0)
    classifier._progress("start", None)
    rng = stream(classifier.random_state, "start")
    with listening(in_pieces(classifier._progress, "start", SYSTEMS.get(recipe.start, (1.0,)))):
        prepared = prepare(problem, graph, recipe, rng)
    classifier.timings_["start"] = prepared.seconds
    classifier._progress("descent", 0.0)
    if in_the_paper:
        schedule, step = classifier._paper_steps()
        saved = classifier._saved(problem, schedule)
        outcome = as_in_the_paper(prepared, schedule, step, *saved)
    else:
        sharpened = prepared.engine.graph
        step = stable_step(sharpened) if classifier.step_size is None else classifier.step_size
        saved = classifier._saved(prepared.problem, schedule_of(recipe, step))
        outcome = follow(prepared, recipe, step, *saved)
    classifier.timings_["descent"] = outcome.result.seconds
    return outcome


def _answers(
    source: Input,
    chunks: Sequence[int],
    graph: ClusterGraph,
    problem: Problem,
    outcome: ClusterOutcome,
    classifier: "DiffuseInterfaceClassifier",
) -> Answers:
    """Distributions of every row, by partition and by block of the input, and the labels by block."""
    tasks, n, prior = graph.tasks, graph.n_blocks, classifier.class_prior_
    assigned = np.where(problem.reachable, outcome.result.labels, prior.argmax()).astype(np.int32)
    reachable = graph.cut(problem.reachable)
    by_partition = tasks.keep(
        tasks.each(
            "distributions", _distributions, outcome.scores, graph.cut(assigned), reachable, [prior] * n
        )
    )
    pieces = tasks.each("split-answers", _split, by_partition, graph.vertices, [source.starts] * n)
    blocks = tasks.exchange("answers", pieces, len(source.blocks), _assembled, source.lengths)
    outputs = [
        tasks.each("labels", _labels, blocks, [classifier.classes_] * len(blocks)),
        tasks.each("scores", _scores, blocks),
        tasks.each("reachable", _reachable, blocks),
    ]
    tasks.keep([handle for column in outputs for handle in column])
    kinds = ((None, classifier.classes_.dtype), (problem.n_classes, np.float64), (None, np.bool_))
    arrays = [
        array_of(_with_empty(tasks, column, chunks, width, dtype), chunks, width, dtype)
        for column, (width, dtype) in zip(outputs, kinds, strict=True)
    ]
    return Answers(by_partition, *arrays)


@dataclass(frozen=True)
class Part:
    """Answers for some rows."""

    assigned: IntArray
    distributions: FloatArray
    reachable: BoolArray

    def at(self, places: IntArray) -> "Part":
        """Answers for some of these rows."""
        return Part(self.assigned[places], self.distributions[places], self.reachable[places])


def _distributions(scores: FloatArray, assigned: IntArray, reachable: BoolArray, prior: FloatArray) -> Part:
    found = distributions(assigned, scores)
    found[~reachable] = prior
    return Part(assigned, found, reachable)


def _split(part: Part, vertices: IntArray, starts: IntArray) -> list[tuple[IntArray, Part]]:
    """The answers of a partition by block of the input, with their places in it."""
    owner = np.searchsorted(starts, vertices, side="right") - 1
    places = [np.flatnonzero(owner == b) for b in range(len(starts) - 1)]
    return [(vertices[at] - starts[b], part.at(at)) for b, at in enumerate(places)]


def _assembled(received: Sequence[tuple[IntArray, Part]], length: int) -> Part:
    places = np.concatenate([at for at, _ in received])
    order = np.argsort(places, kind="stable")
    columns = ("assigned", "distributions", "reachable")
    return Part(*(np.concatenate([getattr(part, c) for _, part in received])[order] for c in columns))


def _labels(part: Part, classes: Any) -> Any:
    return classes[part.assigned]


def _scores(part: Part) -> FloatArray:
    return part.distributions


def _reachable(part: Part) -> BoolArray:
    return part.reachable


def _with_empty(
    tasks: Tasks, blocks: list[Handle], chunks: Sequence[int], width: int | None, dtype: Any
) -> list[Handle]:
    """The blocks with one more for each chunk of the input that held no rows."""
    left = iter(blocks)
    shape = [0] if width is None else [0, width]
    return [next(left) if length else tasks.lazy("empty", np.empty, shape, dtype) for length in chunks]
