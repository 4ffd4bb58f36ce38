"""One to sixteen threads, that must find the same labels."""

import random
from functools import cache

import numpy as np

from graphwell import DiffuseInterfaceClassifier
from torture.attack import Attack, Lost


@cache
def case(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels, and what one thread finds."""
    X = np.random.default_rng(number).normal(size=(1500, 4 + 8 * (number % 2)))
    y = np.where(np.arange(1500) < 40, np.arange(1500) % 4, -1)
    return X, y, DiffuseInterfaceClassifier(random_state=0, n_jobs=1).fit(X, y).transduction_


def attempt(seed: int) -> None:
    """Fit with some number of threads."""
    X, y, expected = case(seed % 4)
    threads = random.Random(seed).randint(2, 16)
    found = DiffuseInterfaceClassifier(random_state=0, n_jobs=threads).fit(X, y).transduction_
    if (found != expected).any():
        raise Lost(f"{threads} threads found other labels than one")


ATTACK = Attack("threads", "2 to 16 threads: the labels of one", attempt, count=64)
