"""Dask workers that are killed or frozen in the middle of a fit: the labels of one machine, or a sentence."""

import os
import random
import signal
import threading

import numpy as np

from graphwell import Annealed, DiffuseInterfaceClassifier
from torture.attack import Attack, Lost
from torture.sentences import answers_or_tells

SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=10)


def attempt(seed: int) -> None:
    """Kill one or all workers, or freeze one for some seconds, at a random step."""
    import dask.array as da
    import distributed

    rng = random.Random(seed)
    truth = np.arange(600) % 3
    X = np.random.default_rng(0).normal(size=(600, 9)) + 2 * np.eye(9)[truth]
    y = np.where(np.arange(600) < 60, truth, -1)
    made = lambda: DiffuseInterfaceClassifier(start="nearest", schedule=SCHEDULE, random_state=0, n_jobs=1)  # noqa: E731
    expected = made().fit(X, y).transduction_
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids, moment = list(client.run(os.getpid).values()), rng.randint(1, 3)
        kind = rng.choice(("kill one", "kill one", "kill all", "freeze"))

        def hurt(step: object) -> None:
            if getattr(step, "number", 0) == moment:
                _hurt(kind, pids, rng.uniform(0, 0.2))

        fitted = answers_or_tells(lambda: made().fit(da.from_array(X, chunks=(200, 9)), y, callback=hurt))
        if fitted is not None and (fitted.transduction_.compute() != expected).any():
            raise Lost(f"{kind} at step {moment}: other labels")
        if fitted is None and kind != "kill all":
            raise Lost(f"{kind} at step {moment}: the fit gave up")


def _hurt(kind: str, pids: list[int], later: float) -> None:
    sent = signal.SIGSTOP if kind == "freeze" else signal.SIGKILL
    for pid in pids if kind == "kill all" else pids[:1]:
        threading.Timer(later, _send, (pid, sent)).start()
        if kind == "freeze":
            threading.Timer(later + 3, _send, (pid, signal.SIGCONT)).start()


def _send(pid: int, sent: signal.Signals) -> None:
    try:
        os.kill(pid, sent)
    except ProcessLookupError:
        return


ATTACK = Attack("workers", "Dask workers killed, all killed, frozen in a fit", attempt, count=25)
