"""Fits in many threads, after forks, and on Dask clusters whose parts are killed or frozen."""

import contextlib
import multiprocessing
import os
import random
import signal
import threading
from functools import cache
from typing import Any

import numpy as np

from graphwell import Annealed, DiffuseInterfaceClassifier
from torture.attack import Lost, attack, patience
from torture.files import answers_or_tells


@cache
def case_of_threads(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels, and what one thread finds."""
    X = np.random.default_rng(number).normal(size=(1500, 4 + 8 * (number % 2)))
    y = np.where(np.arange(1500) < 40, np.arange(1500) % 4, -1)
    return X, y, DiffuseInterfaceClassifier(models=None, random_state=0, n_jobs=1).fit(X, y).transduction_


@attack("threads", "2 to 16 threads: the labels of one", count=64)
def fit_in_threads(seed: int) -> None:
    """Fit with some number of threads."""
    X, y, expected = case_of_threads(seed % 4)
    threads = random.Random(seed).randint(2, 16)
    found = DiffuseInterfaceClassifier(models=None, random_state=0, n_jobs=threads).fit(X, y).transduction_
    if (found != expected).any():
        raise Lost(f"{threads} threads found other labels than one")


@attack("forks", "processes forked, spawned or started by a server after a fit, which fit", count=60)
def fit_elsewhere(seed: int) -> None:
    """Fit, begin another process, and fit in both."""
    rng = random.Random(seed)
    X = np.random.default_rng(seed).normal(size=(1000, rng.choice((3, 12, 24))))
    y = np.where(np.arange(1000) < 20, np.arange(1000) % 2, -1)
    n_jobs, method = rng.choice((1, 2, 4)), rng.choice(("fork", "spawn", "forkserver"))
    expected = _labels(X, y, n_jobs)
    with multiprocessing.get_context(method).Pool(1) as pool:
        try:
            found = pool.apply_async(_labels, (X, y, n_jobs)).get(patience(60))
        except multiprocessing.TimeoutError as error:
            raise Lost(f"the process that was made by {method} hung or died") from error
    if (found != expected).any():
        raise Lost(f"a process that was made by {method} found other labels")


def _labels(X: np.ndarray, y: np.ndarray, n_jobs: int) -> np.ndarray:
    return DiffuseInterfaceClassifier(models=None, n_jobs=n_jobs, random_state=0).fit(X, y).transduction_


SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=10)
N_WORKERS, N_ROWS = 3, 600
HURTS = ("kill 1", "kill 2", "kill 3", "freeze", "scheduler", "memory", "client", "workers")


@cache
def case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels, and what one machine finds."""
    truth = np.arange(N_ROWS) % 3
    X = np.random.default_rng(0).normal(size=(N_ROWS, 9)) + 2 * np.eye(9)[truth]
    y = np.where(np.arange(N_ROWS) < 60, truth, -1)
    return X, y, made().fit(X, y).transduction_


def made() -> DiffuseInterfaceClassifier:
    """The classifier of every attempt."""
    return DiffuseInterfaceClassifier(
        start="nearest", schedule=SCHEDULE, models=None, random_state=0, n_jobs=1
    )


@attack(
    "workers", "Dask workers killed, frozen, short of memory; closed clients, lost schedulers",
    count=48, alone=True,
)  # fmt: skip
def hurt_cluster(seed: int) -> None:
    """Hurt a cluster at a random moment of a fit: the same labels, or a sentence, within the time."""
    import distributed

    rng, kind = random.Random(seed), HURTS[seed % len(HURTS)]
    expected = case()[2]
    little = {"memory_limit": rng.randint(120, 260) * 10**6} if kind == "memory" else {}
    cluster = distributed.LocalCluster(
        n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50, **little
    )
    with distributed.Client(cluster) as client:
        timer = threading.Timer(rng.uniform(0, 1.5), _hurt, (kind, cluster, client))
        timer.start()
        fitted = answers_or_tells(labels_of_cluster)
        timer.join()
    gone = (TimeoutError,) if kind == "scheduler" else ()
    with contextlib.suppress(*gone):  # Dask itself does not end a cluster whose scheduler is gone
        cluster.close(timeout=5 if gone else 20)
    if fitted is not None and (fitted != expected).any():
        raise Lost(f"{kind}: other labels")
    if fitted is None and kind in ("kill 1", "freeze"):
        raise Lost(f"{kind}: the fit gave up")


def labels_of_cluster() -> Any:
    """Labels of a fit on the cluster in use; asking for them may need the workers once more."""
    import dask.array as da

    X, y, _ = case()
    return made().fit(da.from_array(X, chunks=(N_ROWS // N_WORKERS, X.shape[1])), y).transduction_.compute()


def _hurt(kind: str, cluster: Any, client: Any) -> None:
    """Kill or freeze workers, or take something away for good; too little memory needs no help."""
    pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid is not None]
    if kind == "scheduler":
        cluster.sync(cluster.scheduler.close, reason="torture")
    elif kind == "client":
        client.close(timeout=1)
    elif kind == "freeze":
        _send(pids[0], signal.SIGSTOP)
        threading.Timer(3, _send, (pids[0], signal.SIGCONT)).start()
    elif kind != "memory":
        if kind == "workers":
            cluster.scale(0)
        for pid in pids[: int(kind[5:]) if kind.startswith("kill") else N_WORKERS]:
            _send(pid, signal.SIGKILL)


def _send(pid: int, sent: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sent)
