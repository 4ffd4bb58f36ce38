"""Runs that are watched and ended."""

import threading

import numpy as np
import pytest

from graphwell import CancelledError
from graphwell.backends import State
from graphwell.progress import heartbeat, tell, watched
from graphwell.solve.descent import Step
from graphwell.solve.fit import Run

STEP = Step(1, 4, 1.0, 2.0, 3, State(np.array([0, 1]), np.zeros(2)))


def test_a_cancelled_run_ends_at_the_next_heartbeat():
    cancel = threading.Event()
    run = Run(cancel=cancel)
    with watched(run.check), run.stage("start"):
        heartbeat()
        tell(0.5)
        assert run.each_step(STEP) is None
        cancel.set()
        with pytest.raises(CancelledError, match="The run was cancelled"):
            heartbeat()
        with pytest.raises(CancelledError):
            tell(0.5)
    heartbeat()
    with pytest.raises(CancelledError):
        run.each_step(STEP)
