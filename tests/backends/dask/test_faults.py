"""A worker that dies in the middle of the descent changes nothing but the time."""

import os
import signal
import threading

import dask.array as da
import numpy as np
import pytest

from graphwell import Annealed, DiffuseInterfaceClassifier

distributed = pytest.importorskip("distributed")

SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=10)


@pytest.fixture
def processes():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
def test_a_killed_worker_changes_no_label(processes):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=900)
    X = da.from_array(rng.normal(size=(900, 9)) + 2 * np.eye(9)[truth], chunks=(300, 9))
    y = np.where(rng.random(900) < 0.05, truth, -1)
    one = DiffuseInterfaceClassifier(start="nearest", schedule=SCHEDULE, random_state=0).fit(X.compute(), y)
    pids, killed = list(processes.run(os.getpid).values()), []

    def kill_one(step):
        if step.number == 2:
            killed.append(pids.pop())
            threading.Timer(0.05, os.kill, (killed[-1], signal.SIGKILL)).start()

    many = DiffuseInterfaceClassifier(start="nearest", schedule=SCHEDULE, random_state=0)
    many.fit(X, y, callback=kill_one)
    assert len(killed) == 1
    np.testing.assert_array_equal(many.result_.offsets, one.result_.offsets)
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    assert not set(killed) & set(processes.run(os.getpid).values())
