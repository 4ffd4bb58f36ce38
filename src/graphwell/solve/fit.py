"""One fit, from a problem to labels and scores: a value, whatever backend it ran on."""

from dataclasses import dataclass, field

import numpy as np

from graphwell.backends.base import Backend, Block, Engine
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import Recipe, follow, one_class, set_out
from graphwell.solve.result import Result
from graphwell.solve.run import Run
from graphwell.solve.start import STARTS


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
