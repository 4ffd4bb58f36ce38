"""Processes that are forked after a fit, and fit themselves."""

import os
import random
import time

import numpy as np

from graphwell import DiffuseInterfaceClassifier
from torture.attack import Attack, Lost, patience


def attempt(seed: int) -> None:
    """Fit, fork, and fit in both."""
    rng = random.Random(seed)
    X = np.random.default_rng(seed).normal(size=(1000, rng.choice((3, 12, 24))))
    y = np.where(np.arange(1000) < 20, np.arange(1000) % 2, -1)
    made = lambda: DiffuseInterfaceClassifier(n_jobs=rng.choice((1, 2, 4)), random_state=0).fit(X, y)  # noqa: E731
    expected = made().transduction_
    child = os.fork()
    if child == 0:
        os._exit(0 if (made().transduction_ == expected).all() else 1)
    until = time.monotonic() + patience(30)
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            if status:
                raise Lost(f"the child ended with status {status}")
            return
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise Lost("the child hung")


ATTACK = Attack("forks", "processes forked after a fit, which fit", attempt, count=60)
