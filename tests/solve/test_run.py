"""Watching, saving and ending a run."""

import threading

import numpy as np
import pytest

from graphwell import CancelledError, Fixed
from graphwell.backends import State
from graphwell.progress import heartbeat, tell
from graphwell.solve.descent import Step
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run
from tests.helpers import chain

STEP = Step(1, 4, 1.0, 2.0, 3, State(np.array([0, 1]), np.zeros(2)))


def problem():
    return Problem(chain(1.0), np.array([0, 1]), 2)


def test_a_run_that_nobody_watches_goes_on():
    run = Run()
    run.told("start", None)
    with run.watched(), run.stage("start"):
        tell(0.5)
        heartbeat()
    callback, reached = run.saved(problem(), Fixed(), np.asarray)
    assert callback(STEP) is None
    assert reached is None


def test_a_cancelled_run_ends_at_the_next_heartbeat():
    cancel = threading.Event()
    run = Run(cancel=cancel)
    with run.watched():
        heartbeat()
        cancel.set()
        with pytest.raises(CancelledError, match="The run was cancelled"):
            heartbeat()
        with pytest.raises(CancelledError):
            tell(0.5)
    heartbeat()
    with pytest.raises(CancelledError):
        run.saved(problem(), Fixed(), np.asarray)[0](STEP)


def test_stages_and_steps_are_told_in_shares():
    told = []
    run = Run(progress=lambda stage, share: told.append((stage, share)), callback=lambda step: "stop")
    with run.stage("start", (1.0, 3.0)):
        tell(1.0)
        tell(0.5)
    assert run.saved(problem(), Fixed(), np.asarray)[0](STEP) == "stop"
    assert told == [("start", None), ("start", 0.25), ("start", 0.625), ("descent", 0.25)]


def test_steps_are_saved_and_found_again(tmp_path):
    run = Run(checkpoint=tmp_path / "run", settings={"fidelity": 3.0})
    callback, reached = run.saved(problem(), Fixed(), np.asarray)
    assert reached is None
    callback(STEP)
    _, reached = run.saved(problem(), Fixed(), np.asarray)
    assert reached.energies == (2.0,)
    with pytest.raises(ValueError, match=r"fidelity was 3\.0 there and is 4\.0 here"):
        Run(checkpoint=tmp_path / "run", settings={"fidelity": 4.0}).saved(problem(), Fixed(), np.asarray)
