"""Fits in many threads, after forks, and on Dask clusters whose parts are killed or frozen."""

import contextlib
import os
import random
import signal
import threading
import time
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


@attack("forks", "processes forked after a fit, which fit", count=60)
def fit_after_fork(seed: int) -> None:
    """Fit, fork, and fit in both."""
    rng = random.Random(seed)
    X = np.random.default_rng(seed).normal(size=(1000, rng.choice((3, 12, 24))))
    y = np.where(np.arange(1000) < 20, np.arange(1000) % 2, -1)
    n_jobs = rng.choice((1, 2, 4))

    def made() -> DiffuseInterfaceClassifier:
        return DiffuseInterfaceClassifier(models=None, n_jobs=n_jobs, random_state=0).fit(X, y)

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
    return DiffuseInterfaceClassifier(start=start, schedule=SCHEDULE, models=None, random_state=0, n_jobs=1)


def started_cluster(**options: Any) -> Any:
    """A cluster of some workers, which are started again when they die."""
    import distributed

    quiet = {"dashboard_address": ":0", "silence_logs": 50}
    return distributed.LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, **quiet, **options)


@attack("workers", "Dask workers killed, all killed, frozen in a fit", count=36, alone=True)
def hurt_some_workers(seed: int) -> None:
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


FAILURES = ("scheduler", "memory", "client", "workers")


@attack("clusters", "dropped schedulers, closed clients, workers that lack memory", count=12, alone=True)
def let_cluster_fail(seed: int) -> None:
    """Let a cluster of its own fail in a fit: the same labels, or a sentence, within the time."""
    import distributed

    rng, kind = random.Random(seed), FAILURES[seed % len(FAILURES)]
    expected = case()[2]
    little = {"memory_limit": rng.randint(120, 260) * 10**6} if kind == "memory" else {}
    cluster = started_cluster(**little)
    with distributed.Client(cluster) as client:
        timer = threading.Timer(rng.uniform(0, 1.5), _fail, (kind, cluster, client))
        timer.start()
        fitted = answers_or_tells(labels_of_cluster)
        timer.join()
    gone = (TimeoutError,) if kind == "scheduler" else ()
    with contextlib.suppress(*gone):  # Dask itself does not end a cluster whose scheduler is gone
        cluster.close(timeout=5 if gone else 20)
    if fitted is not None and (fitted != expected).any():
        raise Lost(f"{kind}: other labels")


def _fail(kind: str, cluster: Any, client: Any) -> None:
    """Take something away for good; too little memory needs no help."""
    if kind == "scheduler":
        cluster.sync(cluster.scheduler.close, reason="torture")
    elif kind == "client":
        client.close(timeout=1)
    elif kind == "workers":
        pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid is not None]
        cluster.scale(0)
        hurt_workers("kill all", pids)
