"""Clusters that fail as a whole: a scheduler that is gone, workers without memory, a closed client."""

import contextlib
import random
import threading
from typing import Any

from torture.attack import Attack, Lost
from torture.sentences import answers_or_tells
from torture.workers import case, hurt_workers, labels_of_cluster, started_cluster

FAILURES = ("scheduler", "memory", "client", "workers")


def attempt(seed: int) -> None:
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


ATTACK = Attack(
    "clusters",
    "dropped schedulers, closed clients, workers that lack memory",
    attempt,
    count=12,
    alone=True,
)
