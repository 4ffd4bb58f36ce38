"""What is lost while a fit runs: it starts again, or ends with a sentence, and leaves nothing behind."""

import gc
import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest

from graphwell import Annealed, CancelledError, DiffuseInterfaceClassifier
from graphwell.backends.dask import rounds
from graphwell.backends.dask.rounds import Cluster
from tests.backends.dask.cases import QUICK, fitted, rows_and_labels

distributed = pytest.importorskip("distributed")

SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=10)
LOST = "A worker of the Dask cluster was lost; the fit starts again on [12] worker"


def left_behind(client):
    """What workers still hold of a fit."""

    def rounds_open(dask_worker):
        from graphwell.backends.dask.communicator import DELIVER, ROUNDS

        own = [name for name, address in ROUNDS if address == dask_worker.address]
        return len(own), DELIVER in dask_worker.handlers, tuple(dask_worker.data)

    deadline = time.monotonic() + 10
    while True:
        gc.collect()
        found = set(client.run(rounds_open).values())
        if found == {(0, False, ())} or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


NOTHING = {(0, False, ())}


def killer(client, stage):
    """A report of progress that ends a worker by SIGKILL in a stage; and what it killed."""
    pids, killed = list(client.run(os.getpid).values()), []

    def progress(current, share=None):
        if current == stage and not killed:
            killed.append(pids.pop())
            os.kill(killed[-1], signal.SIGKILL)

    return progress, killed


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["neighbours", "start", "descent"])
def test_a_killed_worker_changes_no_label(processes, stage):
    X, y, _ = rows_and_labels()
    one = fitted(X, y, schedule=SCHEDULE, models=None)
    progress, killed = killer(processes, stage)
    many = DiffuseInterfaceClassifier(schedule=SCHEDULE, models=None, random_state=0)
    with pytest.warns(UserWarning, match=LOST):
        many.fit(da.from_array(X, chunks=(200, 10)), y, progress=progress)
    assert killed
    np.testing.assert_array_equal(many.transduction_.compute(), one.transduction_)
    np.testing.assert_allclose(many.label_distributions_.compute(), one.label_distributions_, atol=1e-4)


@pytest.mark.slow
def test_a_cluster_that_loses_worker_after_worker_is_given_up(processes):
    X, y, _ = rows_and_labels()
    progress, _ = killer(processes, "start")
    with (
        dask.config.set({"graphwell.retries": 0}),
        pytest.raises(RuntimeError, match="Workers were lost 1 times during one fit"),
    ):
        DiffuseInterfaceClassifier(**QUICK).fit(da.from_array(X, chunks=200), y, progress=progress)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ("workers", "All workers of the Dask cluster are gone"),
        ("scheduler", "The Dask client was closed, or lost its scheduler"),
    ],
)
def test_where_all_workers_or_the_scheduler_are_lost_a_sentence_says_so(monkeypatch, lost, words):
    monkeypatch.setattr(rounds, "SECONDS_FOR_WORKERS", 1.0)
    X, y, _ = rows_and_labels()
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
    ):

        def lose(stage, share):
            if stage == "descent":
                cluster.scale(0) if lost == "workers" else cluster.sync(cluster.scheduler.close)

        rows = da.from_array(X, chunks=200)
        with pytest.raises(OSError, match=words):
            DiffuseInterfaceClassifier(**QUICK).fit(rows, y, progress=lose)


@pytest.mark.slow
def test_what_a_worker_takes_with_it_after_a_fit_is_there_once_more_or_told(processes):
    X, y, _ = rows_and_labels()
    many = fitted(da.from_array(X, chunks=(200, 10)), y, **QUICK)
    (pid, *_) = processes.run(os.getpid).values()
    os.kill(pid, signal.SIGKILL)
    np.testing.assert_array_equal(many.transduction_.compute(), fitted(X, y, **QUICK).transduction_)
    with pytest.raises(OSError, match="was lost with it; fit again"):
        many.predict(X[:5])


def test_nothing_is_left_on_the_workers(client):
    X, y, _ = rows_and_labels()
    rows = da.from_array(X, chunks=(200, 10))
    many = fitted(rows, y, **QUICK)
    many.predict(X[:5])
    del many
    assert left_behind(client) == NOTHING
    cancel = threading.Event()
    with pytest.raises(CancelledError):
        DiffuseInterfaceClassifier(**QUICK).fit(
            rows, y, cancel=cancel, progress=lambda stage, share: stage == "descent" and cancel.set()
        )
    assert left_behind(client) == NOTHING

    def fail(stage, share):
        raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        DiffuseInterfaceClassifier(**QUICK).fit(rows, y, progress=fail)
    assert left_behind(client) == NOTHING


class Changing:
    """Rows that are others every time they are read."""

    def __init__(self, rows, then):
        self.rows, self.then, self.reads = rows, then, 0

    def __call__(self):
        self.reads += 1
        return self.rows if self.reads == 1 else self.then(self.rows)


READ: dict[int, Changing] = {}


def read_again(key):
    return READ[key]()


def raise_it(rows):
    raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("then", "error", "words"),
    [
        (raise_it, OSError, "the disk is gone"),
        (lambda rows: rows[:50], ValueError, r"a block of X has the shape \(50, 10\) where the array says"),
        (
            lambda rows: np.where(rows > 3, np.nan, rows),
            ValueError,
            "X holds .* NaN or infinite values in its rows 200 to 399",
        ),
    ],
)
def test_a_block_that_changes_between_two_reads_gets_a_sentence(client, then, error, words):
    """The workers are threads here, so that they share the block that counts its reads."""
    X, y, _ = rows_and_labels()
    block = Changing(X[200:400], then)
    made = da.from_delayed(dask.delayed(read_again, pure=False)(id(block)), (200, 10), float)
    READ[id(block)] = block
    rows = da.concatenate([da.from_array(X[:200]), made, da.from_array(X[400:])])
    with pytest.raises(error, match=words):
        DiffuseInterfaceClassifier(random_state=0).fit(rows, y)  # the sample for the judge is read first
    assert left_behind(client) == NOTHING


def test_a_client_that_is_closed_meanwhile_leaves_the_classifier_as_it_was(cluster):
    X, y, _ = rows_and_labels()
    many = DiffuseInterfaceClassifier(models=None, start="nearest", schedule=SCHEDULE, random_state=0)
    before = dict(vars(many))
    with (
        distributed.Client(cluster) as closing,
        pytest.raises(OSError, match="The Dask client was closed, or lost its scheduler"),
    ):
        many.fit(da.from_array(X, chunks=200), y, progress=lambda stage, share: closing.close())
    assert vars(many) == before


def test_a_fit_inside_a_task_is_refused(client):
    X, y, _ = rows_and_labels()
    fit = lambda: DiffuseInterfaceClassifier(models=None).fit(da.from_array(X, chunks=200), y)  # noqa: E731
    with pytest.raises(ValueError, match="this is a Dask task already"):
        client.submit(fit, pure=False).result()


def test_two_fits_share_the_workers(client):
    """Each needs all workers at once; neither keeps a worker from the other."""
    X, y, _ = rows_and_labels()
    rows, found = da.from_array(X, chunks=200), []
    threads = [threading.Thread(target=lambda: found.append(fitted(rows, y, **QUICK))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({np.asarray(fit.transduction_).tobytes() for fit in found}) == 1
    assert len(found) == 3


def test_workers_with_too_little_memory_say_so(client, monkeypatch):
    X, y, _ = rows_and_labels()
    monkeypatch.setattr(Cluster, "resources", lambda self: (1, 1000.0))
    with pytest.raises(ValueError, match=r"needs about .* of memory, but the workers .* have 1 kB together"):
        DiffuseInterfaceClassifier(models=None).fit(da.from_array(X, chunks=200), y)
