"""Programs of blocks, which run side by side and exchange what they need of each other after every step.

A program is a generator. It yields what it has to say, a value for each position of its block and sums for
all, and is sent what the others said. The programs of all blocks say something equally often. Nothing here
knows where they run: `in_lockstep` is given some of them, and a way to exchange messages with the rest.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import FloatArray, IntArray

NOTHING = np.zeros(0)


class Said(NamedTuple):
    """What the program of a block says after a step.

    Attributes
    ----------
    values : array
        A row for each position of the block; neighbouring blocks hear of those that they touch.
    sums, peaks : arrays
        Added up, and largest, over all blocks. Sums must be exact, so that their order does not matter.
    done : float
        Share of the work that is done, for whoever watches.
    """

    values: Any
    sums: Any = NOTHING
    peaks: FloatArray = NOTHING
    done: float = 0.0


class Heard(NamedTuple):
    """What a program hears: a row for each position of its halo, and sums and peaks of all blocks."""

    halo: Any
    sums: Any
    peaks: FloatArray


Program = Generator[Said, Heard, Any]


class Message(NamedTuple):
    """What some blocks say to others: values by the block that says and the block that hears them."""

    pieces: dict[tuple[int, int], Any]
    sums: Any
    peaks: FloatArray
    done: float = 0.0


Exchange = Callable[[Message], list[Message]]
"""Sends a message to all that share the work, and returns those of the others."""


class Member(NamedTuple):
    """A block that takes part.

    Attributes
    ----------
    program : Program
    outlets : mapping
        For each block that needs some of its values, their positions.
    sources : tuple of int
        The blocks that its halo comes from, in the order of the halo.
    """

    program: Program
    outlets: Mapping[int, IntArray]
    sources: tuple[int, ...]


def in_lockstep(members: Mapping[int, Member], exchange: Exchange) -> dict[int, Any]:
    """Run the programs of some blocks, by number, to their end; return what each returned."""
    said = {number: next(member.program) for number, member in members.items()}
    while True:
        every = heard_by_all(said, members, exchange)
        ended = {}
        for number, member in members.items():
            pieces = [every.pieces[source, number] for source in member.sources]
            halo = np.concatenate(pieces) if pieces else said[number].values[:0]
            try:
                said[number] = member.program.send(Heard(halo, every.sums, every.peaks))
            except StopIteration as end:
                ended[number] = end.value
        if ended:
            return ended


def heard_by_all(said: Mapping[int, Said], members: Mapping[int, Member], exchange: Exchange) -> Message:
    """Exchange what was said."""
    pieces = {
        (number, receiver): said[number].values[at]
        for number, member in members.items()
        for receiver, at in member.outlets.items()
    }
    own = Message(
        pieces,
        sum(words.sums for words in said.values()),
        np.max([words.peaks for words in said.values()], axis=0),
        max(words.done for words in said.values()),
    )
    every = [own, *exchange(own)]
    return Message(
        {pair: piece for message in every for pair, piece in message.pieces.items()},
        sum(message.sums for message in every),
        np.max([message.peaks for message in every], axis=0),
    )


def alone(message: Message) -> list[Message]:
    """The exchange of blocks that are all there are."""
    return []


def rounded(values: FloatArray, bound: Any) -> FloatArray:
    """Values in units so large that sums of them up to `bound` have no rounding error, in any order.

    Examples
    --------
    >>> a, b, c = rounded(np.array([0.1, 0.2, 0.3]), 1.0).tolist()
    >>> (a + b) + c == a + (b + c), (0.1 + 0.2) + 0.3 == 0.1 + (0.2 + 0.3)
    (True, False)
    >>> round(a, 15), round(b, 15), round(c, 15)
    (0.1, 0.2, 0.3)
    """
    magnet = rounding_magnet(bound)
    return (values + magnet) - magnet


def rounding_magnet(bound: Any) -> Any:
    """What is added to a number and taken away again, to round it to a unit of `rounded`."""
    return 1.5 * 2.0 ** (np.ceil(np.log2(np.maximum(bound, 1e-300))) + 2)


@dataclass(frozen=True)
class Effort:
    """What some work cost one worker.

    Attributes
    ----------
    name : str
        What was done.
    rounds : int
        Exchanges of messages.
    bytes_sent : int
    seconds, seconds_waited : float
        In all, and for messages.
    """

    name: str
    rounds: int
    bytes_sent: int
    seconds: float
    seconds_waited: float


@dataclass(frozen=True)
class Done:
    """What the blocks of one worker returned, and what it cost."""

    found: list[Any]
    effort: Effort
