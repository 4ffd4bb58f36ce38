"""Choosing the settings of the descent by the user's own labels, part of them hidden in turn."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend, PlacedGraph
from graphwell.solve.judge import Setting
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe, follow, set_out
from graphwell.solve.run import Run

SPLITS = 3
HIDDEN_SHARE = 0.3
LABELS_PER_CLASS_NEEDED = 10
STANDARD_ERRORS_IN_FAVOUR = 2.0


@dataclass(frozen=True)
class Tuning:
    """What was chosen and how well each candidate did on the hidden labels.

    Attributes
    ----------
    recipe : Recipe
        The chosen settings.
    accuracy : float
        Share of the hidden labels that it got right.
    candidates : dict
        The same share for every candidate, on the labels hidden until it was dropped.
    """

    recipe: Recipe
    accuracy: float
    candidates: dict[Recipe, float] = field(repr=False)

    def __str__(self) -> str:
        if not self.candidates:
            return f"{self.recipe}: kept, as there was no second label of any class to hide"
        return f"{self.recipe}: {100 * self.accuracy:.1f} % of the hidden labels right"


@dataclass(frozen=True)
class Tuned:
    """A choice of settings, and the problem on the graph that they want."""

    tuning: Tuning
    problem: Problem
    seconds: float


def candidates(default: Recipe, graph: PlacedGraph) -> list[Recipe]:
    """A handful of settings around the default, which comes first."""
    around = [replace(default, time=0.0), replace(default, time=2.0), replace(default, sharpness=1.0)]
    if graph.can_relink:
        around += [replace(default, n_neighbors=n) for n in (5, 15) if n != graph.n_neighbors]
    return [default, *around]


def enough_labels(backend: Backend, problem: Problem) -> bool:
    """Whether every class has enough labels for hidden ones to tell settings apart."""
    given = backend.to_host(problem.labels)
    counts = np.bincount(given[given >= 0], minlength=problem.n_classes)
    return bool(counts.min() >= LABELS_PER_CLASS_NEEDED)


def tune(
    backend: Backend, problem: Problem, default: Recipe, rng: np.random.Generator, run: Run | None = None
) -> Tuned:
    """Compare the candidates on hidden labels; return the choice and the problem on the graph it wants.

    The default is kept unless another candidate is better by two standard errors of the difference.
    Candidates that share a graph and a start use the same ones, and one that is no better than the default
    on the labels hidden so far is dropped. With one label per class there is none to hide, and the default is
    kept.
    """
    began, run = time.perf_counter(), Run() if run is None else run
    given = backend.to_host(problem.labels)
    if np.bincount(given[given >= 0]).max() < 2:
        return Tuned(Tuning(default, float("nan"), {}), problem, time.perf_counter() - began)
    graphs: dict[int | None, PlacedGraph] = {None: problem.graph}
    right: dict[Recipe, list[FloatArray]] = {}
    remaining = candidates(default, problem.graph)
    for split, hidden in enumerate(_splits(given, problem.n_classes, rng)):
        shown = replace(problem, labels=backend.asarray(np.where(hidden, -1, given)))
        settings: dict[tuple[object, ...], Setting] = {}
        for number, recipe in enumerate(remaining):
            run.told("tuning", (split + number / len(remaining)) / SPLITS)
            if recipe.n_neighbors is not None and recipe.n_neighbors not in graphs:
                relinked = problem.graph.with_neighbors(recipe.n_neighbors)
                graphs[recipe.n_neighbors] = relinked.bridged(problem.is_known)
            key = (recipe.start, recipe.sharpness, recipe.n_neighbors)
            if key not in settings:
                on_graph = replace(shown, graph=graphs[recipe.n_neighbors])
                settings[key] = set_out(on_graph, recipe, backend, np.random.default_rng(0))
            labels = backend.to_host(follow(settings[key], recipe).result.labels)
            right.setdefault(recipe, []).append(labels[hidden] == given[hidden])
        best_to_beat = np.concatenate(right[default]).mean()
        remaining = [r for r in remaining if r == default or np.concatenate(right[r]).mean() > best_to_beat]
    accuracy = {recipe: float(np.concatenate(hits).mean()) for recipe, hits in right.items()}
    chosen = _choose(default, {recipe: np.concatenate(right[recipe]) for recipe in remaining})
    tuned = replace(problem, graph=graphs[chosen.n_neighbors])
    return Tuned(Tuning(chosen, accuracy[chosen], accuracy), tuned, time.perf_counter() - began)


def _choose(default: Recipe, right: dict[Recipe, FloatArray]) -> Recipe:
    """The best, if it is better than the default by two standard errors of the difference."""
    best = max(right, key=lambda recipe: float(right[recipe].mean()))
    difference = right[best].astype(float) - right[default]
    error = float(difference.std()) / np.sqrt(max(1, len(difference)))
    return best if difference.mean() > STANDARD_ERRORS_IN_FAVOUR * error else default


def _splits(labels: IntArray, n_classes: int, rng: np.random.Generator) -> Iterator[BoolArray]:
    """Hide a share of the labels of each class, keeping at least one."""
    for _ in range(SPLITS):
        hidden = np.zeros(len(labels), dtype=bool)
        for c in range(n_classes):
            members: IntArray = np.flatnonzero(labels == c)
            count = min(len(members) - 1, max(1, round(HIDDEN_SHARE * len(members))))
            hidden[rng.choice(members, max(0, count), replace=False)] = True
        yield hidden
