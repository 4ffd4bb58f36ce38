"""Dask workers that are killed or frozen in a fit: the labels of one machine, or a sentence."""

import os
import random
import signal
import threading
from functools import cache
from typing import Any

import numpy as np

from graphwell import Annealed, DiffuseInterfaceClassifier
from torture.attack import Attack, Lost
from torture.sentences import answers_or_tells

SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=10)
N_WORKERS, N_ROWS = 3, 600
HURTS = ("kill one", "kill one", "kill one", "kill two", "kill all", "freeze")


@cache
def case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels, and what one machine finds."""
    truth = np.arange(N_ROWS) % 3
    X = np.random.default_rng(0).normal(size=(N_ROWS, 9)) + 2 * np.eye(9)[truth]
    y = np.where(np.arange(N_ROWS) < 60, truth, -1)
    return X, y, made().fit(X, y).transduction_


def made(start: str = "nearest") -> DiffuseInterfaceClassifier:
    """The classifier of every attempt."""
    return DiffuseInterfaceClassifier(start=start, schedule=SCHEDULE, tune=False, random_state=0, n_jobs=1)


def started_cluster(**options: Any) -> Any:
    """A cluster of some workers, which are started again when they die."""
    import distributed

    quiet = {"dashboard_address": ":0", "silence_logs": 50}
    return distributed.LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, **quiet, **options)


def attempt(seed: int) -> None:
    """Kill one, two or all workers, or freeze one for some seconds, at a random moment of a fit."""
    import distributed

    rng, kind = random.Random(seed), HURTS[seed % len(HURTS)]
    expected = case()[2]
    with started_cluster() as cluster, distributed.Client(cluster) as client:
        timer = threading.Timer(
            rng.uniform(0, 1.5), hurt_workers, (kind, list(client.run(os.getpid).values()))
        )
        timer.start()
        fitted = answers_or_tells(labels_of_cluster)
        timer.join()
    if fitted is not None and (fitted != expected).any():
        raise Lost(f"{kind}: other labels")
    if fitted is None and kind not in ("kill all", "kill two"):
        raise Lost(f"{kind}: the fit gave up")


def labels_of_cluster() -> Any:
    """Labels of a fit on the cluster in use; asking for them may need the workers once more."""
    import dask.array as da

    X, y, _ = case()
    return made().fit(da.from_array(X, chunks=(N_ROWS // N_WORKERS, X.shape[1])), y).transduction_.compute()


def hurt_workers(kind: str, pids: list[int]) -> None:
    """Send signals to as many of them as the kind says."""
    count = {"kill two": 2, "kill all": N_WORKERS}.get(kind, 1)
    for pid in pids[:count]:
        _send(pid, signal.SIGSTOP if kind == "freeze" else signal.SIGKILL)
    if kind == "freeze":
        threading.Timer(3, _send, (pids[0], signal.SIGCONT)).start()


def _send(pid: int, sent: signal.Signals) -> None:
    try:
        os.kill(pid, sent)
    except ProcessLookupError:
        return


ATTACK = Attack("workers", "Dask workers killed, all killed, frozen in a fit", attempt, count=36, alone=True)
