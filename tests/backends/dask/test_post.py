"""Letters lie in their box until they are fetched, and work that is over has none."""

from types import SimpleNamespace

import numpy as np
import pytest

from graphwell.backends.blocks import post_office
from graphwell.backends.blocks.post_office import close, deliver
from graphwell.backends.blocks.programs import Member, Message
from graphwell.backends.dask import post
from graphwell.backends.dask.tasks import DisplacedError

LETTER = Message({}, np.array([1]), np.zeros(0))


@pytest.fixture
def worker(monkeypatch):
    """The worker that a task believes to run on."""
    running = SimpleNamespace(state="executing")
    found = SimpleNamespace(
        address="here", get_current_task=lambda: "task", state=SimpleNamespace(tasks={"task": running})
    )
    monkeypatch.setattr(post, "require_dask", lambda: SimpleNamespace(get_worker=lambda: found))
    monkeypatch.setattr(post, "SECONDS_BETWEEN_LOOKS", 0.01)
    return found


def office(work):
    return post.Post(work, ("here", "there"), {0: Member(iter(()), {}, (1,))})


def test_a_letter_is_fetched_once(worker):
    own = office("fetched")
    own.rounds = 3
    deliver("fetched", "here", "there", 3, LETTER)
    deliver("fetched", "elsewhere", "there", 3, None)
    assert own._wait_for("there") is LETTER
    assert not [box for box in post_office._BOXES if box[:2] == ("fetched", "here")]


def test_who_waits_is_told_that_the_work_is_over(worker):
    own = office("over")
    deliver("over", "here", "there", 7, LETTER)
    close("over", "here")
    with pytest.raises(DisplacedError, match="over was given up"):
        own._wait_for("there")
    deliver("over", "here", "there", 8, LETTER)
    assert not [box for box in post_office._BOXES if box[0] == "over"]
    with pytest.raises(DisplacedError, match="shared with a worker that is gone"):
        office("over")


def test_work_that_nobody_waits_for_is_left(worker):
    own = office("unwanted")
    worker.state.tasks.clear()
    with pytest.raises(DisplacedError, match="Nobody waits for unwanted any more"):
        own._wait_for("there")


def test_a_letter_that_cannot_be_sent_ends_the_wait(worker):
    own = office("unsent")
    own._sending.append(SimpleNamespace(done=lambda: True, exception=lambda: OSError()))
    with pytest.raises(DisplacedError, match="A worker is gone"):
        own._wait_for("there")


def test_work_runs_where_its_blocks_live(worker):
    worker.address = "elsewhere"
    with pytest.raises(DisplacedError, match="shared with a worker that is gone"):
        office("moved")
