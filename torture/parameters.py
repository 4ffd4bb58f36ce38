"""Odd parameters, rows and labels for every classifier and for pictures."""

import math
import random
from typing import Any

import numpy as np

import graphwell as gw
from torture.attack import Attack, Lost
from torture.sentences import answers_or_tells

HUGE = 10**30
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, HUGE, 0.5, 2.5, math.nan, math.inf, -math.inf, 1e300, 1e-300, "", "x",
    "2", "auto", "nearest", "random", "cosine", "precomputed", "labels", b"x", [], [1], (1, 2), {},
    {0: 0.5, 1: 0.5}, {"a": "b"}, np.ones(2), np.array("x"), 1j, range(3),
    [(0, 5)], [(1, -5)], [(1.0, 2)], [(1e9, 1)], [None],
)  # fmt: skip
NOT_HUGE = {"max_iter", "n_eigenvectors", "diffusion_steps", "n_jobs"}


def attempt(seed: int) -> None:
    """Fit with one to three odd parameters on rows and labels that may be odd too."""
    rng = random.Random(seed)
    X, y = _rows(rng), _labels(rng)
    if rng.random() < 0.1:
        answers_or_tells(lambda: gw.segment(X, np.where(np.arange(len(X)) < 9, 1, -1)[:, None]))
        return
    method = rng.choice(list(gw.methods().values()))
    names = list(method.classifier().get_params())
    odd = {name: rng.choice(ODD) for name in rng.sample(names, min(len(names), rng.randint(0, 3)))}
    odd = {name: value for name, value in odd.items() if not (name in NOT_HUGE and value is HUGE)}
    fitted = answers_or_tells(lambda: method(**{"n_jobs": 1, **odd}).fit(X, y))
    if fitted is not None and not np.isfinite(fitted.label_distributions_).all():
        raise Lost(f"scores that are no numbers: {method.name}, {odd}")


def _rows(rng: random.Random) -> Any:
    X = np.random.default_rng(rng.randrange(50)).normal(
        size=(rng.choice((1, 2, 5, 30, 60)), rng.choice((1, 3, 12)))
    )
    if rng.random() < 0.3:
        X[rng.randrange(len(X)), 0] = rng.choice((math.nan, math.inf, 1e200, 1e150, -1e100, 1e-320, 0.0))
    if rng.random() < 0.1:
        X[:] = X[0]
    return rng.choice(
        (X, X, X, X.astype(np.float32), X.tolist(), X[:, 0], X.astype(str), np.asfortranarray(X))
    )


def _labels(rng: random.Random) -> Any:
    n = rng.choice((30, 30, 60, 5))
    y = np.where(np.arange(n) < 8, np.arange(n) % rng.choice((1, 2, 3)), -1)
    odd = (
        y,
        y,
        y,
        y.astype(float),
        [None if v < 0 else str(v) for v in y],
        y[:3],
        np.full(n, -1),
        [(1, 2)] * n,
        None,
    )
    return rng.choice(odd)


ATTACK = Attack("parameters", "odd parameters, rows and labels for every method", attempt, count=30_000)
