"""Damaged and forged checkpoints, and those of other runs."""

import random
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from graphwell import Annealed, DiffuseInterfaceClassifier, Graph
from torture.attack import Attack, Lost
from torture.mutation import mutated
from torture.sentences import answers_or_tells

FOLDER = tempfile.TemporaryDirectory()
RUN = Path(FOLDER.name) / "run"


@cache
def case() -> tuple[Graph, np.ndarray, bytes, np.ndarray]:
    """A small run: its graph and labels, its checkpoint after a step, and what it ends with."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    graph, y = Graph.from_features(X, n_jobs=1), np.where(np.arange(120) < 12, np.arange(120) % 3, -1)
    classifier().fit(graph, y, checkpoint=RUN, callback=lambda step: True)
    content = RUN.read_bytes()
    return graph, y, content, classifier().fit(graph, y).transduction_


def classifier() -> DiffuseInterfaceClassifier:
    """The classifier of the run."""
    return DiffuseInterfaceClassifier(
        start="nearest", schedule=Annealed(2.0, 0.5, 0.5, sweeps=5), random_state=0, n_jobs=1
    )


def attempt(seed: int) -> None:
    """Go on from a damaged checkpoint: refused, or the labels of the run."""
    graph, y, content, expected = case()
    RUN.write_bytes(mutated(content, random.Random(seed)))
    found = answers_or_tells(lambda: classifier().fit(graph, y, checkpoint=RUN).transduction_)
    if found is not None and (found != expected).any():
        raise Lost("a damaged checkpoint was taken, and led to other labels")


ATTACK = Attack("checkpoints", "damaged checkpoints: refused, or the same labels", attempt, count=6_000)
