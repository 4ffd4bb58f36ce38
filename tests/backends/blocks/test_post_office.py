"""Messages lie in their boxes until they are taken, and what is over is soon forgotten."""

import numpy as np

from graphwell.backends.blocks import post_office
from graphwell.backends.blocks.post_office import close, deliver, is_over, taken
from graphwell.backends.blocks.programs import Message

MESSAGE = Message({}, np.array([1]), np.zeros(0))


def test_a_message_is_taken_once():
    deliver("taken", "here", "there", 1, MESSAGE)
    assert taken(("taken", "here", "there", 2), 0.0) is None
    assert taken(("taken", "here", "there", 1), 0.0) is MESSAGE
    assert taken(("taken", "here", "there", 1), 0.0) is None


def test_work_that_is_over_has_no_messages():
    deliver("ended", "here", "there", 1, MESSAGE)
    close("ended", "here")
    deliver("ended", "here", "there", 2, MESSAGE)
    assert is_over("ended", "here")
    assert not is_over("ended", "there")
    assert [taken(("ended", "here", "there", number), 0.0) for number in (1, 2)] == [None, None]
    assert not [box for box in post_office._BOXES if box[0] == "ended"]


def test_only_the_last_works_are_remembered(monkeypatch):
    monkeypatch.setattr(post_office, "MOST_REMEMBERED", 3)
    for number in range(10):
        close(f"old {number}", "here")
    assert [work for work, _ in post_office._OVER] == ["old 7", "old 8", "old 9"]
