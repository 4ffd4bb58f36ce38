"""Messages for the blocks of this process, each in a box until it is asked for."""

import threading

from graphwell.backends.blocks.programs import Message

MOST_REMEMBERED = 1000
"""Pieces of work that are over, so that late messages for them are thrown away."""
Box = tuple[str, str, str, int]
"""The work, who gets the message, who sends it, and its number."""
_BOXES: dict[Box, Message] = {}
_OVER: dict[tuple[str, str], None] = {}
_ARRIVED = threading.Condition()


def deliver(work: str, to: str, sender: str, number: int, message: Message) -> None:
    """Put a message into its box."""
    with _ARRIVED:
        if (work, to) not in _OVER:
            _BOXES[work, to, sender, number] = message
        _ARRIVED.notify_all()


def close(work: str, at: str) -> None:
    """Say that some work of a worker is over: who waits for its messages is told; they are thrown away."""
    with _ARRIVED:
        _OVER[work, at] = None
        for old in list(_OVER)[:-MOST_REMEMBERED]:
            del _OVER[old]
        for box in [box for box in _BOXES if box[:2] == (work, at)]:
            del _BOXES[box]
        _ARRIVED.notify_all()


def is_over(work: str, at: str) -> bool:
    """Whether some work of a worker is over."""
    return (work, at) in _OVER


def taken(box: Box, seconds: float) -> Message | None:
    """Take the message out of a box; None if it has not come in this time, or its work is over."""
    with _ARRIVED:
        _ARRIVED.wait_for(lambda: box in _BOXES or is_over(*box[:2]), seconds)
        return None if is_over(*box[:2]) else _BOXES.pop(box, None)
