"""Work that the workers of a cluster do together: one long task each, which exchange messages on the way.

A round of messages costs a fraction of a round of tasks, since the scheduler has no part in it. If a worker
is lost, the others give up, and the work is done again from its inputs on those that are left; its result is
the same.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from graphwell.backends.blocks.post_office import close, deliver
from graphwell.backends.blocks.programs import Done, Effort, Member, Program, in_lockstep
from graphwell.backends.dask.client import require_dask
from graphwell.backends.dask.handles import Handle
from graphwell.backends.dask.post import DELIVER, Post, close_everywhere
from graphwell.backends.dask.tasks import DisplacedError, Tasks, given

MOST_ATTEMPTS = 20
SECONDS_OF_PATIENCE = 0.25
"""Added to the pause before each further attempt: the scheduler may learn late that a worker is gone."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Team:
    """The tasks of some work, one for each worker; they run once what they find is asked for.

    Attributes
    ----------
    tasks : Tasks
    work : str
        Its name; no other work has it.
    members : list of handles
        What each of them returns is `Done`.
    shares : list of lists of int
        The blocks of each.
    """

    tasks: Tasks
    work: str
    members: list[Handle]
    shares: list[list[int]]

    def fetched(self) -> list[Any]:
        """What the program of each block returned, brought here."""
        done = self._results(self.members)
        self.tasks.efforts.extend(share.effort for share in done)
        return self._by_block([share.found for share in done])

    def kept(
        self,
        name: str,
        end_of: Callable[[Any], Any],
        result_of: Callable[[Any], Any] = given,
        *,
        originals: bool = False,
    ) -> tuple[list[Handle], list[Any]]:
        """What the program of each block returned, or a part of it, on two workers; its end, brought here.

        All of it is one graph of tasks. With `originals`, the copies are made with the next tasks, and the
        handles know what they are copies of.
        """
        told = [self.tasks.lazy("end", _end_of, member, end_of) for member in self.members]
        pairs = list(zip(told, self.members, self.shares, strict=True))
        for end, member, _ in pairs:
            end.home = member.home
        places = self._by_block([[(member, i) for i in range(len(of))] for _, member, of in pairs])
        found = self.tasks.each(f"{name}-result", _result_of, *zip(*places, strict=True), what=result_of)
        copies = self.tasks.copied(found)
        if originals:
            for copy, original in zip(copies, found, strict=True):
                copy.original = original
        self.tasks.keep([*told, *(found if originals else copies)])
        self.tasks.put_off(copies)
        efforts, ends = zip(*self._results(told), strict=True)
        self.tasks.let_go(told)
        self.tasks.efforts.extend(efforts)
        return copies, self._by_block(ends)

    def _results(self, handles: Sequence[Handle]) -> list[Any]:
        """What tasks return; the workers are freed where that does not come."""
        try:
            return self.tasks.results(handles, at_home=True, topic=self.work)
        except BaseException:
            if self.tasks.client.status == "running":
                close_everywhere(self.tasks.client, self.work)
            raise

    def _by_block(self, found: Sequence[Sequence[Any]]) -> list[Any]:
        """What each member says of its blocks, in the order of all blocks."""
        pairs = zip(self.shares, found, strict=True)
        of_block = {p: each for of, share in pairs for p, each in zip(of, share, strict=True)}
        return [of_block[p] for p in range(len(of_block))]


def ready_for_letters(tasks: Tasks) -> None:
    """Have all workers take messages of each other."""
    tasks.answer_to(DELIVER, deliver)


def together(
    tasks: Tasks,
    name: str,
    program: Callable[..., Program],
    blocks: Sequence[Handle],
    *columns: Sequence[Any],
    **same: Any,
) -> Team:
    """A program for each block, all at the same time.

    Parameters
    ----------
    tasks : Tasks
        Settled: it knows the worker of each block.
    name : str
        What is done.
    program : callable
        ``program(block, *arguments, **same)`` makes the program of a block.
    blocks : list of handles
        `GraphBlock` of each block.
    columns : sequences
        One argument for each block.
    """
    ready_for_letters(tasks)
    work, homes = f"{name} in {tasks.new_name()}", tuple(tasks.homes)
    shares = [[p for p, home in enumerate(homes) if home == at] for at in sorted(set(homes))]
    arguments = list(zip(blocks, *columns, strict=True))
    task = partial(_share_of, name, partial(program, **same), work, homes)
    members = [tasks.lazy(name, task, of, [list(arguments[p]) for p in of]) for of in shares]
    for member, of in zip(members, shares, strict=True):
        member.home = homes[of[0]]
    return Team(tasks, work, members, shares)


def undisturbed(tasks: Tasks, n_blocks: int, work: Callable[[], Result]) -> Result:
    """Do work that uses `together`, again from its beginning where a worker was lost on the way."""
    for attempt in range(MOST_ATTEMPTS):
        try:
            return work()
        except DisplacedError:
            time.sleep(SECONDS_OF_PATIENCE * attempt)
            tasks.settle(n_blocks)
    raise RuntimeError(
        f"Workers were lost {MOST_ATTEMPTS} times during one step; the cluster is not stable enough to go on."
    )


def _share_of(
    name: str,
    program: Callable[..., Program],
    work: str,
    homes: tuple[str, ...],
    numbers: list[int],
    arguments: list[list[Any]],
) -> Done:
    """The share of one worker: the programs of its blocks."""
    began = time.perf_counter()
    members = {
        number: Member(program(block, *others), block.outlets, block.sources)
        for number, (block, *others) in zip(numbers, arguments, strict=True)
    }
    post = Post(work, homes, members)
    require_dask().secede()  # another fit may need this worker's place meanwhile, to begin its own share
    try:
        found = in_lockstep(members, post.exchange)
    finally:
        close(work, post.here)
    seconds = time.perf_counter() - began
    return Done(
        [found[number] for number in numbers],
        Effort(name, post.rounds, post.bytes_sent, seconds, post.seconds_waited),
    )


def _end_of(done: Done, end_of: Callable[[Any], Any]) -> tuple[Effort, list[Any]]:
    return done.effort, [end_of(found) for found in done.found]


def _result_of(done: Done, place: int, what: Callable[[Any], Any]) -> Any:
    return what(done.found[place])
